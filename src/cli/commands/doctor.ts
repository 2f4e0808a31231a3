import { inspectConnection } from '../../client/connection.ts';
import {
  probeService,
  type ResponseReading,
  type RouteFinding,
  type ServiceFinding,
  type Verdict,
  verdictOf,
} from '../../client/doctor.ts';
import { Http } from '../../client/http.ts';
import { OPENAPI_PATH, ROUTE_GROUPS } from '../../contract/routes.ts';
import { chainProfile } from '../../core/chains.ts';
import { wrapWords } from '../../core/text.ts';
import { formatAge, formatCount, formatDuration } from '../../core/units.ts';
import { channelsOf, setUpLines } from '../../service/alerts/target-rules.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openSource } from '../open-source.ts';
import {
  BADGES,
  cleanLine,
  labelledLines,
  mapped,
  type Paint,
  paints,
  print,
  utcTime,
  VALUE_WIDTH,
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

const RESULTS: Readonly<Record<Verdict['result'], { readonly exitCode: ExitCode; readonly words: string }>> =
  {
    usable: { exitCode: EXIT.ok, words: 'usable' },
    'not-usable': { exitCode: EXIT.failed, words: 'not usable' },
    unreachable: { exitCode: EXIT.unreachable, words: 'no answer' },
    key: { exitCode: EXIT.key, words: 'refused' },
    quota: { exitCode: EXIT.quota, words: 'limit reached' },
  };

const CONNECT_WITHIN_MS = 5_000;

async function doctor({ io, loadSettings }: CommandContext, flags: JsonFlags): Promise<ExitCode> {
  const { settings } = await loadSettings();
  // A remote service is checked as it is; the embedded one gets time to ingest its first block.
  await using opened = await openSource(io, settings);
  const { name, embedded, reach } = opened;
  const finding = await probe(io, opened);
  const verdict = verdictOf(finding, io.now());
  const { exitCode } = RESULTS[verdict.result];
  const hasNoChannels = embedded === null || settings.source.value.kind === 'simulated';
  const subject = {
    name,
    origin: embedded === null ? new URL(reach.url).origin : null,
    withKey: (reach.apiKey ?? null) !== null,
    missingChannels: hasNoChannels ? [] : setUpLines(channelsOf(deliveryOf(settings))),
  };
  if (flags.json) {
    const { result, message, warnings } = verdict;
    const judged = { usable: result === 'usable', verdict: result, exitCode, message, warnings };
    io.stdout.write(`${JSON.stringify({ service: subject, ...judged, ...finding }, jsonValue, 2)}\n`);
  } else {
    print(io, settings, doctorText(subject, finding, verdict, paints(wantsColour(io)), io.now()));
  }
  return exitCode;
}

async function probe(io: Io, { client, reach, embedded, name }: OpenedClient): Promise<ServiceFinding> {
  const signal = io.interruption();
  let doing = `looking at the way to ${name}`;
  const onRequest = (path: string) => {
    doing = `asking ${path}`;
  };
  return withSpinner(
    io,
    () => doing,
    async () => {
      const way = { timeoutMs: CONNECT_WITHIN_MS, signal };
      const connection = embedded === null ? await inspectConnection(new URL(reach.url), way) : null;
      return probeService({ http: new Http(reach), client, connection, now: io.now, signal, onRequest });
    },
  );
}

function jsonValue(name: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return /^valid|At$/.test(name) ? new Date(value).toISOString() : Math.round(value * 100) / 100;
}

interface DoctorSubject {
  readonly name: string;
  readonly origin: string | null;
  readonly withKey: boolean;
  readonly missingChannels: readonly string[];
}

const WIDTH = 80;
const ROUTE_WIDTH = 25;
const INDENT = '    ';
/** Field names in one line of the report; the rest is counted. `--json` has them all. */
const MOST_NAMES = 12;

function doctorText(
  subject: DoctorSubject,
  finding: ServiceFinding,
  verdict: Verdict,
  paint: Paint,
  now: number,
): string {
  const where =
    subject.origin === null
      ? `${subject.name}, a service in this process`
      : `${subject.origin}${subject.withKey ? ', with a key' : ', without a key'}`;
  return [
    ...wrapWords(where, WIDTH),
    '',
    ...connectionLines(finding, now, paint),
    ...ROUTE_GROUPS.flatMap((group) => groupLines(finding, group, paint)),
    ...unaskedLines(finding),
    '',
    ...subject.missingChannels.flatMap((line) => hanging('alerts   ', line, paint.title)),
    ...verdict.warnings.flatMap((warning) => hanging('warning  ', warning, paint.doubtful)),
    ...verdictLines(verdict, finding.routes[0], paint),
  ].join('\n');
}

function groupLines({ routes }: ServiceFinding, group: string, paint: Paint): string[] {
  const own = routes.filter((route) => route.group === group && route.outcome !== 'not-asked');
  if (own.length === 0) return [];
  const reasonOf = (note: string) => note.slice(note.indexOf(': ') + 1);
  // A refusal of several routes is explained at the first; each route's status is beside it.
  const isSaid = ({ note, path }: RouteFinding) =>
    note !== null &&
    routes.find((route) => route.note !== null && reasonOf(route.note) === reasonOf(note))?.path !== path;
  const head = `${group.padEnd(ROUTE_WIDTH)} status      ms  answer`;
  return ['', paint.title(head), ...own.flatMap((route) => routeLines(route, isSaid(route), paint))];
}

function unaskedLines({ routes }: ServiceFinding): string[] {
  const [first, ...rest] = routes.filter(({ outcome }) => outcome === 'not-asked');
  if (first === undefined) return [];
  const count = rest.length === 0 ? '1 route was' : `${rest.length + 1} routes were`;
  return ['', `${count} not asked: ${first.note ?? 'the doctor gave up'}`];
}

function routeLines(route: RouteFinding, noteIsKnown: boolean, paint: Paint): string[] {
  const { path, status, latencyMs, outcome } = route;
  const figures = [
    path.padEnd(ROUTE_WIDTH),
    String(status ?? '—').padStart(6),
    (latencyMs?.toFixed(0) ?? '—').padStart(7),
  ].join(' ');
  const [words, kind] = answerWords(route);
  const line = `${figures}  ${paint[kind](words)}`;
  const note = noteIsKnown || outcome === 'understood' || outcome === 'not-offered' ? null : route.note;
  const details = [note, ...(mapped(route.reading, readingLines) ?? [])];
  return [line, ...details.flatMap((text) => (text === null ? [] : hanging(INDENT, text)))];
}

type Kind = 'good' | 'doubtful' | 'bad' | 'plain';
const OUTCOMES: Readonly<Record<RouteFinding['outcome'], readonly [string, Kind]>> = {
  understood: ['understood', 'good'],
  unreadable: ['not understood', 'bad'],
  'not-offered': ['not offered', 'plain'],
  refused: ['key needed', 'bad'],
  failed: ['failed', 'bad'],
  unreachable: ['no answer', 'bad'],
  skipped: ['skipped', 'plain'],
  'not-asked': ['skipped', 'plain'],
};

function answerWords({ outcome, reading, code }: RouteFinding): readonly [string, Kind] {
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

function verdictLines(
  { result, message, warnings }: Verdict,
  snapshot: RouteFinding | undefined,
  paint: Paint,
): string[] {
  const count = warnings.length === 1 ? '; 1 warning' : `; ${warnings.length} warnings`;
  const text = `${message}${warnings.length === 0 ? '' : count}`;
  const fails = result === 'unreachable' && snapshot?.status != null;
  const word = `${fails ? 'no prices' : RESULTS[result].words}: `;
  const [first = '', ...rest] = wrapWords(word + text, WIDTH);
  const painted = paint[result === 'usable' ? 'good' : 'bad'](word.trimEnd());
  return [first.replace(word.trimEnd(), painted), ...rest];
}

function hanging(lead: string, text: string, paint = (part: string) => part): string[] {
  return wrapWords(text, WIDTH - lead.length).map((line, index) =>
    index === 0 ? paint(lead) + line : ' '.repeat(lead.length) + line,
  );
}

function connectionLines(finding: ServiceFinding, now: number, paint: Paint): string[] {
  const { routes } = finding;
  const answered = routes.some(({ status }) => status !== null);
  const gaveUp = routes.some(({ outcome }) => outcome === 'not-asked');
  const rows: [string, string | null][] = [
    ['tls', tlsWords(finding)],
    ['certificate', certificateWords(finding, now)],
    ['source', mapped(finding.snapshot, sourceWords)],
    ['head', headWords(finding)],
    ['clock', answered ? clockWords(finding) : null],
    ['limits', mapped(finding.quota, limitWords)],
    ['description', gaveUp ? null : descriptionWords(finding)],
  ];
  const wrapped = rows.map(
    ([label, value]) => [label, mapped(value, (text) => wrapWords(text, VALUE_WIDTH).join('\n'))] as const,
  );
  return [paint.title('connection'), ...labelledLines(wrapped)];
}

function tlsWords({ connection }: ServiceFinding): string | null {
  if (connection === null) return null;
  const { tls } = connection;
  if (tls === null) return 'not encrypted: plain http';
  return tls.ok ? `${tls.protocol}  ${tls.ms.toFixed(0)} ms` : cleanLine(tls.message);
}

function certificateWords({ connection }: ServiceFinding, now: number): string | null {
  const tls = connection?.tls;
  if (!tls?.ok) return null;
  const trust = tls.trusted ? 'trusted' : `not trusted: ${tls.reason}`;
  const valid = mapped(tls.validUntil, (until) => {
    const leftSec = (until - now) / 1_000;
    const days = Math.floor(leftSec / 86_400);
    const left = days > 1 ? `${formatCount(days)} days left` : `${formatDuration(leftSec)} left`;
    return `valid until ${utcTime(until, 'minutes')} UTC (${leftSec > 0 ? left : formatAge(-leftSec)})`;
  });
  return `${tls.subject}, issued by ${tls.issuer}, ${valid ?? 'validity not stated'}, ${trust}`;
}

function sourceWords({ sourceKind, chainId, source }: NonNullable<ServiceFinding['snapshot']>): string {
  const chain = chainId === null ? 'a chain it does not name' : chainProfile(chainId).name;
  return `${BADGES[sourceKind]}${chain}  ${cleanLine(source)}`;
}

function headWords({ snapshot, headAgeSec }: ServiceFinding): string | null {
  if (snapshot === null) return null;
  const parts = [
    mapped(snapshot.blockNumber, (block) => `#${formatCount(block)}`),
    mapped(headAgeSec, (sec) => formatAge(Math.max(sec, 0))),
    snapshot.stale ? 'stale' : null,
  ];
  return parts.filter((part) => part !== null).join(', ') || null;
}

function clockWords({ clock, connection }: ServiceFinding): string | null {
  if (connection === null) return null;
  if (clock === null) return 'the service states no time';
  const distance = Math.abs(clock.skewSec);
  if (distance <= clock.uncertaintySec)
    return `the same as here, within ${clock.uncertaintySec.toFixed(1)} s`;
  const side = clock.skewSec > 0 ? 'ahead of' : 'behind';
  const words = distance < 60 ? `${distance.toFixed(1)} s` : formatDuration(distance);
  return `${words} ${side} this machine, give or take ${clock.uncertaintySec.toFixed(1)} s`;
}

function limitWords({ dailyLimit, remainingToday }: NonNullable<ServiceFinding['quota']>): string {
  if (dailyLimit === null) return 'no daily limit';
  if (remainingToday === null) return `${formatCount(dailyLimit)} a day`;
  return `${formatCount(remainingToday)} of ${formatCount(dailyLimit)} left today`;
}

function descriptionWords({ description }: ServiceFinding): string | null {
  if (description === null) return `no OpenAPI document was read from ${OPENAPI_PATH}`;
  const name = [description.title, description.version].filter((part) => part !== null).join(' ');
  const routes = description.routes === 1 ? '1 route of v1' : `${description.routes} routes of v1`;
  return `OpenAPI${name === '' ? '' : `, ${name}`}: ${routes}`;
}
