import type { AutoTxView } from './views/auto-txs.ts';

/** Whether nodes may have it, whatever is decided of it now. Of a service that does not say: whether it was ever sent. */
export function mayBeMined({ mayBeMined: said, attempts, submittedAt }: AutoTxView): boolean {
  return said ?? (submittedAt !== null || (attempts ?? 0) > 0);
}
