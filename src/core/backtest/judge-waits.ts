import type { Action } from '../advice.ts';
import type { Past } from './past.ts';

/** An advice to wait for a price. Shares 0 to 1, seconds. */
export interface Waiting {
  /** Which block it was said at, by its place in the recording. */
  readonly at: number;
  readonly action: Exclude<Action, 'SEND_NOW'>;
  readonly price: number;
  readonly deadlineSec: number;
  readonly probability: number;
  readonly expectedSaving: number;
}

/** What came of the advice to wait. Shares 0 to 1. */
export interface WaitScore {
  readonly action: Waiting['action'];
  /** Times it was given and its time was over when the recording was. */
  readonly judged: number;
  /** Of all blocks whose advice was judged. */
  readonly share: number;
  readonly stated: number;
  /** Share of prices that were reached in time. */
  readonly kept: number;
  /** Mean saving that was promised, misses counted. */
  readonly expectedSaving: number;
  /** Mean saving against the next block's price; a miss pays what the last block before the deadline asked for. */
  readonly saving: number;
}

/** Scores each kind of waiting that was advised at all, `WAIT` first. @param blocks how many were advised after. */
export function judgeWaits(past: Past, waits: readonly Waiting[], blocks: number): WaitScore[] {
  return (['WAIT', 'SET_ALERT'] as const).flatMap((action) => {
    const judged = waits
      .filter((wait) => wait.action === action)
      .flatMap((wait) => outcomeOf(past, wait) ?? []);
    if (judged.length === 0) return [];
    const mean = (of: (outcome: Outcome) => number) =>
      judged.reduce((sum, outcome) => sum + of(outcome), 0) / judged.length;
    return [
      {
        action,
        judged: judged.length,
        share: judged.length / blocks,
        stated: mean(({ wait }) => wait.probability),
        kept: mean(({ isReached }) => (isReached ? 1 : 0)),
        expectedSaving: mean(({ wait }) => wait.expectedSaving),
        saving: mean(({ saving }) => saving),
      },
    ];
  });
}

interface Outcome {
  readonly wait: Waiting;
  readonly isReached: boolean;
  readonly saving: number;
}

/** `null` while its time is not over, or where no block came in it: there was nothing to wait for. */
function outcomeOf(past: Past, wait: Waiting): Outcome | null {
  const timeOf = (at: number) => past.time[at] ?? 0;
  const until = timeOf(wait.at) + wait.deadlineSec;
  const first = wait.at + 1;
  if (until >= timeOf(past.length - 1) || timeOf(first) > until) return null;
  let at = first;
  while (timeOf(at + 1) <= until && (past.price[at] ?? 0) > wait.price) at += 1;
  const paid = past.price[at] ?? 0;
  // As in the lanes: a price of 0 counts as 1 wei, on either side.
  return {
    wait,
    isReached: paid <= wait.price,
    saving: 1 - Math.max(paid, 1) / Math.max(past.price[first] ?? 1, 1),
  };
}
