import { gasCheck, isGasCode } from '../../core/auto-txs/gas-check.ts';
import { type KeptAutoTx, transactionOf } from '../../core/auto-txs/kept-auto-tx.ts';
import type { AutoTxEvent } from '../../core/auto-txs/state-machine.ts';
import { rulesOfNextBlock } from '../../core/chain-rules.ts';
import type { AutoTxChange } from '../../store/auto-txs.ts';
import { type EngineContext, stepKept, withBytes } from './broadcast.ts';
import { gasFactsAt, withAccounts } from './gas-facts.ts';

const PAGE = 200;
/** Accounts that are asked for at once when rules change; of others that is done before they are sent. */
const ACCOUNTS_MOST = 200;

/**
 * Judges the gas of all waiting auto-txs by the rules of the next block, whenever those change: one that is no longer
 * enough is held before it is sent, and freed by a reorg that takes the fork back. Also reads the parts of those that an
 * older program has stored.
 */
export function createGasPass(context: EngineContext) {
  const { store, source, present, profile } = context;
  let judgedBy = '';

  /** The rules of the next block as text; `null` while they are not known. */
  function rulesKey(): string | null {
    const [now, chain] = [present(), profile()];
    if (now === null || chain === null) return null;
    const { rules } = now;
    if (rules.rules === 'unknown' && rules.source === 'none') return null;
    const next = rulesOfNextBlock(rules, now.head.timestamp, chain.feeRule.blockTimeSec);
    return `${next} ${rules.next?.at} ${rules.next?.kind}`;
  }

  async function judge(seen: KeptAutoTx, mayAsk: boolean): Promise<boolean> {
    const [now, chain, transaction] = [present(), profile(), transactionOf(seen)];
    if (now === null || chain === null || transaction === null) return false;
    // Its authorizations are not stored.
    const isWhole = transaction.parts !== null && transaction.type !== 4;
    const whole = isWhole ? transaction : withBytes(transaction, await store.signedBytes(seen.id));
    const toJudge = { transaction: whole, order: seen.order };
    // A block's limit is no rule, and may be another by then.
    const plain = { ...gasFactsAt(now.head, now.rules, chain), blockGasLimit: null };
    const gas = mayAsk ? await withAccounts(source, plain, toJudge) : plain;
    const check = { name: 'intrinsic-gas', ...gasCheck({ ...toJudge, gas }) };
    const decide = (kept: KeptAutoTx): AutoTxChange | null => {
      if (kept.signed === null || kept.signed.hash !== transaction.hash) return null;
      const before = kept.checks.find(({ name }) => name === check.name);
      const isSame = before?.message === check.message && before.result === check.result;
      if (isSame && kept.signed.parts !== null) return null;
      const checks = kept.checks.map((each) => (each.name === check.name ? check : each));
      const at = context.wallNow();
      const judged = { ...kept, signed: { ...kept.signed, parts: whole.parts }, checks, checkedAt: at };
      const obstacle = { code: check.code ?? check.name, message: check.message };
      const event: AutoTxEvent | null =
        check.result === 'block'
          ? { type: 'hold', obstacle, retryAt: at }
          : isGasCode(kept.state.hold?.code)
            ? { type: 'release', message: 'its gas limit is enough again' }
            : null;
      const stepped = event && stepKept(judged, event, context, { checks, checkedAt: at });
      return stepped ?? { autoTx: { ...judged, updatedAt: kept.updatedAt }, notes: [], at };
    };
    // Most are as they were: no write waits for the disk.
    if (decide(seen) !== null) await store.change(seen, decide, 'engine');
    return gas !== plain;
  }

  return {
    /** Rejects with a `StoreError`. */
    async run(signal: AbortSignal): Promise<void> {
      const key = rulesKey();
      if (key === null || key === judgedBy) return;
      let asked = 0;
      for (let after = ''; !signal.aborted; ) {
        const page = await store.waitingAfter(after, PAGE);
        for (const kept of page) {
          if (signal.aborted) return;
          if (await judge(kept, asked < ACCOUNTS_MOST)) asked += 1;
        }
        after = page.at(-1)?.id ?? '';
        if (page.length < PAGE) break;
      }
      // A block may have changed them meanwhile.
      if (!signal.aborted) judgedBy = key;
    },
  };
}
