import type { SnapshotView } from './views/snapshot.ts';

/** Whether its source could not be reached since, so that nobody knows what the prices are now. A chain that makes no block stands still instead. */
export function isPast({ stale, source: { problem } }: Pick<SnapshotView, 'stale' | 'source'>): boolean {
  return stale && problem !== null && problem.retryAt !== null;
}
