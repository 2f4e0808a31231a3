import type { Lane, LaneName } from '../advice.ts';
import { type Bid, capOf, feesAt, mostFees, paysAt } from '../auto-txs/target.ts';
import type { Hex } from '../block.ts';
import { exactAmount, formatGwei } from '../units.ts';
import { type LeastFees, leastReplacement, most, type PoolFees } from './pool-rules.ts';
import type { SignedTransaction } from './signed-transaction.ts';

/** Why a transaction waits in the pool, and what to sign to replace or to cancel it. Wei as `bigint`, prices per gas. */

/** A transaction in a pool; one whose fee is paid in another coin has no prices. */
export interface Pooled
  extends Bid,
    Pick<SignedTransaction, 'hash' | 'from' | 'nonce' | 'gasLimit' | 'value' | 'maxFeePerBlobGas'> {
  readonly type: number;
  readonly blobCount: number | null;
}

/** `null`: unknown. */
interface StuckFacts {
  readonly transaction: Pooled;
  /** The sender's next nonce on the chain; the same including the pools; its balance. */
  readonly nextNonce: number | null;
  readonly pendingNonce: number | null;
  readonly balance: bigint | null;
  /** The sender's other transactions in the pools that show them; `null`: no node shows its pool. */
  readonly others: readonly Pooled[] | null;
  /** How many nodes were asked for it, and how many have it in their pool and in a block. */
  readonly nodes: { readonly asked: number; readonly pending: number; readonly mined: number };
  readonly baseFee: bigint;
  readonly nextBaseFee: bigint;
  readonly nextBlobBaseFee: bigint | null;
  /** The lowest tip that the next blocks usually take. */
  readonly usualTip: bigint | null;
  /** The lane that a replacement is to be as quick as. */
  readonly laneName: LaneName;
  readonly lane: Pick<Lane, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;
  /** Why no block takes its gas limit. */
  readonly gasProblem: string | null;
  /** Gas of a transfer of 0 to the sender itself. */
  readonly transferGas: bigint | null;
  readonly symbol: string;
}

type StuckCode =
  | 'nonce_used'
  | 'mined_elsewhere'
  | 'gas_limit'
  | 'other_coin'
  | 'nonce_gap'
  | 'earlier_pending'
  | 'insufficient_balance'
  | 'cap_below_base'
  | 'blob_cap_below_base'
  | 'tip_too_low'
  | 'rival'
  | 'not_shared'
  | 'payable';

interface StuckCause {
  readonly code: StuckCode;
  /** One line for people. */
  readonly message: string;
}

/** A transaction to sign. */
export interface ToSign extends PoolFees {
  readonly nonce: number;
  /** Types 0 and 1 sign `maxFeePerGas` as their gas price. */
  readonly type: number;
  readonly gasLimit: bigint;
  readonly blobCount: number;
  /** The most it can take beside its value and L1's part; and what it is expected to take in the next block. */
  readonly cost: bigint;
  readonly expectedCost: bigint;
  /** What the balance lacks for it, with its value; `null`: unknown. */
  readonly missing: bigint | null;
  /** Who asks for the numbers: clients, or the lane. */
  readonly rule: string;
}

/** A nonce before it: in no pool, in a pool (which may not show it), or behind a gap, where no pool tells. */
interface Before {
  readonly nonce: number;
  readonly state: 'missing' | 'stuck' | 'payable' | 'hidden' | 'unknown';
  readonly hash: Hex | null;
  /** What frees it; `null` where nothing has to be signed, or its fees are not known. */
  readonly sign: ToSign | null;
}

export interface Stuck {
  /** The weightiest first. */
  readonly causes: readonly [StuckCause, ...StuckCause[]];
  /** Whether only the price keeps it waiting, so that a forecast of the price says when it is included. */
  readonly waitsForPrice: boolean;
  /** The first nonces before it that are not mined, at most {@link MOST_BEFORE}. */
  readonly before: readonly Before[];
  readonly replacement: ToSign | null;
  readonly cancellation: ToSign | null;
  /** The least fees of each client's rule. */
  readonly pools: LeastFees['byClient'];
}

const MOST_BEFORE = 8;
const DELEGATION = 4;
const BLOBS = 3;
/** The blob base fee may double before its block. */
const BLOB_RISE = 2n;

/** What holds a transaction back, and what frees it. */
export function explainStuck(facts: StuckFacts): Stuck {
  const { transaction, nextNonce, nodes } = facts;
  const { nonce } = transaction;
  if (nextNonce !== null && nonce < nextNonce) {
    const isOwn = nodes.mined > 0;
    const message = isOwn
      ? `${nodesWords(nodes.mined, nodes.asked)} it in a block already: look it up again in a moment`
      : `nonce ${nonce} is used: another transaction of the sender has it, so this one can never be mined`;
    return ended(isOwn ? 'mined_elsewhere' : 'nonce_used', message);
  }
  if (isInOtherCoin(transaction)) {
    return ended('other_coin', 'its fee is paid in another coin: no numbers in wei can be given for it');
  }
  const before = beforeOf(facts);
  const causes = causesOf(facts, before);
  const rivals = (facts.others ?? []).filter((other) => other.nonce === nonce && !isInOtherCoin(other));
  const least = leastOf([transaction, ...rivals], facts);
  const [first = payable(), ...rest] = causes;
  return {
    causes: [first, ...rest],
    waitsForPrice: causes.every(({ code }) => code === 'cap_below_base' || code === 'not_shared'),
    before,
    replacement: replacementOf(transaction, least, facts),
    cancellation: cancellationOf(transaction, least, facts),
    pools: least.byClient,
  };
}

const ended = (code: StuckCode, message: string): Stuck => ({
  causes: [{ code, message }],
  waitsForPrice: false,
  before: [],
  replacement: null,
  cancellation: null,
  pools: [],
});

const payable = (): StuckCause => ({
  code: 'payable',
  message: 'nothing holds it back: it pays what the next blocks take',
});

const isInOtherCoin = ({ gasPrice, maxFeePerGas }: Pooled) => gasPrice === null && maxFeePerGas === null;
const isBlob = ({ type }: Pick<Pooled, 'type'>) => type === BLOBS;

/** `1 of 3 nodes has`, `the node has`. */
function nodesWords(count: number, asked: number): string {
  if (asked === 1) return 'the node has';
  return `${count} of ${asked} nodes ${count === 1 ? 'has' : 'have'}`;
}

function causesOf(facts: StuckFacts, before: readonly Before[]): readonly StuckCause[] {
  const { transaction, balance, nodes, others, symbol, gasProblem } = facts;
  const causes: StuckCause[] = [];
  const add = (code: StuckCode, message: string) => causes.push({ code, message });
  if (gasProblem !== null) add('gas_limit', gasProblem);
  const missing = before.filter(({ state }) => state === 'missing');
  if (missing.length > 0) {
    const words = noncesWords(missing.map(({ nonce }) => nonce));
    const isMore = before.some(({ state }) => state === 'unknown');
    const more = isMore ? '; others may be, too: look it up again once that one is sent' : '';
    add('nonce_gap', `${words} missing: no block takes it before a transaction has that nonce${more}`);
  }
  const waiting = before.filter(({ state }) => state !== 'missing' && state !== 'unknown');
  if (waiting.length > 0) add('earlier_pending', earlierWords(waiting));
  const needed = transaction.value + mostFees(transaction);
  if (balance !== null && balance < needed) {
    const lacks = exactAmount(needed - balance, symbol);
    add(
      'insufficient_balance',
      `the balance lacks ${lacks}: it needs ${exactAmount(needed, symbol)} with its gas at the highest price`,
    );
  }
  causes.push(...priceCauses(transaction, facts));
  const rival = others?.find((other) => other.nonce === transaction.nonce);
  if (rival !== undefined) {
    add(
      'rival',
      `another one with nonce ${transaction.nonce} is in a pool, ${rival.hash}: one of both is mined`,
    );
  }
  if (nodes.mined > 0) {
    add(
      'mined_elsewhere',
      `${nodesWords(nodes.mined, nodes.asked)} it in a block: look it up again in a moment`,
    );
  } else if (nodes.pending < nodes.asked) {
    const words =
      nodes.pending === 0 ? `none of ${nodes.asked} nodes has` : nodesWords(nodes.pending, nodes.asked);
    add('not_shared', `${words} it in the pool: broadcast it again so that others see it`);
  }
  return causes;
}

/** Why the next block would not take it for its price. */
function priceCauses(transaction: Pooled, facts: StuckFacts): readonly StuckCause[] {
  const { nextBaseFee, nextBlobBaseFee, usualTip } = facts;
  const { maxFeePerBlobGas } = transaction;
  const causes: StuckCause[] = [];
  const cap = capOf(transaction);
  const name = transaction.maxFeePerGas === null ? 'gas price' : 'max fee';
  if (cap < nextBaseFee) {
    const message = `its ${name} of ${formatGwei(cap)} gwei is below the next base fee of ${formatGwei(nextBaseFee)} gwei`;
    causes.push({ code: 'cap_below_base', message });
  } else if (usualTip !== null && paysAt(transaction, nextBaseFee) - nextBaseFee < usualTip) {
    const tip = paysAt(transaction, nextBaseFee) - nextBaseFee;
    const message = `it tips ${formatGwei(tip)} gwei in the next block, and blocks take ${formatGwei(usualTip)} gwei`;
    // A low cap is a price that may come; a low tip is not.
    const isCapped = (transaction.maxPriorityFeePerGas ?? cap) >= usualTip;
    causes.push({ code: isCapped ? 'cap_below_base' : 'tip_too_low', message });
  }
  if (maxFeePerBlobGas !== null && nextBlobBaseFee !== null && maxFeePerBlobGas < nextBlobBaseFee) {
    const message = `its max fee per blob gas of ${formatGwei(maxFeePerBlobGas)} gwei is below the next blob base fee of ${formatGwei(nextBlobBaseFee)} gwei`;
    causes.push({ code: 'blob_cap_below_base', message });
  }
  return causes;
}

/** The nonces from the sender's next to its own. */
function beforeOf(facts: StuckFacts): readonly Before[] {
  const { transaction, nextNonce, pendingNonce, others } = facts;
  if (nextNonce === null) return [];
  const count = Math.min(transaction.nonce - nextNonce, MOST_BEFORE);
  return Array.from({ length: count }, (_, index): Before => {
    const nonce = nextNonce + index;
    const known = others?.find((other) => other.nonce === nonce && !isInOtherCoin(other));
    if (known !== undefined) {
      const { hash } = known;
      if (priceCauses(known, facts).length === 0) return { nonce, state: 'payable', hash, sign: null };
      return { nonce, state: 'stuck', hash, sign: replacementOf(known, leastOf([known], facts), facts) };
    }
    // A pool counts up to the first gap. Behind that only its list tells.
    if (pendingNonce === null || nonce < pendingNonce)
      return { nonce, state: 'hidden', hash: null, sign: null };
    if (nonce > pendingNonce && others === null) return { nonce, state: 'unknown', hash: null, sign: null };
    const sign = transferOf({ nonce, type: 2, blobCount: 0 }, NOTHING, facts);
    return { nonce, state: 'missing', hash: null, sign };
  });
}

function earlierWords(waiting: readonly Before[]): string {
  const [first] = waiting;
  const nonce = first?.nonce ?? 0;
  const rest = waiting.length > 1 ? ` and ${waiting.length - 1} more` : '';
  const stuck = waiting.find(({ state }) => state === 'stuck');
  if (stuck !== undefined) {
    return `it waits for nonce ${nonce}${rest}; nonce ${stuck.nonce} is stuck itself: free ${stuck.hash} first`;
  }
  if (waiting.some(({ state }) => state === 'hidden')) {
    return `it waits for nonce ${nonce}${rest}, of which no node asked shows the fees: look that one up first`;
  }
  return `it waits for nonce ${nonce}${rest}, which pays what the next blocks take`;
}

/** `nonce 5 is`, `nonces 5 and 6 are`, `nonces 5 to 9 are`. */
function noncesWords(nonces: readonly number[]): string {
  const [first = 0] = nonces;
  const last = nonces.at(-1) ?? first;
  if (nonces.length === 1) return `nonce ${first} is`;
  const isRow = last - first === nonces.length - 1 && nonces.length > 2;
  return isRow ? `nonces ${first} to ${last} are` : `nonces ${nonces.join(', ')} are`;
}

const feesOf = (pooled: Pooled): PoolFees => ({
  maxFeePerGas: capOf(pooled),
  maxPriorityFeePerGas: pooled.maxFeePerGas === null ? capOf(pooled) : (pooled.maxPriorityFeePerGas ?? 0n),
  maxFeePerBlobGas: isBlob(pooled) ? (pooled.maxFeePerBlobGas ?? 0n) : null,
});

const isLegacy = ({ maxFeePerGas }: Pooled) => maxFeePerGas === null;

/** The least that takes the place of each of these, which pools may have in place of one another. */
function leastOf(all: readonly Pooled[], { baseFee, nextBaseFee }: StuckFacts): LeastFees {
  const [own] = all;
  const highest: PoolFees = {
    maxFeePerGas: most(...all.map((each) => feesOf(each).maxFeePerGas)),
    maxPriorityFeePerGas: most(...all.map((each) => feesOf(each).maxPriorityFeePerGas)),
    maxFeePerBlobGas: all.some(isBlob)
      ? most(...all.map((each) => feesOf(each).maxFeePerBlobGas ?? 0n))
      : null,
  };
  return leastReplacement(highest, [baseFee, nextBaseFee], own !== undefined && isLegacy(own));
}

type StrictestFees = Omit<LeastFees, 'byClient'>;

/** What both the pools take and the lane needs. */
function feesToSign(least: StrictestFees, facts: StuckFacts, legacy: boolean) {
  const { lane, laneName, nextBlobBaseFee } = facts;
  const laneTip = lane.maxPriorityFeePerGas ?? 0n;
  const tip = most(least.maxPriorityFeePerGas, laneTip);
  const cap = most(least.maxFeePerGas, lane.maxFeePerGas - laneTip + tip, tip);
  const blobFee =
    least.maxFeePerBlobGas === null
      ? null
      : most(least.maxFeePerBlobGas, BLOB_RISE * (nextBlobBaseFee ?? 0n), 1n);
  const byPools = least.strictest.join(', ');
  const isLanes = legacy
    ? cap > least.maxFeePerGas
    : cap > least.maxFeePerGas && tip > least.maxPriorityFeePerGas;
  // A gas price is paid in full.
  const price = legacy ? most(least.maxFeePerGas, lane.maxFeePerGas) : cap;
  return {
    maxFeePerGas: price,
    maxPriorityFeePerGas: legacy ? price : tip,
    maxFeePerBlobGas: blobFee,
    rule: isLanes || byPools === '' ? `the ${laneName} lane` : byPools,
  };
}

type Signable = Pick<ToSign, 'nonce' | 'type' | 'gasLimit' | 'blobCount'> & { readonly value: bigint };

function toSign({ value, ...what }: Signable, least: StrictestFees, facts: StuckFacts): ToSign {
  const fees = feesToSign(least, facts, what.type < 2);
  const signed = { ...what, ...fees, gasPrice: null };
  const cost: bigint = mostFees(signed);
  const expectedCost = feesAt(signed, paysAt(signed, facts.nextBaseFee), facts.nextBlobBaseFee ?? 0n);
  const missing = facts.balance === null ? null : most(value + cost - facts.balance);
  return { ...what, ...fees, cost, expectedCost: expectedCost < cost ? expectedCost : cost, missing };
}

const replacementOf = (pooled: Pooled, least: LeastFees, facts: StuckFacts): ToSign =>
  toSign({ ...signableOf(pooled), gasLimit: pooled.gasLimit, value: pooled.value }, least, facts);

const signableOf = ({ nonce, type, blobCount }: Pooled) => ({ nonce, type, blobCount: blobCount ?? 0 });

/**
 * Of its type: pools keep blob transactions apart, and Nethermind takes none with fewer blobs. A delegation gives way to a
 * transaction without one.
 */
const cancellationOf = (pooled: Pooled, least: StrictestFees, facts: StuckFacts): ToSign | null =>
  transferOf({ ...signableOf(pooled), type: pooled.type === DELEGATION ? 2 : pooled.type }, least, facts);

const NOTHING: StrictestFees = {
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  maxFeePerBlobGas: null,
  strictest: [],
};

/** A transfer of 0 to the sender itself. */
function transferOf(what: Omit<Signable, 'gasLimit' | 'value'>, least: StrictestFees, facts: StuckFacts) {
  const { transferGas: gasLimit } = facts;
  return gasLimit === null ? null : toSign({ ...what, gasLimit, value: 0n }, least, facts);
}
