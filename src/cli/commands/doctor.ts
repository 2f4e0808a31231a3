import {
  inspectConnection,
  probeService,
  type ResponseReading,
  type RouteFinding,
  type ServiceFinding,
  type ServiceVerdict,
  verdictOf,
} from '../../client/doctor.ts';
import { Http } from '../../client/http.ts';
import { counted, type Fact } from '../../client/views/fact.ts';
import { OPENAPI_PATH, ROUTE_GROUPS } from '../../contract/routes.ts';
import { wrapWords } from '../../core/text.ts';
import { formatAge, formatCount, formatDuration } from '../../core/units.ts';
import { setUpLines } from '../../service/alerts/target-rules.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { openSource } from '../open-source.ts';
import {
  badgeText,
  cleanLine,
  factRows,
  hanging,
  jsonText,
  labelledLines,
  mapped,
  type Paint,
  paints,
  print,
  utcTime,
  wantsColour,
  withSpinner,
} from '../output.ts';
import { deliveryOf } from '../settings.ts';
import type { JsonFlags } from './resource.ts';

export function addDoctor(program: CliCommand): void {
  program
    .command('doctor')
    .summary('check a service, route by route')
    .description('Requests every read route of the service and says what was understood and what is missing.')
    .option('--json', 'all of it for programs; docs/COMMANDS.md lists the fields')
    .examples('gastop doctor --url https://gas.example.org', 'gastop doctor --json | jq .warnings')
    .addHelpText(
      'after',
      `
Exit codes
  0 usable   1 its prices cannot be understood   3 unreachable
  4 key missing or refused   5 quota used up`,
    )
    .does(doctor);
}

const RESULTS: Readonly<Record<ServiceVerdict['result'], readonly [words: string, ExitCode]>> = {
  usable: ['usable', EXIT.ok],
  'not-usable': ['not usable', EXIT.failed],
  unreachable: ['no answer', EXIT.unreachable],
  key: ['refused', EXIT.key],
  quota: ['limit reached', EXIT.quota],
};

async function doctor({ io, loadSettings }: CommandContext, flags: JsonFlags): Promise<ExitCode> {
  const { settings } = await loadSettings();
  // A remote service is checked as it is; the embedded one gets time to ingest its first block.
  await using opened = await openSource(io, settings);
  const { name, embedded, clientOptions, client } = opened;
  const signal = io.interruption();
  let doing = `looking at the way to ${name}`;
  const onRequest = (path: string) => {
    doing = `asking ${path}`;
  };
  const probing = async () => {
    const way = { timeoutMs: 5_000, signal };
    const connection = embedded === null ? await inspectConnection(new URL(clientOptions.url), way) : null;
    return probeService({
      http: new Http(clientOptions),
      client,
      connection,
      now: io.now,
      signal,
      onRequest,
    });
  };
  const finding = await withSpinner(io, () => doing, probing);
  const verdict = verdictOf(finding, io.now());
  const [, exitCode] = RESULTS[verdict.result];
  const hasNoChannels = embedded === null || settings.source.value.kind === 'simulated';
  const missingChannels = hasNoChannels ? [] : setUpLines(deliveryOf(settings));
  const origin = embedded === null ? new URL(clientOptions.url).origin : null;
  const withKey = (clientOptions.apiKey ?? null) !== null;
  if (flags.json) {
    const { result, message, warnings } = verdict;
    const judged = { usable: result === 'usable', verdict: result, exitCode, message, warnings };
    const service = { name, origin, withKey, missingChannels };
    io.stdout.write(jsonText({ service, ...judged, ...finding }, jsonNumber, 2));
  } else {
    const remote = `${origin}${withKey ? ', with a key' : ', without a key'}`;
    const where = origin === null ? `${name}, a service in this process` : remote;
    const paint = paints(wantsColour(io));
    print(io, settings, doctorText(where, missingChannels, finding, verdict, paint, io.now()));
  }
  return exitCode;
}

const jsonNumber = (value: number, name: string) =>
  /^valid|At$/.test(name) ? new Date(value).toISOString() : Math.round(value * 100) / 100;

const WIDTH = 80;
const ROUTE_WIDTH = 25;
/** Field names in one line of the report; the rest is counted. `--json` has them all. */
const MOST_NAMES = 12;

function doctorText(
  where: string,
  missingChannels: readonly string[],
  finding: ServiceFinding,
  { result, message, warnings }: ServiceVerdict,
  paint: Paint,
  now: number,
): string {
  const { routes } = finding;
  const unasked = routes.filter(({ outcome }) => outcome === 'not-asked');
  const count = `${counted(unasked.length, 'route')} ${unasked.length === 1 ? 'was' : 'were'}`;
  const hasAnswered = result === 'unreachable' && routes[0]?.status != null;
  const verdict = `${hasAnswered ? 'no prices' : RESULTS[result][0]}:`;
  const number = warnings.length === 0 ? '' : `; ${counted(warnings.length, 'warning')}`;
  const said = wrapWords(`${verdict} ${message}${number}`, WIDTH);
  const painted = paint[result === 'usable' ? 'good' : 'bad'](verdict);
  return [
    ...wrapWords(where, WIDTH),
    '',
    ...connectionLines(finding, now, paint),
    ...ROUTE_GROUPS.flatMap((group) => groupLines(finding, group, paint)),
    ...(unasked.length > 0 ? ['', `${count} not asked: ${unasked[0]?.note ?? 'the doctor gave up'}`] : []),
    '',
    ...missingChannels.flatMap((line) => hanging('alerts   ', line, paint.title)),
    ...warnings.flatMap((warning) => hanging('warning  ', warning, paint.doubtful)),
    ...said.map((line, index) => (index === 0 ? line.replace(verdict, painted) : line)),
  ].join('\n');
}

function groupLines({ routes }: ServiceFinding, group: string, paint: Paint): string[] {
  const own = routes.filter((route) => route.group === group && route.outcome !== 'not-asked');
  if (own.length === 0) return [];
  const reasonOf = ({ note }: RouteFinding) => note?.slice(note.indexOf(': ') + 1);
  // A refusal of several routes is explained at the first; each route's status is beside it.
  const isFirst = (route: RouteFinding) =>
    routes.find((each) => reasonOf(each) === reasonOf(route))?.path === route.path;
  const head = `${group.padEnd(ROUTE_WIDTH)} status      ms  answer`;
  const lines = own.flatMap((route) => {
    const { path, status, latencyMs, outcome, reading } = route;
    const figures = `${String(status ?? '—').padStart(6)} ${(latencyMs?.toFixed(0) ?? '—').padStart(7)}`;
    const [words, kind] = answerWords(route);
    const isExplained = outcome !== 'understood' && outcome !== 'not-offered' && isFirst(route);
    const details = [isExplained ? route.note : null, ...(mapped(reading, readingLines) ?? [])];
    return [
      `${path.padEnd(ROUTE_WIDTH)} ${figures}  ${paint[kind](words)}`,
      ...details.flatMap((text) => (text === null ? [] : hanging('    ', text))),
    ];
  });
  return ['', paint.title(head), ...lines];
}

const OUTCOMES: Readonly<Record<RouteFinding['outcome'], readonly [string, keyof Paint]>> = {
  understood: ['understood', 'good'],
  unreadable: ['not understood', 'bad'],
  'not-offered': ['not offered', 'plain'],
  refused: ['key needed', 'bad'],
  failed: ['failed', 'bad'],
  unreachable: ['no answer', 'bad'],
  skipped: ['skipped', 'plain'],
  'not-asked': ['skipped', 'plain'],
};

function answerWords({ outcome, reading, code }: RouteFinding): readonly [string, keyof Paint] {
  if (outcome === 'refused' && code === 'quota') return ['limit reached', 'bad'];
  if (outcome === 'refused' && code === 'plan') return ['not in the plan', 'bad'];
  if (outcome !== 'understood' || reading === null) return OUTCOMES[outcome];
  const { found, missing, senseless, match } = reading;
  const count = found.length + missing.length;
  if (count === 0) return ['answers; not read by this version', 'plain'];
  if (match === 'letter') return [`valid, ${found.length} fields`, 'good'];
  if (match === 'extended') return [`valid, ${found.length} fields, and more`, 'good'];
  return [`understood, ${found.length} of ${count + senseless.length} fields`, 'doubtful'];
}

function readingLines(reading: ResponseReading): (string | null)[] {
  const { envelopes, missing, senseless, renamed, unknown, unknownCount, guessed, prices } = reading;
  const counted = (words: string, all: readonly string[], count = all.length) =>
    count === 0 ? null : `${words}: ${names(all, count)}`;
  return [
    envelopes.length === 0 ? null : `taken out of ${envelopes.join('.')}`,
    prices === 'mixed'
      ? `taken for wei: ${names(guessed.wei)}; for gwei: ${names(guessed.gwei)}`
      : prices === 'wei' || prices === 'gwei'
        ? `prices taken for ${prices}, by their size`
        : null,
    counted(
      'read under other names',
      renamed.map(({ field, name }) => `${field} = ${name}`),
    ),
    counted('missing', missing),
    counted('makes no sense', senseless),
    counted(`not in v1 (${unknownCount})`, unknown, unknownCount),
  ];
}

function names(all: readonly string[], count = all.length): string {
  const shown = all.slice(0, MOST_NAMES).join(', ');
  const more = count - Math.min(all.length, MOST_NAMES);
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function connectionLines(finding: ServiceFinding, now: number, paint: Paint): string[] {
  const { routes, connection, snapshot, quota, headAgeSec } = finding;
  const tls = connection?.tls ?? null;
  const hasAnswered = routes.some(({ status }) => status !== null);
  const gaveUp = routes.some(({ outcome }) => outcome === 'not-asked');
  const secure = tls === null ? 'not encrypted: plain http' : null;
  const handshake = tls?.ok ? `${tls.protocol}  ${tls.ms.toFixed(0)} ms` : cleanLine(tls?.message ?? '');
  const head = snapshot && [
    mapped(snapshot.blockNumber, (block) => `#${formatCount(block)}`),
    mapped(headAgeSec, (sec) => formatAge(Math.max(sec, 0))),
    snapshot.stale ? 'stale' : null,
  ];
  const facts: readonly Fact[] = [
    ['tls', connection === null ? null : (secure ?? handshake)],
    ['certificate', tls?.ok ? certificateWords(tls, now) : null],
    ['source', mapped(snapshot, sourceWords)],
    ['head', head?.filter((part) => part !== null).join(', ') || null],
    ['clock', hasAnswered && connection !== null ? clockWords(finding) : null],
    ['limits', mapped(quota, limitWords)],
    ['description', gaveUp ? null : descriptionWords(finding)],
  ];
  return [paint.title('connection'), ...labelledLines(factRows(facts))];
}

type Tls = NonNullable<NonNullable<ServiceFinding['connection']>['tls']>;

function certificateWords(tls: Extract<Tls, { readonly ok: true }>, now: number): string {
  const trust = tls.trusted ? 'trusted' : `not trusted: ${tls.reason}`;
  const valid = mapped(tls.validUntil, (until) => {
    const leftSec = (until - now) / 1_000;
    const days = Math.floor(leftSec / 86_400);
    const left = days > 1 ? `${formatCount(days)} days left` : `${formatDuration(leftSec)} left`;
    return `valid until ${utcTime(until, 'minutes')} UTC (${leftSec > 0 ? left : formatAge(-leftSec)})`;
  });
  return `${tls.subject}, issued by ${tls.issuer}, ${valid ?? 'validity not stated'}, ${trust}`;
}

function sourceWords({ sourceKind, chainName, source }: NonNullable<ServiceFinding['snapshot']>): string {
  const chain = chainName === null ? 'a chain it does not name' : cleanLine(chainName);
  return `${badgeText(sourceKind)}${chain}  ${cleanLine(source)}`;
}

function clockWords({ clock }: ServiceFinding): string {
  if (clock === null) return 'the service states no time';
  const distance = Math.abs(clock.skewSec);
  const uncertainty = `${clock.uncertaintySec.toFixed(1)} s`;
  if (distance <= clock.uncertaintySec) return `the same as here, within ${uncertainty}`;
  const side = clock.skewSec > 0 ? 'ahead of' : 'behind';
  const words = distance < 60 ? `${distance.toFixed(1)} s` : formatDuration(distance);
  return `${words} ${side} this machine, give or take ${uncertainty}`;
}

function limitWords({ dailyLimit, remainingToday }: NonNullable<ServiceFinding['quota']>): string {
  if (dailyLimit === null) return 'no daily limit';
  if (remainingToday === null) return `${formatCount(dailyLimit)} a day`;
  return `${formatCount(remainingToday)} of ${formatCount(dailyLimit)} left today`;
}

function descriptionWords({ description }: ServiceFinding): string {
  if (description === null) return `no OpenAPI document was read from ${OPENAPI_PATH}`;
  const name = [description.title, description.version].filter((part) => part !== null).join(' ');
  return `OpenAPI${name === '' ? '' : `, ${name}`}: ${counted(description.routes, 'route')} of v1`;
}
