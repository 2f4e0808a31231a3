import type { DashboardView } from '../../../client/views/dashboard.ts';
import { keptWords, type RecommendationView } from '../../../client/views/gas.ts';
import { formatCount, formatNative, formatPercent, formatUsd, MINUS } from '../../../core/units.ts';
import { faint, type Line } from '../../ui/text.tsx';
import { dayText } from '../../ui/time.ts';
import { indented, partTitle, phraseLines, type ServiceContext, stateOf } from './service-parts.ts';

type RecordContext = Pick<
  ServiceContext,
  'recommendation' | 'snapshot' | 'now' | 'isPast' | 'offsetAt' | 'width'
>;

export function recordLines(context: RecordContext): readonly Line[] {
  const { recommendation, snapshot, offsetAt, width } = context;
  const late = stateOf('advice', recommendation, context);
  if (recommendation.data === undefined) return [partTitle('Advice', late[0])];
  // Stale prices have no advice.
  if (snapshot.stale === true) {
    return [partTitle('Advice', [faint('not stated while prices are stale')])];
  }
  const { track } = recommendation.data;
  const day = (ms: number) => dayText(ms, offsetAt);
  const record = track === null ? ['the service does not judge its own advice'] : recordPhrases(track, day);
  return [
    ...phraseLines('Advice', record.length === 0 ? ['no advice has come due yet'] : record, width),
    ...(track === null || record.length === 0 ? [] : phraseLines('', waitRecord(track, day), width)),
    ...late.map(indented),
  ];
}

type Track = NonNullable<RecommendationView['track']>;
type DayText = (ms: number) => string;

const sharesText = (hit: number, stated: number | null) =>
  `(${formatPercent(hit)}${stated === null ? '' : `, stated ${formatPercent(stated)}`})`;

const versionsText = (versions: readonly number[]) =>
  versions.length > 1 ? [`by versions ${versions.join(', ')} of its method`] : [];

/** `given 100, kept 92`, `since 3 Nov`, `(92 %, stated 90 %)`; empty when nothing was judged. */
export function recordPhrases(track: Track, day: DayText): readonly string[] {
  const kept = keptWords(track);
  if (kept === null) return [];
  const of = keptOfWords(track, day);
  return [kept, ...(of === '' ? [] : [of]), sharesText(track.hitRatio ?? 0, track.statedProbability)];
}

/** The record covers the last hundred, once there are as many. */
const FULL = 100;

/** The record of advice to wait, as one phrase: `kept 41 of 52 waits since 3 Nov`; empty when none was judged. */
export function waitRecord({ waits }: Track, day: DayText): readonly string[] {
  if (waits === null || waits.hitRatio === null || waits.evaluated < 1) return [];
  const { evaluated, hitRatio, statedProbability, since, versions } = waits;
  const last = evaluated < FULL ? '' : 'the last ';
  const noun = evaluated === 1 ? 'wait' : 'waits';
  const from = since === null ? '' : ` since ${day(since)}`;
  const count = `${Math.round(hitRatio * evaluated)} of ${last}${evaluated} ${noun}${from}`;
  return [`kept ${[count, ...versionsText(versions)].join(', ')} ${sharesText(hitRatio, statedProbability)}`];
}

/** The basis of the count: `since 3 Nov`, `on past blocks`; empty when unknown. */
function keptOfWords({ basis, since, versions, unjudged }: Track, day: DayText): string {
  if (basis === 'walked') return 'on past blocks';
  if (basis !== 'given') return '';
  const want = unjudged === null || unjudged === 0 ? [] : [`${unjudged} not judged for want of blocks`];
  return [...(since === null ? [] : [`since ${day(since)}`]), ...versionsText(versions), ...want].join(', ');
}

export function summaryLines(context: ServiceContext): readonly Line[] {
  const { summary, symbol, width } = context;
  if (summary.data === undefined) {
    // The source's own lines give the reason.
    return summary.error === null ? [partTitle('Summary', stateOf('summary', summary, context)[0])] : [];
  }
  const { alerts, autoTxs, savings } = summary.data;
  // A phrase that ends in a blank is separated from the next.
  const phrases: string[] = [];
  if (alerts.total === 0) phrases.push('no alerts yet ');
  else if (alerts.total !== null) {
    const armed = alerts.pending === null ? '' : `, ${formatCount(alerts.pending)} on`;
    const fired = alerts.fired24h === null ? '' : `, ${formatCount(alerts.fired24h)} fired in 24 h`;
    phrases.push(`${counted(alerts.total, 'alert')}${armed}${fired} `);
  }
  if (autoTxs.total === 0) phrases.push('no auto-txs yet ');
  else if (autoTxs.total !== null) {
    const states = statesOf(autoTxs.byStatus);
    const [first, ...more] = states.map((state, at) => `${state}${at < states.length - 1 ? ',' : ') '}`);
    phrases.push(`${counted(autoTxs.total, 'auto-tx')} ${first === undefined ? '' : `(${first}`}`, ...more);
  }
  phrases.push(...savingPhrases(savings, symbol, width));
  if (phrases.length > 0) return phraseLines('Summary', phrases, width);
  return [partTitle('Summary', [faint('the service counts no alerts, auto-txs or savings')])];
}

type Savings = DashboardView['savings'];

function savingPhrases(savings: Savings, symbol: string, width: number): readonly string[] {
  const { alerts, autoTxs, savedWei, savedUsd } = savings;
  if (savings.events === 0) return ['nothing saved yet'];
  if (alerts === null || autoTxs === null) {
    return savedWei === null ? [] : [`saved ${amountText(savedWei, savedUsd, symbol)}`];
  }
  // Savings of auto-txs are facts, those of alerts estimates: shown together.
  const [fact, guess] = [autoTxs, alerts].map((of) => amountText(of.savedWei, of.savedUsd, symbol));
  const parts = [
    ...(autoTxs.savedWei !== 0n || alerts.savedWei === 0n ? [`auto-txs saved ${fact}`] : []),
    ...(alerts.savedWei === 0n ? [] : [`alerts could have saved ${guess}`]),
  ];
  const together = parts.join('  ');
  return together.length < width - 12 ? [together] : parts;
}

function amountText(wei: bigint, usd: number | null, symbol: string): string {
  const sign = wei < 0n ? MINUS : '';
  const dollars = usd === null ? '' : ` (${sign}${formatUsd(Math.abs(usd))})`;
  return `${sign}${formatNative(wei < 0n ? -wei : wei, symbol)}${dollars}`;
}

/** Upcoming statuses first, then failures; unknown ones in between. */
const WEIGHTS = 'pending submitted failed draft disabled other executed expired cancelled'.split(' ');

function statesOf(byStatus: Readonly<Record<string, number>>): readonly string[] {
  const weightOf = (status: string) => WEIGHTS.indexOf(WEIGHTS.includes(status) ? status : 'other');
  return Object.entries(byStatus)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => ({ status: status.toLowerCase(), count }))
    .sort((one, other) => weightOf(one.status) - weightOf(other.status))
    .map(({ status, count }) => `${formatCount(count)} ${status === 'pending' ? 'waiting' : status}`);
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
