import { abortable } from '../../chain/async.ts';
import { type GasFacts, gasCheck, gasFactsAt, isGasCode } from '../../core/auto-txs/gas-check.ts';
import { gasObstacleOf } from '../../core/auto-txs/preflight.ts';
import type { AutoTxEvent } from '../../core/auto-txs/state-machine.ts';
import { type AutoTxStep, type StoredAutoTx, transactionOf } from '../../core/auto-txs/stored-auto-tx.ts';
import { areUntold, rulesOfNextBlock } from '../../core/chain-rules.ts';
import { withAccounts, withBytes } from './preflight-facts.ts';
import { type SenderContext, stepNow } from './sender-parts.ts';

const PAGE = 200;
/** How long it asks for accounts, as what is due waits meanwhile; for those that are left, that is done before they are sent. */
const ASKS_FOR_MS = 3_000;

/**
 * Judges the gas of all waiting auto-txs by the rules of the next block, whenever those change: one that is no longer
 * enough is held before it is sent, and freed by a reorg that takes the fork back. Also reads the parts of those that an
 * older program has stored, and their size where L1 charges for it.
 */
export function createGasPass(context: SenderContext) {
  const { store, source, freshChain, profile } = context;
  let judgedBy = '';

  async function judge(seen: StoredAutoTx, gasFacts: GasFacts, asking: AbortSignal): Promise<void> {
    const transaction = transactionOf(seen);
    if (transaction === null) return;
    const isSized = transaction.compressedSize != null || profile()?.dataFee === undefined;
    // Its authorizations are not stored.
    const isWhole = transaction.parts !== null && transaction.type !== 4 && isSized;
    const whole = isWhole ? transaction : withBytes(transaction, await store.signedBytes(seen.id));
    const toJudge = { transaction: whole, order: seen.order };
    const gas = asking.aborted
      ? gasFacts
      : await abortable(withAccounts(source, gasFacts, toJudge), asking).catch(() => gasFacts);
    const check = { name: 'intrinsic-gas', ...gasCheck({ ...toJudge, gas }) };
    const decide = (stored: StoredAutoTx): AutoTxStep | null => {
      if (stored.signed === null || stored.signed.hash !== transaction.hash) return null;
      const before = stored.checks.find(({ name }) => name === check.name);
      const isSame = before?.message === check.message && before.result === check.result;
      if (isSame && stored.signed.parts !== null && isSized) return null;
      const checks = stored.checks.map((each) => (each.name === check.name ? check : each));
      const at = context.wallNow();
      const { parts, compressedSize } = whole;
      const signed = { ...stored.signed, parts, compressedSize };
      const judged = { ...stored, signed, checks, checkedAt: at };
      const obstacle = gasObstacleOf([check]);
      const event: AutoTxEvent | null =
        obstacle !== null
          ? { type: 'hold', obstacle, retryAt: at }
          : isGasCode(stored.state.hold?.code)
            ? { type: 'release', message: 'its gas limit is enough again' }
            : null;
      const stepped = event && stepNow(judged, event, context);
      return stepped ?? { autoTx: { ...judged, updatedAt: stored.updatedAt }, notes: [], at };
    };
    // Most are as they were: no write waits for the disk.
    if (decide(seen) !== null) await store.change(seen, decide, 'leader');
  }

  /** Rejects with a `StoreError`. */
  return async (signal: AbortSignal): Promise<void> => {
    // One moment for all: the rules may change meanwhile, and be unknown while a block comes.
    const [fresh, chain] = [freshChain(), profile()];
    if (fresh === null || chain === null || areUntold(fresh.rules)) return;
    // A block's limit is no rule, and may be another by then.
    const gasFacts = { ...gasFactsAt(fresh, chain, context.wallNow()), blockGasLimit: null };
    const { rules, nextTime } = gasFacts;
    const key = `${rulesOfNextBlock(rules, nextTime)} ${rules.next?.at} ${rules.next?.kind}`;
    if (key === judgedBy) return;
    const asking = AbortSignal.timeout(ASKS_FOR_MS);
    for (let after = ''; !signal.aborted; ) {
      const page = await store.waitingAfter(after, PAGE);
      for (const stored of page) {
        if (signal.aborted) return;
        await judge(stored, gasFacts, asking);
      }
      after = page.at(-1)?.id ?? '';
      if (page.length < PAGE) break;
    }
    if (!signal.aborted) judgedBy = key;
  };
}
