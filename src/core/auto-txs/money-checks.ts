import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { formatAmount } from '../units.ts';
import { blobGas, feesAt, mostFees, mostItTakes } from './fee-costs.ts';
import type { Check } from './kept-auto-tx.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { amountWords, capName, capWords, gwei, gweiBeside } from './preflight-words.ts';
import { overpaidWords, type PriceToPay, priceToPay, priceWords } from './price-to-pay.ts';
import { type Bid, capOf } from './target.ts';

/** Rollups that take a fee of their own, beside gas, for posting what was sent to Ethereum. */
const TAKES_POSTING_FEE: ReadonlySet<number> = new Set([10, 130, 480, 8_453, 81_457, 534_352]);

/** What it may take from the account, what it bids, and what it costs. */
export function moneyChecks(facts: PreflightFacts): {
  readonly balance: Check;
  readonly cap: readonly Check[];
  readonly cost: Check;
} {
  const { blobCount } = facts.transaction;
  const cap: Check = { name: 'cap', ...capLine(facts) };
  return {
    balance: { name: 'balance', ...balanceLine(facts) },
    cap: blobCount === 0 ? [cap] : [cap, { name: 'blob-cap', ...blobCapLine(facts) }],
    cost: { name: 'cost', ...costLine(facts) },
  };
}

type Line = Omit<Check, 'name'>;

/** What a block asks for, and what is bid. */
interface CapFacts extends Pick<PreflightFacts, 'nextBaseFee' | 'nextBlobBaseFee'> {
  readonly transaction: Bid & Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>;
}

function balanceLine(facts: PreflightFacts): Line {
  const { transaction, balance, nativeSymbol } = facts;
  const needed = `${formatAmount(mostItTakes(transaction), nativeSymbol)} (${partsWords(facts)})`;
  if (balance === null) {
    return { ok: null, message: `the balance could not be read; it has to cover ${needed}` };
  }
  if (balance >= mostItTakes(transaction)) {
    return { ok: true, message: `${formatAmount(balance, nativeSymbol)} covers ${needed}` };
  }
  return { ok: false, message: lackWords(facts, balance) };
}

/** How much the account lacks. */
export function lackWords(facts: PreflightFacts, balance: bigint): string {
  const { transaction, nativeSymbol } = facts;
  const lacking = formatAmount(mostItTakes(transaction) - balance, nativeSymbol);
  const has = formatAmount(balance, nativeSymbol);
  return `the account lacks ${lacking}: it has ${has}, and the most that this can take is ${formatAmount(mostItTakes(transaction), nativeSymbol)} (${partsWords(facts)})`;
}

/** What the most that it takes is made of. */
function partsWords({ transaction }: PreflightFacts): string {
  const gas = `its gas limit at its ${capName(transaction)}`;
  const parts = transaction.value > 0n ? ['the value', gas] : [gas];
  if (transaction.blobCount > 0) parts.push('its blobs at theirs');
  return parts.join(' + ');
}

function capLine({ transaction, nextBaseFee }: CapFacts): Line {
  const cap = capOf(transaction);
  const limit = `at your ${capName(transaction)} this can never be included while the base fee is above ${gwei(cap)}`;
  if (nextBaseFee === null) return { ok: null, message: `${limit}; the base fee could not be told` };
  const next = gweiBeside(nextBaseFee, cap);
  if (nextBaseFee > cap) return { ok: false, message: `${limit}; the next block asks for ${next}` };
  const tip = transaction.maxPriorityFeePerGas;
  const left = cap - nextBaseFee;
  const squeezed =
    tip !== null && left < tip
      ? `, which leaves ${gweiBeside(left, tip)} of your priority fee of ${gwei(tip)}`
      : '';
  return { ok: true, message: `the next block asks for ${next}${squeezed}; ${limit}` };
}

function blobCapLine({ transaction, nextBlobBaseFee }: CapFacts): Line {
  const cap = transaction.maxFeePerBlobGas ?? 0n;
  const limit = `at your blob cap this can never be included while the blob base fee is above ${gwei(cap)}`;
  if (nextBlobBaseFee === null) {
    return { ok: null, message: `${limit}; the blob base fee could not be told` };
  }
  const next = gweiBeside(nextBlobBaseFee, cap);
  return { ok: nextBlobBaseFee <= cap, message: `the next block asks for ${next}; ${limit}` };
}

function costLine(facts: PreflightFacts): Line {
  const price = priceToPay(facts);
  const tooMuch = overpaidWords(price, facts);
  const cost = costWords(facts, price);
  return tooMuch === null ? { ok: true, message: cost } : { ok: false, message: `${tooMuch}; ${cost}` };
}

/** @param price What it is reckoned at. */
function costWords(facts: PreflightFacts, price: PriceToPay): string {
  const { transaction, chainId, chainName } = facts;
  const blobs = blobGas(transaction) > 0n ? ', blobs included' : '';
  const then = amountWords(feesAt(price.pays, facts), facts);
  const most = amountWords(mostFees(transaction), facts);
  const fees =
    then === most
      ? `fees of up to ${most} at your ${capWords(transaction)}${blobs}`
      : `fees of up to ${then} ${priceWords(price, facts)}${blobs}; never more than ${most}`;
  const posting = TAKES_POSTING_FEE.has(chainId)
    ? `, plus what ${chainName} takes for posting it to Ethereum`
    : '';
  const value = transaction.value > 0n ? `; it sends ${amountWords(transaction.value, facts)}` : '';
  return `${fees}${posting}${value}`;
}

/** What keeps a block from taking it now; `null`: nothing, or nobody knows. */
export function capObstacle(facts: CapFacts): { readonly code: string; readonly message: string } | null {
  const cap = capLine(facts);
  if (cap.ok === false) return { code: 'cap_below_base', message: cap.message };
  if (facts.transaction.blobCount === 0) return null;
  const blobCap = blobCapLine(facts);
  return blobCap.ok === false ? { code: 'blob_cap_below_base', message: blobCap.message } : null;
}
