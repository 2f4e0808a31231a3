import { keptWords, type RecommendationView } from '../../../client/views/gas.ts';
import { ROUTE_GROUPS, V1_ROUTES, type V1Route } from '../../../contract/routes.ts';
import { formatCount, formatNative, formatPercent, formatUsd, MINUS } from '../../../core/units.ts';
import { type Line, lineWidth } from '../../ui/text.tsx';
import { dayText } from '../../ui/time.ts';
import { partLine, partTitle } from './source-lines.ts';
import type { ServiceContext, ServiceView } from './use-service.ts';

/** How the service's own advice has held. */
export function recordLines(
  { recommendation, snapshot }: ServiceView,
  { now, offsetAt, width }: ServiceContext,
): readonly Line[] {
  const late = partLine('advice', recommendation, now);
  const advice = recommendation.value;
  if (advice === null) return [partTitle('Advice', late ?? [])];
  // Prices that are stale are advised on by nobody.
  if (snapshot.stale === true)
    return [partTitle('Advice', [{ text: 'not stated while prices are stale', faint: true }])];
  const rest = late === null ? [] : [[{ text: '   ' }, ...late]];
  const { track } = advice;
  if (track === null)
    return [partTitle('Advice', [{ text: 'the service does not judge its own advice' }]), ...rest];
  const kept = keptWords(track);
  if (kept === null) return [partTitle('Advice', [{ text: 'no advice has come due yet' }]), ...rest];
  const stated = track.statedProbability === null ? '' : `, stated ${formatPercent(track.statedProbability)}`;
  const day = (ms: number) => dayText(ms, offsetAt);
  const of = keptOfWords(track, day);
  const waited = waitWords(track, day);
  const more = [...(waited === null ? [] : [[{ text: `   ${waited}`, faint: true }]]), ...rest];
  const shares = `(${formatPercent(track.hitRatio ?? 0)}${stated})`;
  const one = partTitle('Advice', [{ text: `${kept}${of === '' ? '' : ` ${of}`} ${shares}` }]);
  if (of === '' || lineWidth(one) < width) return [one, ...more];
  return [partTitle('Advice', [{ text: `${kept} ${shares}` }]), [{ text: `   ${of}`, faint: true }], ...more];
}

type Track = NonNullable<RecommendationView['track']>;

/** A record is of the last hundred, once there are so many. */
const FULL = 100;

/** How advice to wait has held, a line of its own: `kept 41 of 52 waits since 3 Nov`; `null` where none was judged. */
export function waitWords({ waits }: Track, day: (ms: number) => string): string | null {
  if (waits === null || waits.hitRatio === null || waits.evaluated < 1) return null;
  const { evaluated, hitRatio, statedProbability, since, versions } = waits;
  const last = evaluated < FULL ? '' : 'the last ';
  const noun = evaluated === 1 ? 'wait' : 'waits';
  const from = since === null ? '' : ` since ${day(since)}`;
  const by = versions.length > 1 ? `, by versions ${versions.join(', ')} of its method` : '';
  const stated = statedProbability === null ? '' : `, stated ${formatPercent(statedProbability)}`;
  return `kept ${Math.round(hitRatio * evaluated)} of ${last}${evaluated} ${noun}${from}${by} (${formatPercent(hitRatio)}${stated})`;
}

/** What the count is of: `since 3 Nov`, `on past blocks`; empty where the service does not say. */
export function keptOfWords(
  { basis, since, versions, unjudged }: Track,
  day: (ms: number) => string,
): string {
  if (basis === 'walked') return 'on past blocks';
  if (basis !== 'given') return '';
  const parts = since === null ? [] : [`since ${day(since)}`];
  if (versions.length > 1) parts.push(`by versions ${versions.join(', ')} of its method`);
  if (unjudged !== null && unjudged > 0) parts.push(`${unjudged} not judged for want of blocks`);
  return parts.join(', ');
}

/** Alerts, auto-txs and what they saved. */
export function summaryLines(
  { summary, symbol }: ServiceView,
  { now, width }: ServiceContext,
): readonly Line[] {
  if (summary.value === null) {
    // The source's own lines say why it is not there.
    return summary.problem === null ? [] : [partTitle('Summary', partLine('summary', summary, now) ?? [])];
  }
  const { alerts, autoTxs, savings } = summary.value;
  const parts: string[] = [];
  const saved: string[] = [];
  if (alerts.total === 0) parts.push('no alerts yet');
  else if (alerts.total !== null) {
    const fired = alerts.fired24h === null ? '' : `, ${formatCount(alerts.fired24h)} fired in 24 h`;
    const armed = alerts.pending === null ? '' : `, ${formatCount(alerts.pending)} on`;
    parts.push(`${counted(alerts.total, 'alert')}${armed}${fired}`);
  }
  const states = statesOf(autoTxs.byStatus);
  const countedTxs = (named: number): readonly string[] => {
    if (autoTxs.total === null) return [];
    if (autoTxs.total === 0) return ['no auto-txs yet'];
    const words = named === 0 ? '' : ` (${states.slice(0, named).join(', ')})`;
    return [`${counted(autoTxs.total, 'auto-tx')}${words}`];
  };
  if (savings.events === 0) saved.push('nothing saved yet');
  else if (savings.alerts === null || savings.autoTxs === null) {
    if (savings.savedWei !== null)
      saved.push(`saved ${amountText(savings.savedWei, savings.savedUsd, symbol)}`);
  } else {
    const { alerts: supposed, autoTxs: net } = savings;
    if (net.savedWei !== 0n || supposed.savedWei === 0n)
      saved.push(`auto-txs saved ${amountText(net.savedWei, net.savedUsd, symbol)}`);
    if (supposed.savedWei !== 0n)
      saved.push(`alerts could have saved ${amountText(supposed.savedWei, supposed.savedUsd, symbol)}`);
  }
  // What is a fact and what is supposed stand together, on a line of their own.
  const together = (named: number, apart: boolean) =>
    [...parts, ...countedTxs(named), ...(apart ? [] : saved)].join('  ');
  const titled = (text: string) => partTitle('Summary', [{ text }]);
  const isApart = saved.length > 1 || lineWidth(titled(together(0, false))) >= width;
  const lineWith = (named: number) => together(named, isApart);
  const line = (named: number) => titled(lineWith(named));
  if (lineWith(0) === '') {
    return [
      partTitle('Summary', [{ text: 'the service counts no alerts, auto-txs or savings', faint: true }]),
    ];
  }
  // What was saved is not pushed off the line by the states that matter least.
  let named = states.length;
  while (named > 0 && lineWidth(line(named)) >= width) named -= 1;
  const rest = saved.join('  ').length + 3 < width ? [saved.join('  ')] : saved;
  return [line(named), ...(isApart ? rest : []).map((text): Line => [{ text: `   ${text}`, faint: true }])];
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
  const weightOf = (status: string) =>
    WEIGHTS.includes(status) ? WEIGHTS.indexOf(status) : WEIGHTS.indexOf('');
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
export function routesLines(
  { description, isOwn }: ServiceView,
  { now, width }: ServiceContext,
): readonly Line[] {
  if (isOwn) return [];
  const said = description.value;
  if (said === null) {
    if (description.at !== null) {
      return [partTitle('API', [{ text: 'the service does not describe itself', faint: true }])];
    }
    return [partTitle('API', partLine('description', description, now) ?? [])];
  }
  const { title, version, routes } = said;
  const has = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const lacks = V1_ROUTES.filter(({ method, path }) => !has.has(`${method} ${path}`));
  const name = [title, version === null ? null : `version ${version}`]
    .filter((part) => part !== null)
    .join(', ');
  const line = (text: string) => partTitle('API', [{ text }]);
  if (lacks.length === 0) return name === '' ? [] : [line(name)];
  const lacking = namesOf(lacks);
  const one = line(`${name === '' ? '' : `${name}, `}without ${lacking.join(', ')}`);
  if (lineWidth(one) < width) return [one];
  return [line(name), ...flowed('without ', lacking, width)];
}

/** A group of which everything is lacking is named as a whole, so that the routes that stand alone have room. */
function namesOf(lacks: readonly V1Route[]): readonly string[] {
  const all = (group: V1Route['group']) => V1_ROUTES.filter((route) => route.group === group).length;
  const whole = ROUTE_GROUPS.filter(
    (group) => lacks.filter((route) => route.group === group).length === all(group),
  );
  const single = lacks.filter(({ group }) => !whole.includes(group));
  const named = single.slice(0, MOST_NAMED).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const more = single.length > named.length ? [`and ${single.length - named.length} more`] : [];
  return [...whole.map((group) => group), ...named, ...more];
}

/** `words` over as many lines as they need. */
function flowed(label: string, words: readonly string[], width: number): readonly Line[] {
  const lines: { text: string; faint: boolean }[][] = [];
  let line = [{ text: `   ${label}`, faint: true }];
  for (const [place, word] of words.entries()) {
    const text = `${word}${place === words.length - 1 ? '' : ', '}`;
    if (lineWidth(line) + text.length > width - 1) {
      lines.push(line);
      line = [{ text: '   ', faint: true }];
    }
    line.push({ text, faint: true });
  }
  return [...lines, line];
}
