import * as z from 'zod';
import {
  AutoTxAccount as AutoTxAccountWire,
  type AutoTxCreationInput,
  AutoTxDetails as AutoTxDetailsWire,
  AutoTxList,
  type AutoTxUpdateInput,
  AutoTx as AutoTxWire,
} from '../../contract/auto-txs.ts';
import { AUTO_TX_STATUSES, type AutoTxStatus, CHECK_RESULTS } from '../../contract/choices.ts';
import { type MaxCost, maxCostText } from '../../core/auto-txs/cost-limit.ts';
import { isGasCode } from '../../core/auto-txs/gas-check.ts';
import { isFarAbove, OVERPAYS, resultOf } from '../../core/auto-txs/stored-auto-tx.ts';
import { type Bid, cannotBroadcastReason, paysAt } from '../../core/auto-txs/target.ts';
import { type Hex, isHex } from '../../core/block.ts';
import { chainProfile, coinSymbol } from '../../core/chains.ts';
import { cleanText, shortHex, withShortHashes } from '../../core/text.ts';
import type { DescribedCall } from '../../core/transactions/describe-call.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import {
  exactAmount,
  exactGwei,
  formatAmount,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatNative,
  formatSavedNative,
  formatSavedUsd,
  nativeString,
  shortGwei,
  UNKNOWN,
  utcMinute,
} from '../../core/units.ts';
import { countedRows, lenient, said, type Wire, weiFromGwei } from '../lenient.ts';
import { describeDistance, type ListView, laneOf, plainWord, ratioTo, titleWord } from './alerts.ts';
import { counted, dollarsBehind, type Fact, mapped } from './fact.ts';
import type { SnapshotView } from './gas.ts';
import { describeCoins } from './metrics.ts';
import { PendingView } from './pending.ts';

/** An auto-tx for a service, which may offer further values than the contract. */
export interface NewAutoTx extends Omit<AutoTxCreationInput, 'gasSpeed'> {
  readonly gasSpeed?: string | undefined;
}

export interface AutoTxChange extends Omit<AutoTxUpdateInput, 'gasSpeed' | 'status'> {
  readonly gasSpeed?: string | undefined;
  readonly status?: string | undefined;
}

const { checks, failure, hold } = AutoTxWire.shape;

/** Other services may return only `ok`. */
const Check = lenient(checks.element, 'name').transform((wire) => ({
  ...wire,
  result: CHECK_RESULTS.find((each) => each === wire.result) ?? resultOf(wire.ok),
  message: said(wire.message) ?? wire.name,
}));
export type CheckView = z.infer<typeof Check>;

const WIRE = AutoTxWire.extend({
  checks: z.array(Check),
  failure: lenient(failure.unwrap(), 'message'),
  hold: lenient(hold.unwrap(), 'message'),
});

const autoTxOf = ({
  targetGasPriceGwei,
  strictTargetPrice: isStrict,
  threshold: maxCost,
  effectiveThresholdGwei: _effective,
  warnings: _warnings,
  savings,
  ...wire
}: Wire<typeof WIRE.shape, 'id'>) => ({
  ...wire,
  target: weiFromGwei(targetGasPriceGwei),
  maxCost,
  isStrict,
  data: hex(wire.data),
  gasLimit: wire.gasLimit === null ? null : BigInt(wire.gasLimit),
  hash: hex(wire.hash),
  gasUsed: wire.gasUsed === null ? null : BigInt(wire.gasUsed),
  atCreation: savings?.atCreation ?? null,
  dayMean: savings?.dayMean ?? null,
});

/** An auto-tx. Required: its id. `null`: unknown. `status` may be a service's own value. Times in ms. */
export const AutoTxView = lenient(WIRE, 'id').transform(autoTxOf);
export type AutoTxView = z.infer<typeof AutoTxView>;
/** Comparison with another price; `savedWei` is negative for a loss. */
export type ComparisonView = NonNullable<AutoTxView['atCreation']>;

/** The signed fields. `null`: unknown, or there are none. */
export type SignedTransactionView = Pick<
  AutoTxView,
  | ('chainId' | 'type' | 'from' | 'to' | 'value' | 'data' | 'nonce' | 'hash')
  | ('gasLimit' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'gasPrice')
>;

const hex = (text: string | null): Hex | null => (text !== null && isHex(text) ? text : null);

const Entry = lenient(AutoTxDetailsWire.shape.timeline.element).transform((wire) => ({
  ...wire,
  message: said(wire.message) ?? wire.kind ?? '',
}));
export type TimelineEntryView = z.infer<typeof Entry>;

/** `GET /auto-txs/{id}`. The timeline is newest first; `null` when the service has none. */
export const AutoTxDetailsView = lenient(
  WIRE.extend({ timeline: z.array(Entry).nullable(), pending: PendingView }),
  'id',
).transform(({ timeline, pending, ...wire }) => ({ ...autoTxOf(wire), timeline, pending }));
export type AutoTxDetailsView = z.infer<typeof AutoTxDetailsView> & {
  /** Why the details route failed, so that this comes from the list. */
  readonly problem?: string;
};

/** One page of `GET /auto-txs`, or all auto-txs of a service without paging. */
export const AutoTxPage = lenient(AutoTxList.extend({ items: countedRows(AutoTxView) }), 'items').transform(
  ({ items, total }) => ({ ...items, total }),
);
export type AutoTxListView = ListView<AutoTxView>;
const { waiting, dataFees } = AutoTxAccountWire.shape;

/** `GET /auto-txs/accounts/{address}`: a sender's account on the chain. */
export const AutoTxAccountView = lenient(
  AutoTxAccountWire.extend({
    waiting: z.array(lenient(waiting.element, 'id', 'nonce')),
    dataFees: lenient(dataFees.unwrap(), 'rate', 'operatorPerMillionGas', 'operatorConstant'),
  }),
  'nonce',
).transform(({ address: _, balanceWei, ...wire }) => ({
  ...wire,
  balance: balanceWei,
}));
export type AutoTxAccountView = z.infer<typeof AutoTxAccountView>;

/** Whether nodes may have it; if the service does not say: whether it was ever sent. */
export function mayBeMined({ mayBeMined: said, attempts, submittedAt }: AutoTxView): boolean {
  return said ?? (submittedAt !== null || (attempts ?? 0) > 0);
}

/** Texts about auto-txs, shared by monitor and commands. A service's own values are shown unchanged. */

/** The contract's status; `null` for a service's own. */
export const statusOf = ({ status }: Pick<AutoTxView, 'status'>): AutoTxStatus | null =>
  AUTO_TX_STATUSES.find((each) => each === status) ?? null;

const hasStatus = (autoTx: Pick<AutoTxView, 'status'>, ...statuses: readonly AutoTxStatus[]) =>
  statuses.some((status) => status === statusOf(autoTx));

export const isOver = (autoTx: Pick<AutoTxView, 'status'>): boolean =>
  hasStatus(autoTx, 'EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED');

/** Whether it may still be sent. */
export const isUnsent = (autoTx: Pick<AutoTxView, 'status'>): boolean =>
  !isOver(autoTx) && statusOf(autoTx) !== 'SUBMITTED';

export const isAwaited = (autoTx: Pick<AutoTxView, 'status'>): boolean =>
  hasStatus(autoTx, 'PENDING', 'SUBMITTED');

/** A state for people: the contract's, two finer ones, or a service's own. */
export type AutoTxStateView = Lowercase<AutoTxStatus> | 'held' | 'included' | 'other';
const lowercase = <Word extends string>(word: Word) => word.toLowerCase() as Lowercase<Word>;

export function autoTxState(autoTx: AutoTxView): AutoTxStateView {
  const status = statusOf(autoTx);
  if (status === null) return 'other';
  if (status === 'PENDING' && autoTx.hold !== null) return 'held';
  return status === 'SUBMITTED' && autoTx.blockNumber !== null ? 'included' : lowercase(status);
}

export function describeState(autoTx: AutoTxView): string {
  const state = autoTxState(autoTx);
  if (state !== 'other') return state;
  return autoTx.status === null ? 'not said' : plainWord(autoTx.status);
}

type AutoTxTarget = Pick<AutoTxView, 'target' | 'gasSpeed' | 'isStrict'> &
  Partial<Pick<AutoTxView, 'maxCost' | 'thresholdReason'>>;

/** `Average ≤ 0.04 gwei`, `its own price ≤ 0.04 gwei`, `cost ≤ $3 (0.04 gwei now)`, `cost ≤ $3 (no dollar price of ETH)` */
export function describeTarget(autoTx: AutoTxTarget): string {
  const { target, gasSpeed, isStrict, maxCost = null } = autoTx;
  if (maxCost !== null) {
    const now = target === null ? autoTx.thresholdReason : `${shortGwei(target)} gwei now`;
    return `${maxCostLimit(maxCost)}${now ? ` (${cleanText(now, LONGEST_REASON)})` : ''}`;
  }
  const price = isStrict === true ? 'its own price' : gasSpeed === null ? 'price' : titleWord(gasSpeed);
  return `${price} ≤ ${target === null ? UNKNOWN : shortGwei(target)} gwei`;
}

/** `cost ≤ $3`, `cost ≤ 2% of its value` */
const maxCostLimit = (maxCost: MaxCost): string =>
  `cost ≤ ${maxCostText(maxCost)}${'maxCostUsd' in maxCost ? '' : ' of its value'}`;

type TimeText = (ms: number) => string;

export type AutoTxContent = Pick<AutoTxView, 'chainId' | 'to' | 'value' | 'data' | 'type'>;

/** The content of a transaction in a few words: `0.01 ETH to 0x7099…79C8`, `transfer on 0xA0b8…eB48`. */
export function describeContent(
  { chainId, to, value, data, type }: AutoTxContent,
  called: Pick<DescribedCall, 'name'> | null = null,
): string {
  const delegation = type === 4 ? ', with a delegation' : '';
  const worth = value === null || value === 0n ? null : shortAmount(value, coinSymbol(chainId));
  const more = worth === null ? '' : ` with ${worth}`;
  if (to === null) {
    const isPlain = data === null || data === '0x';
    return `${isPlain ? (worth ?? 'not said') : `make a contract${more}`}${delegation}`;
  }
  const where = shortHex(to, '…');
  if (data === '0x') return `${worth ?? shortAmount(0n, coinSymbol(chainId))} to ${where}${delegation}`;
  const method = called?.name ?? (data === null ? 'call' : data.slice(0, 10));
  return `${method} on ${where}${more}${delegation}`;
}

/** Exact if short: `0.01 ETH`. */
function shortAmount(wei: bigint, symbol: string): string {
  const exact = nativeString(wei);
  return /^\d{1,3}(\.\d{1,6})?$/.test(exact) ? `${exact} ${symbol}` : formatAmount(wei, symbol);
}

/** `base fee 0.05 gwei, has to fall 12 %` */
export function describeTargetDistance(
  { isOfCap, price, ...distance }: TargetDistance,
  isStrict: boolean | null = null,
): string {
  const tip = isStrict === true && !isOfCap ? ' with its own tip' : '';
  return `${isOfCap ? 'base fee ' : ''}${formatGwei(price)} gwei${tip}, ${describeDistance(distance)}`;
}

/** When an auto-tx is sent; `when` words a time, `until` one ahead. */
export function describeOrder(
  autoTx: AutoTxView,
  snapshot: SnapshotView | null,
  when: TimeText,
  until: TimeText = when,
): readonly Fact[] {
  const { isStrict, maxCost, effectiveSince, reachWithinSec } = autoTx;
  const isEnded = isOver(autoTx);
  const distance = snapshot && isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null;
  const within = mapped(reachWithinSec, (sec) => ` within ${formatDuration(sec)}`) ?? '';
  const likely = (chance: number) => formatLikelihood(chance) + within;
  return [
    ['target', describeTarget(autoTx)],
    ['price since', maxCost && mapped(effectiveSince, when)],
    ['now', mapped(distance, (known) => describeTargetDistance(known, isStrict))],
    ['likely', mapped(isEnded ? null : chanceOf(autoTx), likely)],
    ['expires', mapped(isEnded ? null : autoTx.expiresAt, until)],
  ];
}

/** What was done for an auto-tx so far; `when` words a time. */
export const describeProgress = (autoTx: AutoTxView, when: TimeText): readonly Fact[] => [
  ['attempts', mapped(autoTx.attempts || null, formatCount)],
  ['created', mapped(autoTx.createdAt, when)],
  ['changed', mapped(autoTx.updatedAt, when)],
  ['submitted', mapped(autoTx.submittedAt, when)],
];

/** `0xa9059cbb, 68 bytes of data` */
export const describeData = (data: string): string =>
  `${data.slice(0, 10)}, ${sizeText((data.length - 2) / 2)} of data`;

export const sizeText = (bytes: number): string =>
  bytes < 10_000 ? `${formatCount(bytes)} bytes` : `${formatCount(bytes / 1_024)} KB`;

/** Effects and costs of a transaction, in the order in which one checks them. */
export function describeSigned(
  transaction: Omit<SignedTransactionView, 'hash'> &
    Partial<Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>>,
  { nativeUsd, chainId: here }: Pick<SnapshotView, 'nativeUsd' | 'chainId'>,
): readonly Fact[] {
  const { chainId, from, to, value, data, nonce, maxPriorityFeePerGas: tip } = transaction;
  const symbol = coinSymbol(chainId ?? here);
  const isContract = to === null && data !== null && data !== '0x';
  const dollars = (wei: bigint) => (wei === 0n ? '' : dollarsBehind(wei, nativeUsd));
  const limit = mapped(transaction.gasLimit, (gas) => `, gas limit ${formatCount(Number(gas))}`) ?? '';
  const tipText = mapped(tip, (wei) => `, tip ${exactGwei(wei)}`) ?? '';
  const most = exactGwei(transaction.maxFeePerBlobGas ?? 0n);
  const blobs =
    mapped(transaction.blobCount || null, (all) => `; ${counted(all, 'blob')} at most ${most}`) ?? '';
  const capped = (cap: bigint) => `at most ${exactGwei(cap)} gwei per gas${tipText}${blobs}`;
  const fixed = (price: bigint) => `${exactGwei(price)} gwei per gas, whatever the base fee is`;
  const named = (id: number) => {
    const { name } = chainProfile(id);
    return name.endsWith(String(id)) ? name : `${name} (${id})`;
  };
  return [
    ['from', from],
    ['to', to ?? (isContract ? 'none: it creates a contract' : null)],
    ['value', mapped(value, (wei) => `${exactAmount(wei, symbol)}${dollars(wei)}`)],
    ['nonce', mapped(nonce, (count) => `${count}${limit}`)],
    ['pays', mapped(transaction.maxFeePerGas, capped) ?? mapped(transaction.gasPrice, fixed)],
    ['chain', mapped(chainId, named)],
  ];
}

/** What became of it in a block; `when` words a time. Savings are negative where it paid more. */
export function describeOutcome(autoTx: AutoTxView, when: TimeText): readonly Fact[] {
  const { chainId, atCreation, dayMean, savedWei } = autoTx;
  const coin = { symbol: coinSymbol(chainId), nativeUsd: null };
  const savedAmount = (wei: bigint, usd: number | null) =>
    `${formatSavedNative(wei, coin.symbol)}${usd === null ? '' : `  ${formatSavedUsd(usd)}`}`;
  const saved = (compared: ComparisonView | null, than: string) =>
    mapped(compared, ({ savedWei: wei, savedUsd, referencePrice }) => {
      const price = mapped(referencePrice, (known) => ` of ${formatGwei(known)} gwei`) ?? '';
      return `${mapped(wei, (some) => savedAmount(some, savedUsd)) ?? UNKNOWN} against ${than}${price}`;
    });
  const alone = atCreation === null && dayMean === null ? savedWei : null;
  return [
    ['block', mapped(autoTx.blockNumber, (block) => `#${formatCount(block)}`)],
    ['confirmed', describeConfirmations(autoTx)],
    ['paid', mapped(autoTx.effectiveGasPrice, (wei) => `${formatGwei(wei)} gwei per gas`)],
    ['gas used', mapped(autoTx.gasUsed, (gas) => formatCount(Number(gas)))],
    ['cost', mapped(autoTx.costWei, (wei) => describeCoins(wei, coin, autoTx.costUsd))],
    ['saved', saved(atCreation, 'its price at creation') ?? mapped(alone, (wei) => savedAmount(wei, null))],
    [atCreation === null ? 'saved' : '', saved(dayMean, 'the 24h mean with its tip')],
    ['final', mapped(autoTx.executedAt, when)],
  ];
}

/** `by 3 of 12 blocks`, and once it is final `by 1,461 blocks; final after 12`; `null` when unknown. */
function describeConfirmations({
  confirmations: count,
  confirmationsNeeded: needed,
}: AutoTxView): string | null {
  if (count === null) return null;
  const blocks = counted(count, 'block');
  if (needed === null) return `by ${blocks}`;
  return count < needed
    ? `by ${count} of ${counted(needed, 'block')}`
    : `by ${blocks}; final after ${needed}`;
}

/** The fields that decide when an auto-tx is sent, and its bid. */
export type PricedAutoTx = AutoTxTarget &
  Pick<AutoTxView, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/**
 * `price` must fall, wei per gas: the lane's, a strict auto-tx's own, or the next base fee where the cap is farther
 * away than the target (`isOfCap`).
 */
export function distanceToTarget(autoTx: PricedAutoTx, snapshot: SnapshotView) {
  const { target } = autoTx;
  const price = comparedPrice(autoTx, snapshot);
  if (target === null || price === null) return null;
  const cap = autoTx.maxFeePerGas ?? autoTx.gasPrice;
  const { nextBaseFee } = snapshot;
  const isThere = price <= target;
  const isCapped = cap !== null && nextBaseFee !== null && cap < nextBaseFee;
  return isCapped && !isThere && nextBaseFee - cap > price - target
    ? { price: nextBaseFee, ratio: ratioTo(cap, nextBaseFee), isThere, isCapped, isOfCap: true }
    : { price, ratio: ratioTo(target, price), isThere, isCapped, isOfCap: false };
}

function comparedPrice(autoTx: PricedAutoTx, { lanes, nextBaseFee }: SnapshotView): bigint | null {
  if (autoTx.isStrict !== true) {
    const lane = laneOf(autoTx.gasSpeed);
    return lane === null ? null : lanes[lane].price;
  }
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = autoTx;
  if (maxFeePerGas === null) return gasPrice;
  return maxPriorityFeePerGas === null || nextBaseFee === null ? null : paysAt(autoTx, nextBaseFee);
}

type TargetDistance = NonNullable<ReturnType<typeof distanceToTarget>>;

/** Whether a pending auto-tx is broadcast at once, by its prices and these checks of it; its service decides by its own. */
export const isSentAtOnce = (distance: TargetDistance | null, checks: readonly CheckView[]): boolean =>
  distance?.isThere === true &&
  !distance.isCapped &&
  obstacleOf(checks) === null &&
  !checks.some(({ name, result }) => name === 'blob-cap' && result === 'wait');

/** `It pays 0.0507 gwei itself: fees of about 0.00000106 ETH ($0.003), at most 0.0000105 ETH.`; `null` when unknown. */
export function describeOwnFee(
  autoTx: Pick<AutoTxView, 'chainId' | 'gasLimit'> & Bid,
  { nextBaseFee, nativeUsd }: SnapshotView,
): string | null {
  const { gasLimit } = autoTx;
  const cap = autoTx.maxFeePerGas ?? autoTx.gasPrice;
  if (gasLimit === null || nextBaseFee === null || cap === null) return null;
  const pays = paysAt(autoTx, nextBaseFee);
  const fees = gasLimit * pays;
  const native = (wei: bigint) => formatNative(wei, coinSymbol(autoTx.chainId));
  return `It pays ${formatGwei(pays)} gwei itself: fees of about ${native(fees)}${dollarsBehind(fees, nativeUsd)}, at most ${native(gasLimit * cap)}.`;
}

export function overpaysCheck(checks: readonly CheckView[]): CheckView | null {
  return checks.find(({ code }) => code === OVERPAYS) ?? null;
}

/** Whether a check of an auto-tx that is not broadcast yet needs attention, independent of its price. */
export const needsAttention = (autoTx: AutoTxView): boolean =>
  hasStatus(autoTx, 'PENDING', 'DISABLED') && autoTx.checks.some(({ ok }) => ok === false);

/** Checks of the price, which the distance to the target already shows. */
const PRICE_CHECKS: ReadonlySet<string> = new Set(['reachable', 'cap', 'blob-cap']);

/** The check that prevents sending at any price, or until something else is done; `null` when there is none. */
export function obstacleOf(checks: readonly CheckView[]): CheckView | null {
  const waiting = ({ name, result }: CheckView) => result === 'wait' && !PRICE_CHECKS.has(name);
  return checks.find(({ result }) => result === 'block') ?? checks.find(waiting) ?? null;
}

/** The sign before a check. */
export function checkSign({ result, ok }: CheckView): '✓' | '!' | '◌' | '✗' | '?' {
  if (result === 'pass') return ok === false ? '!' : '✓';
  return result === 'block' ? '✗' : result === 'wait' ? '◌' : '?';
}

/** `2 wait`, `1 refuses, 1 to look at`, `all pass`: a summary of the checks. */
export function describeChecks(checks: readonly CheckView[]): string {
  const kinds = Map.groupBy(checks, ({ result, ok }) =>
    result === 'pass' && ok === false ? 'look' : result,
  );
  const parts = CHECK_WORDS.flatMap(([kind, one, several]) => {
    const count = kinds.get(kind)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return parts.length === 0 ? 'all pass' : parts.join(', ');
}

const CHECK_WORDS = [
  // A count of "blocks" would be read as one of the chain's.
  ['block', 'refuses', 'refuse'],
  ['wait', 'waits', 'wait'],
  ['look', 'to look at', 'to look at'],
  ['unknown', 'unknown', 'unknown'],
] as const;

/** The probability that it is sent in time, 0 to 1; `null` when unknown, or when more than the price holds it. */
export function chanceOf(autoTx: Pick<AutoTxView, 'checks' | 'reachProbability'>): number | null {
  return obstacleOf(autoTx.checks) === null ? autoTx.reachProbability : null;
}

interface Reason {
  readonly text: string;
  readonly severity: 'bad' | 'warn' | null;
}

const LONGEST_MESSAGE = 400;
const cleanMessage = (message: string) => cleanText(message, LONGEST_MESSAGE);

/** Why nothing is seen of a submitted one, and when it is sent again; `null` when a node shows it. Relays may hide their pool. */
function unseenText({ unseenSince, resends, resendAt }: AutoTxView, timeText: TimeText) {
  if (unseenSince === null) return null;
  const times =
    resends === null || resends === 0 ? '' : `; sent again ${resends === 1 ? 'once' : `${resends} times`}`;
  const next = resendAt === null ? '' : `; again from ${timeText(resendAt)} on while its target is reached`;
  return `sent; this node does not show it since ${timeText(unseenSince)}, as relays that hide their pool${times}${next}`;
}

export function describeReason(
  autoTx: AutoTxView,
  snapshot: SnapshotView,
  present: number,
  timeText: TimeText = utcMinute,
): Reason {
  const { failure, hold } = autoTx;
  const status = statusOf(autoTx);
  if (failure !== null) return { text: cleanMessage(failure.message), severity: 'bad' };
  if (status === 'PENDING') return pendingReason(autoTx, snapshot, present);
  if (status === 'DISABLED' && hold !== null) return { text: cleanMessage(hold.message), severity: 'warn' };
  const unsaid = autoTx.status === null ? 'the service does not say its status' : '';
  return { text: (status && REASONS[status]?.(autoTx, timeText)) ?? unsaid, severity: null };
}

const REASONS: Readonly<Partial<Record<AutoTxStatus, (autoTx: AutoTxView, timeText: TimeText) => string>>> = {
  DRAFT: () => 'not signed; e takes its signature',
  DISABLED: (autoTx) => `not broadcast while it is disabled; space enables it${sentBeforeText(autoTx)}`,
  SUBMITTED: (autoTx, timeText) =>
    autoTx.blockNumber === null
      ? (unseenText(autoTx, timeText) ?? 'broadcast; no block has it yet')
      : `in block ${formatCount(autoTx.blockNumber)}${confirmedText(autoTx)}`,
  EXECUTED: minedText,
  CANCELLED: cancelledText,
  EXPIRED: (autoTx) => `it expired before its target was reached${sentBeforeText(autoTx)}`,
};

function pendingReason(autoTx: AutoTxView, snapshot: SnapshotView, present: number): Reason {
  const { hold, checks } = autoTx;
  if (hold !== null) {
    const left = hold.retryAt === null ? 0 : Math.ceil((hold.retryAt - present) / 1_000);
    const again = left > 0 ? `; tried again in ${formatDuration(left)}` : '';
    return { text: `${cleanMessage(hold.message)}${again}`, severity: 'warn' };
  }
  const blocking = checks.find(({ result }) => result === 'block');
  if (blocking !== undefined) return { text: cleanMessage(blocking.message), severity: 'bad' };
  const distance = distanceToTarget(autoTx, snapshot);
  const isReached = distance?.isThere === true;
  const capText = distance?.isCapped === true ? waitsForCapText(autoTx, snapshot) : null;
  if (isReached && capText !== null)
    return { text: `target reached, but it waits ${capText}`, severity: 'warn' };
  const failed = checks.find(({ ok }) => ok === false);
  if (failed !== undefined) return { text: cleanMessage(failed.message), severity: 'warn' };
  const and = capText === null ? '' : `, and ${capText}`;
  if (!isReached) return { text: `waits until ${describeTarget(autoTx)}${and}`, severity: null };
  const obstacle = obstacleOf(checks)?.message ?? cannotBroadcastReason(snapshot.source.kind);
  const rest = obstacle === null ? ': it is broadcast at once' : `; ${cleanMessage(obstacle)}`;
  return { text: `target reached${rest}`, severity: null };
}

function waitsForCapText({ maxFeePerGas, gasPrice }: AutoTxView, { nextBaseFee }: SnapshotView): string {
  const gwei = (wei: bigint | null) => (wei === null ? UNKNOWN : `${formatGwei(wei)} gwei`);
  return `while the base fee of ${gwei(nextBaseFee)} is above its cap of ${gwei(maxFeePerGas ?? gasPrice)}`;
}

/** Added when the status does not show that it was sent before. */
export const sentBeforeText = (autoTx: Pick<AutoTxView, 'mayBeMined'>) =>
  autoTx.mayBeMined === true ? '; it was broadcast before and may be mined until its nonce is used' : '';

function cancelledText(autoTx: AutoTxView): string {
  const { submittedAt } = autoTx;
  if (mayBeMined(autoTx)) return `cancelled${sentBeforeText({ mayBeMined: true })}`;
  if (submittedAt !== null) return 'cancelled; its nonce is used, and no node has it';
  return autoTx.mayBeMined === null
    ? 'cancelled; the service does not say whether it was broadcast before'
    : 'cancelled before it was broadcast';
}

function confirmedText({ confirmations, confirmationsNeeded }: AutoTxView): string {
  if (confirmations === null) return '';
  return `, ${confirmations}${confirmationsNeeded === null ? '' : ` of ${confirmationsNeeded}`} confirmations`;
}

/** Unless strict, the target is for the lane, so the transaction's own tip may exceed it. */
function minedText(autoTx: AutoTxView): string {
  const { blockNumber, effectiveGasPrice: paid, atCreation, target, gasUsed } = autoTx;
  const block = blockNumber === null ? 'mined' : `mined in block ${formatCount(blockNumber)}`;
  const native = (wei: bigint) => formatNative(wei, coinSymbol(autoTx.chainId));
  const isAbove = paid !== null && target !== null && paid > target;
  const isFar = isAbove && isFarAbove(paid, target);
  const lost = isFar && gasUsed !== null ? `${native((paid - target) * gasUsed)} ` : '';
  const above = isAbove ? ` with its own tip, ${lost}above its target of ${formatGwei(target)} gwei` : '';
  const price = paid === null ? '' : ` at ${formatGwei(paid)} gwei${above}`;
  const saved = atCreation?.savedWei ?? autoTx.savedWei;
  if (saved === null || saved === 0n || isFar) return `${block}${price}`;
  return `${block}${price}, ${native(saved < 0n ? -saved : saved)} ${saved < 0n ? 'more' : 'less'} than at its creation`;
}

const LONGEST_REASON = 160;
const LONGEST_NOTE = 80;

/** Whether the gas rules of the next block hold it: nothing but a new signature, or a reorg over the fork, frees it. */
export const isHeldByRules = (autoTx: Pick<AutoTxView, 'status' | 'hold'>): boolean =>
  hasStatus(autoTx, 'PENDING') && isGasCode(autoTx.hold?.code ?? undefined);

/** A change of state in one line: `Auto-tx executed in block 24,337,605 at 0.0388 gwei: 0.01 ETH to …`. */
export function describeChange(autoTx: AutoTxView): string {
  const note = cleanText(autoTx.note ?? '', LONGEST_NOTE).trim();
  const named = note === '' ? describeContent(autoTx) : note;
  const { blockNumber, effectiveGasPrice: paid, failure } = autoTx;
  const status = statusOf(autoTx);
  const block = blockNumber === null ? '' : ` in block ${formatCount(blockNumber)}`;
  const price = paid === null ? '' : ` at ${formatGwei(paid)} gwei`;
  if (status === 'EXECUTED') return `Auto-tx executed${block}${price}: ${named}`;
  const message = cleanText(failure?.message ?? '', LONGEST_REASON);
  const reason = message === '' ? '' : `, ${withShortHashes(message, '…')}`;
  if (status === 'FAILED') return `Auto-tx failed: ${named}${reason}`;
  if (isHeldByRules(autoTx)) return `Auto-tx held: ${named}, ${cleanMessage(autoTx.hold?.message ?? '')}`;
  if (status !== 'EXPIRED') return `Auto-tx submitted: ${named}`;
  return `Auto-tx expired${(autoTx.attempts ?? 0) > 0 ? ', broadcast and not mined' : ''}: ${named}`;
}

/** Several changes at once: `5 auto-txs: 3 executed, 2 failed`. */
export function describeChanges(changed: readonly AutoTxView[]): string {
  const counts = new Map<string, number>();
  for (const autoTx of changed) {
    const word = isHeldByRules(autoTx) ? 'held' : (statusOf(autoTx) ?? 'other').toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${formatCount(count)} ${word}`);
  return `${formatCount(changed.length)} auto-txs: ${parts.join(', ')}`;
}
