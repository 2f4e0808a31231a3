import type { RecommendationView } from '../client/views/gas.ts';
import { formatPercent } from '../core/units.ts';

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
