import type { ReachView } from '../../../client/views/gas.ts';
import { formatDuration, formatLikelihood } from '../../../core/units.ts';

/** What a service says of one time; `reach` is `null` where it says nothing, or not yet. */
export interface ReachWithin {
  readonly withinSec: number;
  readonly reach: ReachView | null;
}

/** `likely reached: 35 % within 1h, 92 % within 1d`, or why nobody knows; `null`: nothing is said. */
export function reachWords(answers: readonly ReachWithin[]): string | null {
  const known = answers.flatMap(({ withinSec, reach }) =>
    reach?.probability == null
      ? []
      : [`${formatLikelihood(reach.probability)} within ${formatDuration(withinSec)}`],
  );
  const [unknown] = answers.flatMap(({ withinSec, reach }) =>
    reach?.probability == null && reach?.reason != null ? [{ withinSec, reason: reach.reason }] : [],
  );
  if (unknown === undefined) return known.length === 0 ? null : `likely reached: ${known.join(', ')}`;
  if (known.length === 0) return `how likely it is reached is not known: ${unknown.reason}`;
  return `likely reached: ${known.join(', ')}; within ${formatDuration(unknown.withinSec)} not known: ${unknown.reason}`;
}
