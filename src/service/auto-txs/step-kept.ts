import { type AutoTxEvent, stepAutoTx } from '../../core/auto-txs/auto-tx-rule.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { AutoTxChange } from '../../store/auto-tx-change.ts';
import type { AutoTxChanged } from '../../store/auto-tx-decision.ts';
import { type EngineContext, ruleFacts } from './engine-context.ts';

/** What else of an auto-tx an event brings along. */
export type Beside = Partial<Pick<KeptAutoTx, 'checks' | 'checkedAt' | 'dayMeanPrice' | 'nativeUsd'>>;

/** What an event makes of one; `null`: it may not happen to it, or changes nothing. */
export function stepKept(
  kept: KeptAutoTx,
  event: AutoTxEvent,
  context: EngineContext,
  beside: Beside = {},
): AutoTxChange | null {
  const facts = ruleFacts(context, kept);
  const next = stepAutoTx(kept.state, event, facts);
  if (next === null) return null;
  const isSame = JSON.stringify(withoutWei(next.state)) === JSON.stringify(withoutWei(kept.state));
  if (isSame && next.notes.length === 0 && Object.keys(beside).length === 0) return null;
  return {
    autoTx: { ...kept, ...beside, state: next.state, updatedAt: facts.now },
    notes: next.notes,
    at: facts.now,
  };
}

/** An inclusion is told by its block. */
const withoutWei = (state: KeptAutoTx['state']) => ({
  ...state,
  inclusion: state.inclusion?.blockHash ?? null,
});

/** Has an event happen to one, in a transaction of its own, as whatever it is by then. */
export function happen(
  { id, owner, signed }: KeptAutoTx,
  event: AutoTxEvent,
  context: EngineContext,
  beside?: Beside,
): Promise<AutoTxChanged | null> {
  // What was learned is of what was signed then.
  const decide = (kept: KeptAutoTx) =>
    kept.signed?.hash === signed?.hash ? stepKept(kept, event, context, beside) : null;
  return context.store.change({ owner, id }, decide, 'engine');
}
