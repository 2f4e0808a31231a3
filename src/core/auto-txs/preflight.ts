import { LANE_TITLES } from '../advice.ts';
import { chainProfile, describeChain } from '../chains.ts';
import { type DataFees, type KnownFee, NO_DATA_FEES, transactionDataFee } from '../data-fee.ts';
import {
  authorizationWithoutEffect,
  callDeadline,
  delegationWords,
  isTakenBack,
} from '../transactions/describe-call.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import {
  exactAmount,
  exactGwei,
  formatAmount,
  formatDuration,
  formatUsd,
  priceBeside,
  usdOf,
  utcMinute,
} from '../units.ts';
import { blocks, type Found, needs, passes, unknown, waits, warns } from './check-results.ts';
import { limitedWords, maxCostWords } from './cost-limit.ts';
import { type GasFacts, gasCheck } from './gas-check.ts';
import type { AutoTxOrder } from './order.ts';
import { type AutoTxState, type Obstacle, usedWords } from './state-machine.ts';
import { type Check, isFarAbove, OVERPAYS, type StoredAutoTx } from './stored-auto-tx.ts';
import {
  type Bid,
  capOf,
  feesAt,
  isDue,
  isReached,
  mostFees,
  type NextPrices,
  paysAt,
  type Unreachable,
  unreachable,
} from './target.ts';

/** An auto-tx of the same sender with a lower nonce, which is sent first. */
interface WaitingBelow {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING`, `DISABLED` or `SUBMITTED`. */
  readonly status: string;
}

/** The facts of a pre-flight; `null`: unknown. Wei as `bigint`; prices per gas; times in ms since epoch. */
export interface PreflightFacts {
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** Its signed bytes are encrypted with a key that the service does not have. */
  readonly isKeyMissing?: boolean;
  /** The target is the present price, because the user chose none. */
  readonly isTargetPresent?: boolean;
  /** Why this source cannot broadcast, see `cannotBroadcastReason` of target.ts; `null` when it can. */
  readonly cannotBroadcastReason?: string | null;
  readonly chainId: number;
  /** `null`: the service does not say which chain it is for, and `chainId` is assumed. */
  readonly chainName: string | null;
  readonly nativeSymbol: string;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  /** The sender's next nonce: the number of its transactions on the chain. */
  readonly nextNonce: number | null;
  /** The same, including the node's pool. */
  readonly pendingNonce: number | null;
  readonly balance: bigint | null;
  readonly nextBaseFee: bigint | null;
  /** `null` also on chains without blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly lanePrice: bigint | null;
  readonly now: number;
  readonly waitingBelow: readonly WaitingBelow[];
  /** An auto-tx of the same sender with the same nonce. */
  readonly rivalId?: string | undefined;
  readonly gas: GasFacts;
  /** What the chain takes beside gas; left out: nothing. */
  readonly dataFees?: Pick<DataFees, 'parameters' | 'reason'>;
}

export const EXPIRY_MOST_MS = 366 * 86_400_000;

/** What holds back a transaction whose target is reached. Its cap is a part of the target. */
const HOLDS: readonly (readonly [check: string, words: string])[] = [
  ['key', 'its encryption key'],
  ['nonce', 'the one with its nonce in the pool'],
  ['nonce-gap', 'the nonces below it'],
  ['balance', 'the balance'],
  ['blob-cap', 'the blob base fee'],
];

/** A backup without its key, or a process with another one. */
export const KEY_GONE: Obstacle = {
  code: 'key_gone',
  message:
    'its signed bytes are encrypted with a key that is not here: it is broadcast once that is back; if it is lost, cancel it and schedule it again',
};

const keyCheck = needs(KEY_GONE.code, KEY_GONE.message);

/** The checks of one whose key is not here, and of which no decision says so yet. */
export function withKeyCheck(checks: readonly Check[]): readonly Check[] {
  const others = checks.filter(({ name }) => name !== 'key');
  const after = others.findIndex(({ name }) => name === 'signature') + 1;
  return others.toSpliced(after, 0, { name: 'key', ...keyCheck });
}

/** All checks of a transaction before it is sent, each with a line for people. Names and order are part of the contract. */
export function preflight(facts: PreflightFacts): Check[] {
  const { transaction, chainId } = facts;
  const found: Record<string, Found | null> = {
    chain: chainCheck(facts),
    signature: passes(`signed by ${transaction.from}`),
    key: facts.isKeyMissing ? keyCheck : null,
    delegation: delegationCheck(facts),
    nonce: nonceCheck(facts),
    'nonce-gap': nonceGapCheck(facts),
    balance: balanceCheck(facts),
    cap: capCheck(facts.order, transaction, facts.nextBaseFee),
    'blob-cap': transaction.blobCount === 0 ? null : blobCapCheck(facts),
    'intrinsic-gas': gasCheck(facts),
    expiry: expiryCheck(facts),
    deadline: deadlineCheck(facts),
  };
  const hold = HOLDS.find(([name]) => found[name]?.result === 'wait')?.[1] ?? null;
  found.reachable = facts.isTargetPresent ? null : reachableCheck(facts, hold);
  found.cost = costCheck(facts);
  const isForAnotherChain = transaction.chainId !== null && transaction.chainId !== chainId;
  return Object.entries(found).flatMap(([name, each]) => {
    if (each === null) return [];
    // This chain's account and prices say nothing of it.
    const isSkipped = isForAnotherChain && !ANYWHERE.has(name);
    return [{ name, ...(isSkipped ? unknown('not checked: it is for another chain') : each) }];
  });
}

/** Checks that are valid on any chain. */
const ANYWHERE: ReadonlySet<string> = new Set([
  'chain',
  'signature',
  'key',
  'delegation',
  'expiry',
  'deadline',
]);

function nonceCheck({ transaction: { nonce }, nextNonce, pendingNonce, rivalId }: PreflightFacts): Found {
  if (nextNonce === null) return unknown(`whether nonce ${nonce} is free is unknown`);
  if (nonce < nextNonce) return blocks('nonce_used', usedWords(nonce, nextNonce));
  if (pendingNonce !== null && nonce < pendingNonce) {
    // Perhaps from this very transaction, sent by a wallet.
    const message = `a transaction with nonce ${nonce} is in the node's pool already: only one of the two can be mined, so this one is not broadcast`;
    return needs('nonce_pending', message);
  }
  if (rivalId !== undefined) {
    const message = `auto-tx ${rivalId} of the same sender has nonce ${nonce}, too, and only one of them can be mined: cancel that one first, or sign with another nonce`;
    return blocks('same_nonce', message);
  }
  return passes(
    nonce === nextNonce
      ? `nonce ${nonce} is the sender's next`
      : `nonce ${nonce} is free; the sender's next is ${nextNonce}`,
  );
}

/** Checks that all lower nonces are used or pending. */
function nonceGapCheck({ transaction, nextNonce, pendingNonce, waitingBelow }: PreflightFacts): Found {
  const { nonce } = transaction;
  if (nextNonce === null) return unknown(`whether nonces below ${nonce} are missing is unknown`);
  let next = Math.max(nextNonce, pendingNonce ?? nextNonce);
  const below = waitingBelow
    .filter((each) => each.nonce >= next && each.nonce < nonce)
    .toSorted((one, other) => one.nonce - other.nonce);
  const missing: string[] = [];
  for (const known of [...below.map((each) => each.nonce), nonce]) {
    if (known > next) missing.push(known === next + 1 ? `${next}` : `${next} to ${known - 1}`);
    next = Math.max(next, known + 1);
  }
  const waiting = below.filter(({ status }) => status !== 'SUBMITTED');
  if (missing.length > 0) {
    const also = waiting.length === 1 ? 'comes' : 'come';
    const rest = waiting.length === 0 ? '' : `; ${waitingWords(waiting)} also ${also} before it`;
    const isOne = missing.length === 1 && !missing[0]?.includes(' ');
    const words = isOne
      ? `nonce ${missing[0]} is missing: send a transaction with that nonce first`
      : `nonces ${listWords(missing)} are missing: send transactions with those first`;
    return needs('nonce_gap', `${words}${rest}`);
  }
  const disabled = waiting.filter(({ status }) => status === 'DISABLED');
  if (disabled.length > 0) {
    return needs('nonce_order', `it waits for ${waitingWords(disabled)}, which is disabled`);
  }
  if (waiting.length > 0) return waits('nonce_order', `it is broadcast after ${waitingWords(waiting)}`);
  return passes('no nonce below it is missing');
}

const LISTED_MOST = 3;

/** `5`, `5 and 6`, `5, 6 and 9 to 12`, `5, 7, 9 and more`. */
function listWords(parts: readonly string[]): string {
  const listed = parts.length > LISTED_MOST ? [...parts.slice(0, LISTED_MOST), 'more'] : parts;
  const first = listed.slice(0, -1).join(', ');
  const last = listed.at(-1) ?? '';
  return first === '' ? last : `${first} and ${last}`;
}

/** `auto-tx 4f (nonce 5)`, `auto-txs 4f (nonce 5) and 9a (nonce 6)`. */
const waitingWords = (waiting: readonly WaitingBelow[]) =>
  `${waiting.length === 1 ? 'auto-tx' : 'auto-txs'} ${listWords(waiting.map(({ id, nonce }) => `${id} (nonce ${nonce})`))}`;

/** The sender's live auto-txs with a nonce below `nonce`; `id`: its own when it is already stored, left out. */
export function waitingBelow(
  live: readonly StoredAutoTx[],
  { id, nonce }: { readonly id: string | null; readonly nonce: number },
): readonly WaitingBelow[] {
  return live.flatMap(({ id: other, signed, state }) =>
    other === id || signed === null || signed.nonce >= nonce
      ? []
      : [{ id: other, nonce: signed.nonce, status: isUnsent(state) ? 'PENDING' : state.status }],
  );
}

/** To be sent, but no node is known to have it: a pool would hold a later nonce back. */
const isUnsent = ({ status, sentAt, unseenSince, inclusion }: AutoTxState): boolean =>
  status === 'SUBMITTED' && inclusion === null && (sentAt === null || unseenSince !== null);

function chainCheck({ transaction, chainId, chainName }: PreflightFacts): Found {
  if (chainName === null) return unknown('unknown: the service does not say which chain it is for');
  const here = describeChain({ id: chainId, name: chainName });
  if (transaction.chainId === null) {
    const message =
      'it names no chain (it was signed without EIP-155): anyone who sees it can send it on every other chain, too, and many nodes refuse it; sign it again with a chain id';
    return warns('any_chain', message);
  }
  if (transaction.chainId === chainId) return passes(`signed for ${here}`);
  const there = describeChain(chainProfile(transaction.chainId));
  return blocks('wrong_chain', `it is signed for ${there}, but this is ${here}`);
}

function expiryCheck({ order: { expiresAt }, now }: PreflightFacts): Found {
  if (expiresAt === null) return passes('it does not expire');
  const left = expiresAt - now;
  if (left <= 0) return blocks('expired', `it expired at ${utcMinute(expiresAt)}`);
  if (left > EXPIRY_MOST_MS) {
    return blocks('expiry_too_far', `it may expire in ${EXPIRY_MOST_MS / 86_400_000} days at most`);
  }
  return passes(`it expires at ${utcMinute(expiresAt)}, in ${formatDuration(left / 1_000)}`);
}

/**
 * Decides just before sending; the caller has checked the target. An unknown fact holds it back, except the next block's
 * fees, which the node judges. `nonce_used` also results when its own bytes were mined: the caller looks for them first.
 */
export function verdict(
  facts: PreflightFacts,
  checks: readonly Check[] = preflight(facts),
): { readonly kind: 'go' } | { readonly kind: 'hold' | 'refuse'; readonly obstacle: Obstacle } {
  const { transaction, nextNonce, balance } = facts;
  const expired = checks.find(({ code }) => code === 'expired');
  const isRule = ({ name }: Check) => name === 'intrinsic-gas';
  const blocked = checks.filter((check) => check.result === 'block' && check !== expired);
  const final = blocked.find((check) => !isRule(check));
  if (final !== undefined) return { kind: 'refuse', obstacle: obstacleOf(final) };
  // It was enough when it was signed. Rules change with a fork, and a reorg takes that back: they end nothing.
  const rule = blocked.find(isRule);
  const isTaken = checks.some(({ name, result }) => name === 'nonce' && result === 'wait');
  if (rule !== undefined && !isTaken) return { kind: 'hold', obstacle: obstacleOf(rule) };
  if (expired !== undefined) return { kind: 'hold', obstacle: obstacleOf(expired) };
  if (nextNonce === null || balance === null) {
    const message = `no node tells the nonce and the balance of ${transaction.from}`;
    return { kind: 'hold', obstacle: { code: 'sender_unknown', message } };
  }
  const first = checks.find(({ name, result }) => result === 'wait' && name !== 'reachable');
  return first === undefined ? { kind: 'go' } : { kind: 'hold', obstacle: obstacleOf(first) };
}

const obstacleOf = ({ name, code, message }: Check): Obstacle => ({ code: code ?? name, message });

/** Why its gas is refused by the rules of the next block, by its checks; `null`: it is not. */
export function gasObstacleOf(checks: readonly Check[]): Obstacle | null {
  const check = checks.find(({ name, result }) => name === 'intrinsic-gas' && result === 'block');
  return check === undefined ? null : obstacleOf(check);
}

/** The request field that a blocking check concerns, if that is not the signed transaction. */
const FIELDS: Readonly<Record<string, string>> = {
  expired: 'expiresAt',
  expiry_too_far: 'expiresAt',
  unreachable_target: 'targetGasPriceGwei',
};

/** The blocking checks, each with the request field that it concerns. */
export const problemsOf = (checks: readonly Check[]) =>
  checks
    .filter(({ result }) => result === 'block')
    .map(({ code, message }) => ({ message, path: FIELDS[code ?? ''] ?? 'signedTransaction' }));

/** Checks that the call's deadline is not before its expiry; `null` for a call without a deadline. */
function deadlineCheck({ transaction, order, now }: PreflightFacts): Found | null {
  const at = callDeadline(transaction.data, transaction.to);
  if (at === null) return null;
  if (at < now) {
    const message = `the deadline of its call was ${utcMinute(at)}: it would revert; sign it again with a later deadline`;
    return blocks('deadline_past', message);
  }
  const until = `the deadline of its call is ${utcMinute(at)}, in ${formatDuration((at - now) / 1_000)}`;
  if (order.expiresAt !== null && order.expiresAt <= at) return passes(`${until}; it expires before that`);
  return unknown(`${until}: it fails if its target is reached later than that`);
}

/** Names the accounts that it delegates to code (EIP-7702); never stops a send; `null` for other types. */
function delegationCheck({ transaction, chainId }: PreflightFacts): Found | null {
  if (transaction.type !== 4) return null;
  const { authorizations } = transaction;
  const words = delegationWords({ authorizations, chainId });
  if (words === null) {
    return unknown('it delegates accounts to code (EIP-7702): which ones is unknown');
  }
  const ignored = authorizationWithoutEffect(transaction, chainId);
  if (ignored !== null) {
    const { nonce, expected } = ignored;
    const message = `it ${words}: the authorization of the sender has nonce ${nonce} and no effect, because by then the sender's next is ${expected}; sign it with nonce ${expected}`;
    return warns('delegation_without_effect', message);
  }
  const delegated = authorizations.filter((each) => !isTakenBack(each));
  if (delegated.length === 0) return passes(`it ${words}`);
  const everywhere = delegated.filter(({ chainId }) => chainId === 0).length;
  if (everywhere === 0) return unknown(`it ${words}: make sure that you trust this code`);
  const count = authorizations.length;
  const which = count === 1 ? '' : `; ${everywhere} of ${count} on every chain`;
  const message = `it ${words}${which}: anyone who sees it can use it on any other chain, too; sign it for one chain`;
  return warns('delegates_everywhere', message);
}

/** Authorizations are not stored: checks that are repeated without them keep the earlier finding. */
export function withEarlierDelegation(checks: readonly Check[], before: readonly Check[]): Check[] {
  const earlier = before.find(({ name }) => name === 'delegation');
  return checks.map((check) => (check.name === 'delegation' ? (earlier ?? check) : check));
}

const atLeast0 = (wei: bigint) => (wei > 0n ? wei : 0n);

function balanceCheck(facts: PreflightFacts): Found {
  const { transaction, balance, nativeSymbol } = facts;
  const { value, blobCount } = transaction;
  const l1 = l1Fee(facts);
  const withoutL1 = value + mostFees(transaction);
  const most = withoutL1 + (l1.wei ?? 0n);
  const parts = [
    ...(value > 0n ? ['the value'] : []),
    `its gas limit at its ${capName(transaction)}`,
    ...(blobCount > 0 ? ['its blobs at theirs'] : []),
    ...(l1.wei !== null && l1.wei > 0n ? [`the L1 fee of ${formatAmount(l1.wei, nativeSymbol)}`] : []),
  ].join(' + ');
  const needed = `${formatAmount(most, nativeSymbol)} (${parts})`;
  if (balance === null) return unknown(`the balance is unknown; it has to cover ${needed}`);
  const has = formatAmount(balance, nativeSymbol);
  if (balance >= most) {
    return l1.wei === null
      ? unknown(`${has} covers ${needed}, but has to cover the L1 fee too, which is unknown: ${l1.reason}`)
      : passes(`${has} covers ${needed}`);
  }
  const lacking = most - balance;
  // What lacks of the L1 fee alone is too little for three digits of the whole.
  const message =
    balance >= withoutL1
      ? `it waits: lacks ${lacking.toLocaleString('en')} wei of L1 fee: it has ${exactAmount(balance, nativeSymbol)} and needs ${exactAmount(most, nativeSymbol)} (${parts})`
      : `it waits until the account has ${formatAmount(lacking, nativeSymbol)} more: it has ${has} and needs ${needed}`;
  return needs('insufficient_balance', message);
}

/** What a rollup takes beside gas for posting it to L1, operator fee included. */
const l1Fee = ({ transaction, dataFees }: PreflightFacts): KnownFee =>
  transactionDataFee(dataFees ?? NO_DATA_FEES, transaction);

/** Checks that the cap covers the next base fee. A target below the base fee waits in any case. */
export function capCheck({ target }: AutoTxOrder, bid: Bid, nextBaseFee: bigint | null): Found {
  const cap = capOf(bid);
  const limit = `it waits while the base fee is above your ${capWords(bid)}`;
  if (nextBaseFee === null) return unknown(`${limit}; the next base fee is unknown`);
  if (nextBaseFee > cap) {
    const found = target < nextBaseFee ? waits : needs;
    return found('cap_below_base', limit);
  }
  const tip = bid.maxPriorityFeePerGas;
  const left = cap - nextBaseFee;
  const squeezed =
    tip !== null && left < tip
      ? `, which leaves ${gweiBeside(left, tip)} of your priority fee of ${gwei(tip)}`
      : '';
  return passes(
    `your ${capWords(bid)} covers the next base fee of ${gweiBeside(nextBaseFee, cap)}${squeezed}`,
  );
}

function blobCapCheck({ transaction, nextBlobBaseFee }: PreflightFacts): Found {
  const cap = transaction.maxFeePerBlobGas ?? 0n;
  const limit = `it waits while the blob base fee is above your blob cap of ${gwei(cap)}`;
  if (nextBlobBaseFee === null) return unknown(`${limit}; the next blob base fee is unknown`);
  const next = gweiBeside(nextBlobBaseFee, cap);
  return nextBlobBaseFee <= cap
    ? passes(`your blob cap of ${gwei(cap)} covers the next blob base fee of ${next}`)
    : waits('blob_cap_below_base', limit);
}

function costCheck(facts: PreflightFacts): Found {
  const { transaction, nativeSymbol, nextBlobBaseFee } = facts;
  const price = priceToPay(facts);
  const blobCap = transaction.maxFeePerBlobGas ?? 0n;
  const blobPrice = nextBlobBaseFee !== null && nextBlobBaseFee < blobCap ? nextBlobBaseFee : blobCap;
  const l1 = l1Fee(facts);
  const beside = l1.wei ?? 0n;
  const blobs = transaction.blobCount > 0 ? ', blobs included' : '';
  const then = amountWords(feesAt(transaction, price.pays, blobPrice) + beside, facts);
  const most = amountWords(mostFees(transaction) + beside, facts);
  const fees =
    then === most
      ? `fees of at most ${most} at your ${capWords(transaction)}${blobs}`
      : `fees of ${price.pays === price.least ? 'about' : 'up to'} ${then} ${price.words}${blobs}; at most ${most}`;
  const posting =
    l1.wei === null
      ? `, plus the L1 fee, which is unknown: ${l1.reason}`
      : l1.wei > 0n
        ? `, L1 fee of ${amountWords(l1.wei, facts)} included`
        : '';
  const value = transaction.value > 0n ? `; it sends ${exactAmount(transaction.value, nativeSymbol)}` : '';
  if (facts.order.costLimit !== null)
    return passes(
      `${limitedWords(facts.order, transaction)}; ${most} at its ${capName(transaction)}${blobs}${posting}${value}`,
    );
  const cost = `${fees}${posting}${value}`;
  const tooMuch = overpaidWords(price, facts);
  return tooMuch === null ? passes(cost) : warns(OVERPAYS, `${tooMuch}; ${cost}`);
}

/** Whether it can be included at this target, and how far the price is from it. @param hold what holds it back even then */
function reachableCheck(facts: PreflightFacts, hold: string | null): Found {
  const { order, transaction, nextBaseFee } = facts;
  const reason = unreachable(order, transaction, nextBaseFee === null ? null : nextBaseFee > 0n);
  if (reason !== null) {
    const isOfTarget = reason === 'gas-price' || reason === 'tip';
    return blocks(isOfTarget ? 'unreachable_target' : 'cap_zero', neverWords(reason, facts));
  }
  const { costLimit } = order;
  if (costLimit !== null && costLimit.reason !== null) {
    return waits(
      'target_unknown',
      `it waits to cost ${maxCostWords(costLimit.maxCost)}: ${costLimit.reason}`,
    );
  }
  const next = nextPrices(facts);
  const message = [whenWords(facts, next, hold), ...notes(facts, next)].join('; ');
  if (next === null) return unknown(message);
  return isDue(order, transaction, next) ? passes(message) : waits('target_not_reached', message);
}

function neverWords(why: Unreachable, { order, transaction }: PreflightFacts): string {
  const target = `your target of ${gwei(order.target)}`;
  switch (why) {
    case 'gas-price':
      return `it always pays its gas price of ${gwei(capOf(transaction))}, which is above ${target}: that is never reached; raise the target, or sign it again with less`;
    case 'tip':
      return `its priority fee of ${gwei(transaction.maxPriorityFeePerGas ?? 0n)} leaves nothing of ${target} for the base fee: that is never reached; raise the target, or sign it again with a lower priority fee`;
    case 'no-cap':
      return `its ${capName(transaction)} is 0, and the base fee never is: it can never be included; sign it again with more`;
    case 'no-blob-cap':
      return 'its blob cap is 0, and the blob base fee is at least 1 wei: it can never be included; sign it again with more';
  }
}

/** The lane's price differs from the price the transaction pays. */
function whenWords(facts: PreflightFacts, next: NextPrices | null, hold: string | null): string {
  const { order, transaction } = facts;
  const canBroadcast = facts.cannotBroadcastReason == null;
  const whose = order.isStrict ? 'its own price' : `the ${LANE_TITLES[order.lane]} lane`;
  const cost = order.costLimit === null ? '' : ` and it costs ${maxCostWords(order.costLimit.maxCost)}`;
  const goal = `${whose} is at or below ${gwei(order.target)}${cost}`;
  const waits = canBroadcast ? 'it waits' : 'it would wait';
  if (next === null) return `${waits} until ${goal}; the price is unknown now`;
  if (!isReached(order, transaction, next)) return `${waits} until ${goal}`;
  if (!isDue(order, transaction, next)) {
    return `target reached; ${waits} until the base fee is at or below your ${capWords(transaction)}`;
  }
  if (!canBroadcast) return 'target reached';
  if (hold !== null) return `target reached; waits for ${hold}`;
  const pays = overpaidBy(facts);
  const own = pays === null ? '' : `, but pays ${gweiBeside(pays, order.target)} itself (see cost)`;
  return `target reached: it is broadcast at once${own}`;
}

/** `null` when a needed price is unknown. A strict target needs no lane price. */
function nextPrices({ order, nextBaseFee, lanePrice }: PreflightFacts): NextPrices | null {
  if (nextBaseFee === null || (!order.isStrict && lanePrice === null)) return null;
  return { nextBaseFee, lanePrice: lanePrice ?? 0n };
}

function notes(facts: PreflightFacts, next: NextPrices | null): readonly string[] {
  const { order, transaction, cannotBroadcastReason } = facts;
  const isThere = next !== null && isReached(order, transaction, next);
  const isCapped = !order.isStrict && capOf(transaction) < order.target && !isThere;
  const isTipless = transaction.maxFeePerGas !== null && transaction.maxPriorityFeePerGas === 0n;
  return [
    cannotBroadcastReason != null && `nothing is broadcast from here: ${cannotBroadcastReason}`,
    isCapped &&
      `it also waits while the base fee is above your ${capWords(transaction)}, which is below the target`,
    isTipless && 'its priority fee is 0, so blocks may leave it out',
  ].filter((each) => each !== false);
}

/** `pays`: wei per gas; `least`: if only the base fee falls; `isMost`: an upper bound, because a price is unknown. */
interface PriceToPay {
  readonly pays: bigint;
  readonly least: bigint;
  readonly isMost: boolean;
  /** `at 5.35 gwei, its own tip included, when the Average lane is at your target of 5 gwei` */
  readonly words: string;
}

/**
 * In the next block when its target is reached, else at the target. Its lane comes down by base fee or tips: where the present
 * base fee is no higher than the target, it may stay, and the transaction adds its own signed tip. A strict target is the
 * transaction's own price.
 */
function priceToPay(facts: PreflightFacts): PriceToPay {
  const { transaction, order, lanePrice, nextBaseFee, isTargetPresent } = facts;
  const { target } = order;
  const cap = capOf(transaction);
  const next = nextPrices(facts);
  if (isTargetPresent || (next !== null && isDue(order, transaction, next))) {
    const pays = nextBaseFee === null ? cap : paysAt(transaction, nextBaseFee);
    const when = isTargetPresent ? 'at the present price of' : 'in the next block, at';
    return { pays, least: pays, isMost: nextBaseFee === null, words: `${when} ${gweiBeside(pays, target)}` };
  }
  const atTarget = `at your target of ${gwei(target)}`;
  if (order.isStrict) {
    const pays = transaction.maxFeePerGas === null || cap < target ? cap : target;
    return { pays, least: pays, isMost: false, words: atTarget };
  }
  const laneTip = nextBaseFee === null || lanePrice === null ? 0n : atLeast0(lanePrice - nextBaseFee);
  const least = paysAt(transaction, atLeast0(target - laneTip));
  const base = nextBaseFee !== null && nextBaseFee < target ? nextBaseFee : target;
  const pays = paysAt(transaction, base);
  const price = `${gweiBeside(pays, target)}${next === null ? ' or less' : ''}`;
  const words = `at ${price}, its own tip included, when the ${LANE_TITLES[order.lane]} lane is ${atTarget}`;
  return { pays, least, isMost: next === null, words };
}

/** The minimum price it pays, wei per gas, when that is far above its lane's target; else `null`. */
function overpaidBy(facts: PreflightFacts, { least: known, isMost } = priceToPay(facts)): bigint | null {
  const { transaction, order, isTargetPresent } = facts;
  if (isTargetPresent || order.isStrict) return null;
  // It pays its tip at any base fee.
  const least = isMost ? paysAt(transaction, 0n) : known;
  return isFarAbove(least, order.target) ? least : null;
}

/** A warning where the transaction pays much more than its lane's target; else `null`. */
function overpaidWords(price: PriceToPay, facts: PreflightFacts): string | null {
  const { transaction, order } = facts;
  const least = overpaidBy(facts, price);
  if (least === null) return null;
  const tip = transaction.maxFeePerGas === null ? null : transaction.maxPriorityFeePerGas;
  const field = tip === null ? `gas price of ${gwei(least)}` : `own priority fee of ${gwei(tip)}`;
  const pays = `${price.isMost ? 'at least' : 'about'} ${gweiBeside(least, order.target)}`;
  const strict = unreachable({ ...order, isStrict: true }, transaction, true);
  const advice = `${strict === null ? 'use a strict target, or ' : ''}sign it again with a lower one`;
  return `its ${field} makes it pay ${pays}, far above your target of ${gwei(order.target)}: ${advice}`;
}

/** A user-chosen price, exact: `30 gwei`. */
const gwei = (wei: bigint) => `${exactGwei(wei)} gwei`;

/** A price next to a user-chosen one: three digits, or as many as distinguish the two. */
const gweiBeside = (wei: bigint, chosen: bigint) => `${priceBeside(wei, chosen)} gwei`;

/** The limiting field: `cap of 30 gwei`, `gas price of 30 gwei`. */
const capWords = (bid: Bid) => `${capName(bid)} of ${gwei(capOf(bid))}`;

const capName = ({ maxFeePerGas }: Bid) => (maxFeePerGas === null ? 'gas price' : 'cap');

/** `0.00105 ETH ($3.20)`; without dollars when the coin's price is unknown. */
function amountWords(wei: bigint, { nativeSymbol, nativeUsd }: PreflightFacts): string {
  const native = formatAmount(wei, nativeSymbol);
  return nativeUsd === null ? native : `${native} (${formatUsd(usdOf(wei, nativeUsd))})`;
}
