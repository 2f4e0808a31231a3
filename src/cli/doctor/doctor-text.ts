import type { RouteFinding, ServiceFinding, Verdict } from '../../client/doctor.ts';
import type { AnswerReading } from '../../client/probe/judge-answer.ts';
import { ROUTE_GROUPS } from '../../contract/routes.ts';
import { type Paint, paints } from '../paint.ts';
import { wrapWords } from '../wrap-words.ts';
import { connectionLines } from './doctor-connection-text.ts';
import type { DoctorSubject } from './doctor-subject.ts';

const WIDTH = 80;
const ROUTE_WIDTH = 25;
const INDENT = '    ';
/** Names of fields in one line of the report; the rest is counted. `--json` has them all. */
const MOST_NAMES = 12;

export interface TextOptions {
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
      if (reading.match === 'letter') return [`to the letter, ${found.length} fields`, 'good'];
      if (reading.match === 'extended') return [`to the letter and more, ${found.length} fields`, 'good'];
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

function fieldCount({ found, missing, senseless }: AnswerReading): number {
  return found.length + missing.length + senseless.length;
}

const UNIT_WORDS: Readonly<Record<AnswerReading['prices'], string | null>> = {
  contract: null,
  named: null,
  wei: 'prices taken for wei, by their size',
  gwei: 'prices taken for gwei, by their size',
  mixed: null,
};

function readingLines(reading: AnswerReading): (string | null)[] {
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
