import type { SnapshotView } from '../../../client/views.ts';

/** What ages are counted from, ms: a recording has a present of its own. */
export function presentOf({ source, blockTimestamp }: SnapshotView, now: number): number {
  return source.kind === 'replay' ? (blockTimestamp ?? now) : now;
}

/** Why no transactions can be seen here; `null`: they can. */
export function noTransactions({ source }: SnapshotView): string | null {
  if (source.kind === 'replay') return 'a recording holds no transactions; its blocks can be looked up';
  if (source.kind === 'simulated') return 'the simulation holds no transactions; its blocks can be looked up';
  return null;
}
