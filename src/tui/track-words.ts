import type { RecommendationView } from '../client/views.ts';

type Track = NonNullable<RecommendationView['track']>;

/** How advice has held, on one line: `kept 92 of the last 100`; `null` where nothing has been judged yet. */
export function keptWords({ evaluated, hitRatio, from }: Track, narrow: boolean): string | null {
  if (hitRatio === null || evaluated < 1) return null;
  const count = `${Math.round(hitRatio * evaluated)} of ${narrow ? '' : 'the last '}${evaluated}`;
  // What was never said was not kept either.
  return from === 'walked' ? `would ${narrow ? 'keep' : 'have kept'} ${count}` : `kept ${count}`;
}

/** What the count is of: `that it gave since 3 Nov`, `on the blocks before`; empty where the service does not say. */
export function keptOfWords({ from, since, versions, unjudged }: Track, day: (ms: number) => string): string {
  if (from === 'walked')
    return 'on the blocks before, by its present method: too few that it gave are judged yet';
  if (from !== 'said') return '';
  const parts = [since === null ? 'that it gave' : `that it gave since ${day(since)}`];
  if (versions.length > 1) parts.push(`by versions ${versions.join(', ')} of its method`);
  if (unjudged !== null && unjudged > 0) parts.push(`${unjudged} not judged for want of blocks`);
  return parts.join(', ');
}
