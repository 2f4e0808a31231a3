import { sleep } from '../../chain/async.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import { type AlertRule, type DollarBasis, noPast } from '../../core/alerts/alert-rule.ts';
import type { ChainRulesName } from '../../core/chain-rules.ts';
import type { ChainProfile } from '../../core/chains.ts';
import { type DataFees, NO_DATA_FEES } from '../../core/data-fee.ts';
import {
  effectivePrice,
  NO_BLOB_HISTORY,
  type PaidWork,
  type PriceOrReason,
  type RelativeThreshold,
  type ThresholdBasis,
} from '../../core/threshold/threshold.ts';
import { usualBasis } from '../../core/threshold/usual-basis.ts';
import type { AlertStore } from '../../store/alerts.ts';
import type { HistoryStore } from '../../store/history.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import type { IngestedChain } from '../follow/ingested-chain.ts';
import type { CoinPrice } from '../published-chain.ts';

/** How long the coin's price and the data fees are waited for. */
const FIRST_MS = 3_000;

interface RuleBasisParts {
  readonly source: ChainSource;
  readonly alerts: Pick<AlertStore, 'hasDollarRules'>;
  readonly profile: () => ChainProfile | null;
  readonly coinPrice: () => CoinPrice;
  /** Resolves once the coin's price was requested; also where it is unknown. */
  readonly coinRequested: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export type RuleBasis = ReturnType<typeof createRuleBasis>;

/** What rules in dollars are priced by: the coin's price, what work takes by the rules of the head, and what L1 takes. */
export function createRuleBasis(parts: RuleBasisParts) {
  const { source, alerts, profile, coinRequested, onError, signal } = parts;
  let fees: DataFees | null = null;
  let reading: Promise<void> | null = null;
  let isReady = false;
  let last: DollarBasis | null = null;

  /** Of the head. Never rejects. */
  const readFees = () => {
    reading ??= dataFeesOf(source, profile(), true).then((read) => {
      fees = read;
      reading = null;
    });
    return reading;
  };

  const hasRules = () =>
    alerts.hasDollarRules().catch((error: unknown) => {
      onError(error);
      return true;
    });

  const request = () => Promise.race([Promise.all([coinRequested(), readFees()]), sleep(FIRST_MS, signal)]);

  function basis(rules: ChainRulesName, price: bigint): DollarBasis {
    const known = profile()?.dataFee === undefined ? NO_DATA_FEES : fees;
    const coin = parts.coinPrice();
    // Another one whenever the fee of any work is.
    const dependsOnPrice = Object.values(known?.quotes ?? {}).some(({ kind }) => kind === 'total');
    const key = JSON.stringify([coin, rules, known, dependsOnPrice && price], (_, each: unknown) =>
      typeof each === 'bigint' ? String(each) : each,
    );
    if (last?.key === key) return last;
    const { gasOf, dataFeeOf } = known === null ? UNKNOWN : usualBasis(rules, known, price);
    last = { key, ...coin, gasOf: once(gasOf), dataFeeOf: once(dataFeeOf), pastPrice: noPast };
    return last;
  }

  return {
    /**
     * As it is known at a block. `null` until it was requested.
     * @param price of the average lane, wei per gas
     */
    at(rules: ChainRulesName, price: bigint): DollarBasis | null {
      if (!isReady) return null;
      if (profile()?.dataFee !== undefined) void hasRules().then((has) => (has ? readFees() : undefined));
      return basis(rules, price);
    },
    /** Resolves once it was requested, where there are rules that need it; at the latest after three seconds. */
    async ready(): Promise<void> {
      if (isReady || !(await hasRules())) return;
      await request();
      isReady = true;
    },
    /** Of this moment, for a rule that is given now. */
    async now(rules: ChainRulesName, price: bigint): Promise<DollarBasis> {
      await request();
      return basis(rules, price);
    },
  };
}

const UNKNOWN = { gasOf: () => null, dataFeeOf: () => null };

/** Works out each work once: its bytes are compressed for that. */
function once<Result>(of: (work: PaidWork) => Result): (work: PaidWork) => Result {
  const known = new Map<string | number, Result>();
  return (work) => {
    const key = 'gas' in work ? work.gas : work.action;
    const result = known.has(key) ? (known.get(key) as Result) : of(work);
    known.set(key, result);
    return result;
  };
}

export interface PricingParts {
  readonly chain: Pick<IngestedChain, 'head' | 'rules' | 'engine'>;
  readonly history: Pick<HistoryStore, 'laneHistory'>;
  readonly basis: Pick<RuleBasis, 'now'>;
}

/** What a rule stands for now, for a response: the next block works it out anew. */
export async function priceRule(
  { lane, condition }: Pick<AlertRule, 'lane' | 'condition'>,
  written: RelativeThreshold,
  { chain, history, basis }: PricingParts,
): Promise<PriceOrReason> {
  const { head, rules } = chain;
  const prices = chain.engine?.lanePrices() ?? null;
  if (head === null || prices === null) return { reason: 'no block is known yet' };
  const dollars = await basis.now(rules.rules, prices.average);
  const windowSec = 'windowSec' in written ? written.windowSec : 0;
  const past = await history.laneHistory(Math.floor(head.timestamp), windowSec);
  const pastPrice: ThresholdBasis['pastPrice'] = (...of) =>
    lane === 'blob' ? NO_BLOB_HISTORY : past.price(lane, ...of);
  return effectivePrice(written, condition, { ...dollars, pastPrice });
}
