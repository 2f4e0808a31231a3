import type { GasRecommendation } from '../../contract/gas.ts';
import type { Recommendation } from '../../core/advice.ts';
import { ADVICE_VERSION } from '../../core/given-advice.ts';
import type { SaidCount, SaidScore } from '../../store/track-store.ts';
import { isoFromSec } from './wire.ts';

/** Fewer that were really said tell less than a walk over the blocks before. */
const LEAST_SAID = 20;

/** The record of what was said; until there is enough of it that of the engine's walk over history, and it says so. */
export function trackOf(said: SaidScore | null, walked: Recommendation['track']): GasRecommendation['track'] {
  if (said === null || said.since === null || said.evaluated < LEAST_SAID) {
    return { ...walked, from: 'walked', since: null, versions: [ADVICE_VERSION], unjudged: 0, waits: null };
  }
  return {
    ...counted(said),
    from: 'said',
    unjudged: said.unjudged,
    waits: counted(said.waits),
  };
}

function counted({ evaluated, kept, statedProbability, since, versions }: SaidCount) {
  return {
    evaluated,
    hitRatio: evaluated === 0 ? null : kept / evaluated,
    statedProbability,
    since: since === null ? null : isoFromSec(since),
    versions: [...versions],
  };
}
