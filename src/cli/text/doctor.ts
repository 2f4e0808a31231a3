import type { Step, TlsFinding } from '../../client/connection.ts';
import type { ResponseReading, RouteFinding, ServiceFinding, Verdict } from '../../client/doctor.ts';
import { ROUTE_GROUPS } from '../../contract/routes.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatAge, formatCount, formatDuration } from '../../core/units.ts';
import type { DoctorSubject } from '../commands/doctor.ts';
import { wrapWords } from '../help.ts';
import { cleanLine, labelledLines, type Paint, paints, utcTime } from '../output.ts';

const WIDTH = 80;
const ROUTE_WIDTH = 25;
const INDENT = '    ';
/** Names of fields in one line of the report; the rest is counted. `--json` has them all. */
const MOST_NAMES = 12;

interface TextOptions {
  readonly colour: boolean;
  /** Wall clock, ms. */
  readonly now: number;
}

/** What `gastop doctor` prints for people: at most 80 columns wide. */
export function doctorText(
  subject: DoctorSubject,
  finding: ServiceFinding,
  verdict: Verdict,
  { colour, now }: TextOptions,
): string {
  const paint = paints(colour);
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
  const head = `${group.padEnd(ROUTE_WIDTH)} status      ms  answer`;
  return [
    '',
    paint.title(head),
    ...own.flatMap((route) => routeLines(route, saidBefore(routes, route), paint)),
  ];
}

/** What the doctor gave up on, in one line for all. */
function unaskedLines({ routes }: ServiceFinding): string[] {
  const [first, ...rest] = routes.filter(({ outcome }) => outcome === 'not-asked');
  if (first === undefined) return [];
  const count = rest.length === 0 ? '1 route was' : `${rest.length + 1} routes were`;
  return ['', `${count} not asked: ${first.note ?? 'the doctor gave up'}`];
}

/** A refusal that meets one route after the other is said at the first; which route it met stands beside it. */
function saidBefore(routes: readonly RouteFinding[], { note, path }: RouteFinding): boolean {
  if (note === null) return false;
  return (
    routes.find((route) => route.note !== null && reasonOf(route.note) === reasonOf(note))?.path !== path
  );
}

const reasonOf = (note: string): string => note.slice(note.indexOf(': ') + 1);

function routeLines(route: RouteFinding, noteIsKnown: boolean, paint: Paint): string[] {
  const { path, status, latencyMs, outcome } = route;
  const figures = [
    path.padEnd(ROUTE_WIDTH),
    (status === null ? '—' : String(status)).padStart(6),
    (latencyMs === null ? '—' : latencyMs.toFixed(0)).padStart(7),
  ].join(' ');
  const [words, kind] = answerWords(route);
  const line = `${figures}  ${paint[kind](words)}`;
  const note = noteIsKnown || outcome === 'understood' || outcome === 'not-offered' ? null : route.note;
  const details = [note, ...(route.reading === null ? [] : readingLines(route.reading))];
  return [line, ...details.flatMap((text) => (text === null ? [] : hanging(INDENT, text, (part) => part)))];
}

function answerWords({
  outcome,
  reading,
  code,
}: RouteFinding): readonly [string, 'good' | 'doubtful' | 'bad' | 'plain'] {
  switch (outcome) {
    case 'understood': {
      if (reading === null) return ['understood', 'good'];
      const { found, missing } = reading;
      if (found.length + missing.length === 0) return ['answers; not read by this version', 'plain'];
      if (reading.match === 'letter') return [`valid, ${found.length} fields`, 'good'];
      if (reading.match === 'extended') return [`valid, ${found.length} fields, and more`, 'good'];
      return [`understood, ${found.length} of ${fieldCount(reading)} fields`, 'doubtful'];
    }
    case 'unreadable':
      return ['not understood', 'bad'];
    case 'not-offered':
      return ['not offered', 'plain'];
    case 'refused':
      return [code === 'quota' ? 'limit reached' : code === 'plan' ? 'not in the plan' : 'key needed', 'bad'];
    case 'failed':
      return ['failed', 'bad'];
    case 'unreachable':
      return ['no answer', 'bad'];
    case 'skipped':
    case 'not-asked':
      return ['skipped', 'plain'];
  }
}

function fieldCount({ found, missing, senseless }: ResponseReading): number {
  return found.length + missing.length + senseless.length;
}

const UNIT_WORDS: Readonly<Record<ResponseReading['prices'], string | null>> = {
  contract: null,
  named: null,
  wei: 'prices taken for wei, by their size',
  gwei: 'prices taken for gwei, by their size',
  mixed: null,
};

function readingLines(reading: ResponseReading): (string | null)[] {
  const { envelopes, missing, senseless, renamed, unknown, unknownCount, guessed, prices } = reading;
  return [
    envelopes.length === 0 ? null : `taken out of ${envelopes.join('.')}`,
    prices === 'mixed'
      ? `taken for wei: ${names(guessed.wei)}; for gwei: ${names(guessed.gwei)}`
      : UNIT_WORDS[prices],
    renamed.length === 0
      ? null
      : `read under other names: ${names(renamed.map(({ field, name }) => `${field} = ${name}`))}`,
    missing.length === 0 ? null : `missing: ${names(missing)}`,
    senseless.length === 0 ? null : `makes no sense: ${names(senseless)}`,
    unknownCount === 0 ? null : `not in v1 (${unknownCount}): ${names(unknown, unknownCount)}`,
  ];
}

function names(all: readonly string[], count = all.length): string {
  const shown = all.slice(0, MOST_NAMES).join(', ');
  const more = count - Math.min(all.length, MOST_NAMES);
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const RESULT_WORDS: Readonly<Record<Verdict['result'], string>> = {
  usable: 'usable',
  'not-usable': 'not usable',
  unreachable: 'no answer',
  key: 'refused',
  quota: 'limit reached',
};

function verdictLines(
  { result, message, warnings }: Verdict,
  snapshot: RouteFinding | undefined,
  paint: Paint,
): string[] {
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  const text = `${message}${warnings.length === 0 ? '' : `; ${count}`}`;
  // A service that fails has answered all the same.
  const fails = result === 'unreachable' && snapshot?.status != null;
  const word = `${fails ? 'no prices' : RESULT_WORDS[result]}: `;
  const [first = '', ...rest] = wrapWords(word + text, WIDTH);
  const painted = paint[result === 'usable' ? 'good' : 'bad'](word.trimEnd());
  return [first.replace(word.trimEnd(), painted), ...rest];
}

/** Text behind a lead; further lines stand under its beginning. */
function hanging(lead: string, text: string, paint: (lead: string) => string): string[] {
  return wrapWords(text, WIDTH - lead.length).map((line, index) =>
    index === 0 ? paint(lead) + line : ' '.repeat(lead.length) + line,
  );
}

/** Beside a label. */
const VALUE_WIDTH = 66;

/** The first group of the doctor's report: the way to the service, and what holds for all its answers. */
function connectionLines(finding: ServiceFinding, now: number, paint: Paint): string[] {
  const { connection, routes } = finding;
  // Of a service that gave no answer at all there is nothing to be said but the way to it.
  const answered = routes.some(({ status }) => status !== null);
  const gaveUp = routes.some(({ outcome }) => outcome === 'not-asked');
  const rows: [string, string | null][] = [
    ['dns', connection?.dns ? stepWords(connection.dns, ({ addresses }) => addresses.join(', ')) : null],
    ['tcp', connection?.tcp ? stepWords(connection.tcp, ({ address }) => address) : null],
    ['tls', tlsWords(finding)],
    ['certificate', certificateWords(finding, now)],
    ['source', sourceWords(finding)],
    ['head', headWords(finding)],
    ['clock', answered ? clockWords(finding) : null],
    ['limits', limitWords(finding)],
    ['description', gaveUp ? null : descriptionWords(finding)],
  ];
  const wrapped = rows.map(
    ([label, value]) => [label, value === null ? null : wrapWords(value, VALUE_WIDTH).join('\n')] as const,
  );
  return [paint.title('connection'), ...labelledLines(wrapped)];
}

function stepWords<Found>(step: Step<Found>, words: (found: Found) => string): string {
  return step.ok ? `${words(step)}  ${step.ms.toFixed(0)} ms` : cleanLine(step.message);
}

function tlsWords({ connection }: ServiceFinding): string | null {
  if (connection === null) return null;
  if (!connection.encrypted) return 'not encrypted: plain http';
  return connection.tls === null ? null : stepWords(connection.tls, ({ protocol }) => protocol);
}

function certificateWords({ connection }: ServiceFinding, now: number): string | null {
  const tls = connection?.tls;
  if (!tls?.ok) return null;
  const trust = tls.trusted ? 'trusted' : `not trusted: ${tls.reason}`;
  return `${tls.subject}, issued by ${tls.issuer}, ${validWords(tls, now)}, ${trust}`;
}

function validWords({ validUntil }: TlsFinding, now: number): string {
  if (validUntil === null) return 'validity not stated';
  const leftSec = (validUntil - now) / 1_000;
  const days = Math.floor(leftSec / 86_400);
  const left = days > 1 ? `${formatCount(days)} days left` : `${formatDuration(leftSec)} left`;
  const distance = leftSec > 0 ? left : formatAge(-leftSec);
  return `valid until ${utcTime(validUntil, 'minutes')} UTC (${distance})`;
}

function sourceWords({ snapshot }: ServiceFinding): string | null {
  if (snapshot === null) return null;
  const badge = { replay: '[REPLAY]', simulated: '[SIMULATED]', rpc: null, service: null }[
    snapshot.sourceKind
  ];
  const chain = snapshot.chainId === null ? 'a chain it does not name' : chainProfile(snapshot.chainId).name;
  return [badge, chain, cleanLine(snapshot.source)].filter((part) => part !== null).join('  ');
}

function headWords({ snapshot, headAgeSec }: ServiceFinding): string | null {
  if (snapshot === null) return null;
  const parts = [
    snapshot.blockNumber === null ? null : `#${formatCount(snapshot.blockNumber)}`,
    headAgeSec === null ? null : formatAge(Math.max(headAgeSec, 0)),
    snapshot.stale ? 'stale' : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
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

function limitWords({ quota }: ServiceFinding): string | null {
  if (quota === null) return null;
  const { dailyLimit, remainingToday } = quota;
  if (dailyLimit === null) return 'no daily limit';
  if (remainingToday === null) return `${formatCount(dailyLimit)} a day`;
  return `${formatCount(remainingToday)} of ${formatCount(dailyLimit)} left today`;
}

function descriptionWords({ description }: ServiceFinding): string | null {
  if (description === null) return 'no OpenAPI document found';
  const name = [description.title, description.version].filter((part) => part !== null).join(' ');
  const routes = description.routes === 1 ? '1 route of v1' : `${description.routes} routes of v1`;
  return `OpenAPI${name === '' ? '' : `, ${name}`}: ${routes}`;
}
