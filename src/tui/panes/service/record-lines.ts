import { keptWords, type RecommendationView } from '../../../client/views/gas.ts';
import { ROUTE_GROUPS, V1_ROUTES } from '../../../contract/routes.ts';
import { formatCount, formatNative, formatPercent, formatUsd, MINUS } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';
import { dayText } from '../../ui/time.ts';
import { indented, partLine, partTitle, phraseLines, type ServiceContext } from './service-parts.ts';

type RecordContext = Pick<ServiceContext, 'recommendation' | 'snapshot' | 'now' | 'offsetAt' | 'width'>;

/** How the service's own advice has held. */
export function recordLines(context: RecordContext): readonly Line[] {
  const { recommendation, snapshot, now, offsetAt, width } = context;
  const late = partLine('advice', recommendation, now);
  if (recommendation.value === null) return [partTitle('Advice', late ?? [])];
  const said = (text: string, faint = false) => [partTitle('Advice', [{ text, faint }])];
  // Prices that are stale are advised on by nobody.
  if (snapshot.stale === true) return said('not stated while prices are stale', true);
  const { track } = recommendation.value;
  const kept = track === null ? null : keptWords(track);
  const rest = late === null ? [] : [indented(late)];
  if (track === null) return [...said('the service does not judge its own advice'), ...rest];
  if (kept === null) return [...said('no advice has come due yet'), ...rest];
  const day = (ms: number) => dayText(ms, offsetAt);
  const of = keptOfWords(track, day);
  const shares = sharesText(track.hitRatio ?? 0, track.statedProbability);
  const waited = waitWords(track, day);
  return [
    ...phraseLines('Advice', [kept, ...(of === '' ? [] : [of]), shares], width),
    ...(waited === null ? [] : phraseLines('', [waited], width)),
    ...rest,
  ];
}

type Track = NonNullable<RecommendationView['track']>;

const sharesText = (hit: number, stated: number | null) =>
  `(${formatPercent(hit)}${stated === null ? '' : `, stated ${formatPercent(stated)}`})`;

const versionsText = (versions: readonly number[]) =>
  versions.length > 1 ? [`by versions ${versions.join(', ')} of its method`] : [];

/** A record is of the last hundred, once there are so many. */
const FULL = 100;

/** How advice to wait has held, a line of its own: `kept 41 of 52 waits since 3 Nov`; `null` where none was judged. */
export function waitWords({ waits }: Track, day: (ms: number) => string): string | null {
  if (waits === null || waits.hitRatio === null || waits.evaluated < 1) return null;
  const { evaluated, hitRatio, statedProbability, since, versions } = waits;
  const last = evaluated < FULL ? '' : 'the last ';
  const noun = evaluated === 1 ? 'wait' : 'waits';
  const from = since === null ? '' : ` since ${day(since)}`;
  const words = [
    `${Math.round(hitRatio * evaluated)} of ${last}${evaluated} ${noun}${from}`,
    ...versionsText(versions),
  ];
  return `kept ${words.join(', ')} ${sharesText(hitRatio, statedProbability)}`;
}

/** What the count is of: `since 3 Nov`, `on past blocks`; empty where the service does not say. */
export function keptOfWords(
  { basis, since, versions, unjudged }: Track,
  day: (ms: number) => string,
): string {
  if (basis === 'walked') return 'on past blocks';
  if (basis !== 'given') return '';
  const want = unjudged === null || unjudged === 0 ? [] : [`${unjudged} not judged for want of blocks`];
  return [...(since === null ? [] : [`since ${day(since)}`]), ...versionsText(versions), ...want].join(', ');
}

/** Alerts, auto-txs and what they saved. */
export function summaryLines({ summary, symbol, now, width }: ServiceContext): readonly Line[] {
  if (summary.value === null) {
    // The source's own lines say why it is not there.
    return summary.problem === null ? [partTitle('Summary', partLine('summary', summary, now) ?? [])] : [];
  }
  const { alerts, autoTxs, savings } = summary.value;
  // Phrases that end in a blank stand apart from the next.
  const phrases: string[] = [];
  if (alerts.total === 0) phrases.push('no alerts yet ');
  else if (alerts.total !== null) {
    const armed = alerts.pending === null ? '' : `, ${formatCount(alerts.pending)} on`;
    const fired = alerts.fired24h === null ? '' : `, ${formatCount(alerts.fired24h)} fired in 24 h`;
    phrases.push(`${counted(alerts.total, 'alert')}${armed}${fired} `);
  }
  const states = statesOf(autoTxs.byStatus);
  if (autoTxs.total === 0) phrases.push('no auto-txs yet ');
  else if (autoTxs.total !== null) {
    const [first = '', ...more] = states.map((state, at) => `${state}${at < states.length - 1 ? ',' : ') '}`);
    phrases.push(`${counted(autoTxs.total, 'auto-tx')} ${first === '' ? '' : `(${first}`}`, ...more);
  }
  const { alerts: supposed, autoTxs: net, savedWei, savedUsd } = savings;
  if (savings.events === 0) phrases.push('nothing saved yet');
  else if (supposed === null || net === null) {
    if (savedWei !== null) phrases.push(`saved ${amountText(savedWei, savedUsd, symbol)}`);
  } else {
    // What is a fact and what is supposed stand together.
    const [fact, guess] = [net, supposed].map((saving) =>
      amountText(saving.savedWei, saving.savedUsd, symbol),
    );
    const parts = [
      ...(net.savedWei !== 0n || supposed.savedWei === 0n ? [`auto-txs saved ${fact}`] : []),
      ...(supposed.savedWei === 0n ? [] : [`alerts could have saved ${guess}`]),
    ];
    const together = parts.join('  ');
    phrases.push(...(together.length < width - 12 ? [together] : parts));
  }
  if (phrases.length > 0) return phraseLines('Summary', phrases, width);
  return [partTitle('Summary', [{ text: 'the service counts no alerts, auto-txs or savings', faint: true }])];
}

function amountText(wei: bigint, usd: number | null, symbol: string): string {
  const sign = wei < 0n ? MINUS : '';
  const dollars = usd === null ? '' : ` (${sign}${formatUsd(Math.abs(usd))})`;
  return `${sign}${formatNative(wei < 0n ? -wei : wei, symbol)}${dollars}`;
}

/** What still comes first, then what went wrong; a service's own words stand between. */
const WEIGHTS = [
  'pending',
  'submitted',
  'failed',
  'draft',
  'disabled',
  '',
  'executed',
  'expired',
  'cancelled',
];

function statesOf(byStatus: Readonly<Record<string, number>>): readonly string[] {
  const weightOf = (status: string) => WEIGHTS.indexOf(WEIGHTS.includes(status) ? status : '');
  return Object.entries(byStatus)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => ({ status: status.toLowerCase(), count }))
    .sort((one, other) => weightOf(one.status) - weightOf(other.status))
    .map(({ status, count }) => `${formatCount(count)} ${status === 'pending' ? 'waiting' : status}`);
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

const MOST_NAMED = 6;

/** What the service says of itself: its title and version, and which of the routes of v1 it lacks. Ours has them all. */
export function routesLines({ description, isOwn, now, width }: ServiceContext): readonly Line[] {
  if (isOwn) return [];
  if (description.value === null) {
    const none = [{ text: 'the service does not describe itself', faint: true }];
    return [
      partTitle('API', description.at === null ? (partLine('description', description, now) ?? []) : none),
    ];
  }
  const { title, version, routes } = description.value;
  const has = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const lacks = V1_ROUTES.filter(({ method, path }) => !has.has(`${method} ${path}`));
  // A group of which everything is lacking is named as a whole, so that the routes that stand alone have room.
  const whole = ROUTE_GROUPS.filter((group) =>
    V1_ROUTES.every((route) => route.group !== group || lacks.includes(route)),
  );
  const single = lacks.filter(({ group }) => !whole.includes(group));
  const named = single.slice(0, MOST_NAMED).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const more = single.length > named.length ? [`and ${single.length - named.length} more`] : [];
  const lacking = [...whole, ...named, ...more].map(
    (name, place) => `${place === 0 ? 'without ' : ''}${name}`,
  );
  const about = [title, version === null ? null : `version ${version}`]
    .filter((part) => part !== null)
    .join(', ');
  const phrases = [...(about === '' ? [] : [about]), ...lacking];
  return phraseLines(
    'API',
    phrases.map((phrase, place) => (place < phrases.length - 1 ? `${phrase},` : phrase)),
    width,
  );
}
