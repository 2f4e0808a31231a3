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
import { isHoldUnknown, resultOf } from '../../core/auto-txs/check.ts';
import { isGasCode } from '../../core/auto-txs/gas-check.ts';
import { isFinal, isWaiting } from '../../core/auto-txs/state-machine.ts';
import { OVERPAYS } from '../../core/auto-txs/stored-auto-tx.ts';
import { cannotBroadcastReason, paysAt } from '../../core/auto-txs/target.ts';
import { type Hex, isHex } from '../../core/block.ts';
import { countedRows, lenient, said, type Wire, weiFromGwei } from '../lenient.ts';
import type { ListView } from './alerts.ts';
import { ratioTo } from './distance.ts';
import type { SnapshotView } from './gas.ts';
import { PendingView } from './pending.ts';
import { laneOf } from './words.ts';

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

/** The contract's status; `null` for a service's own. */
export const statusOf = ({ status }: Pick<AutoTxView, 'status'>): AutoTxStatus | null =>
  AUTO_TX_STATUSES.find((each) => each === status) ?? null;

const hasStatus = (autoTx: Pick<AutoTxView, 'status'>, ...statuses: readonly AutoTxStatus[]) =>
  statuses.some((status) => status === statusOf(autoTx));

export function isOver(autoTx: Pick<AutoTxView, 'status'>): boolean {
  const status = statusOf(autoTx);
  return status !== null && isFinal(status);
}

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

/** The fields that decide when an auto-tx is sent. */
export type AutoTxTarget = Pick<AutoTxView, 'target' | 'gasSpeed' | 'isStrict'> &
  Partial<Pick<AutoTxView, 'maxCost' | 'thresholdReason'>>;

/** The same with its bid. */
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

export type TargetDistance = NonNullable<ReturnType<typeof distanceToTarget>>;

/** The status of an auto-tx once it is signed, by the one that the change asks for: a disabled one stays so. */
export const signedStatus = (stored: Pick<AutoTxView, 'status'> | null, asked?: string): string =>
  asked ?? (stored?.status === 'DISABLED' ? 'DISABLED' : 'PENDING');

/**
 * Whether it is broadcast at once, by its prices and these checks; its service decides by its own. `null`: unknown, because a
 * check that can hold it back is.
 */
export function isSentAtOnce(
  autoTx: PricedAutoTx & Pick<AutoTxView, 'status'>,
  snapshot: SnapshotView,
  checks: readonly CheckView[],
): boolean | null {
  if (autoTx.status === 'DISABLED') return false;
  const distance = distanceToTarget(autoTx, snapshot);
  if (distance === null || !distance.isThere || distance.isCapped) return false;
  if (cannotBroadcastReason(snapshot.source.kind) !== null || obstacleOf(checks) !== null) return false;
  if (checks.some(({ name, result }) => name === 'blob-cap' && result === 'wait')) return false;
  return isHoldUnknown(checks) ? null : true;
}

export function overpaysCheck(checks: readonly CheckView[]): CheckView | null {
  return checks.find(({ code }) => code === OVERPAYS) ?? null;
}

/** Whether a check of an auto-tx that is not broadcast yet needs attention, independent of its price. */
export const needsAttention = (autoTx: AutoTxView): boolean =>
  isWaiting(autoTx) && autoTx.checks.some(({ ok }) => ok === false);

/** Checks of the price, which the distance to the target already shows. */
const PRICE_CHECKS: ReadonlySet<string> = new Set(['reachable', 'cap', 'blob-cap']);

/** The check that prevents sending at any price, or until something else is done; `null` when there is none. */
export function obstacleOf(checks: readonly CheckView[]): CheckView | null {
  const waiting = ({ name, result }: CheckView) => result === 'wait' && !PRICE_CHECKS.has(name);
  return checks.find(({ result }) => result === 'block') ?? checks.find(waiting) ?? null;
}

/** The probability that it is sent in time, 0 to 1; `null` when unknown, or when more than the price holds it. */
export function chanceOf(autoTx: Pick<AutoTxView, 'checks' | 'reachProbability'>): number | null {
  return obstacleOf(autoTx.checks) === null ? autoTx.reachProbability : null;
}

/** Whether the gas rules of the next block hold it: nothing but a new signature, or a reorg over the fork, frees it. */
export const isHeldByRules = (autoTx: Pick<AutoTxView, 'status' | 'hold'>): boolean =>
  hasStatus(autoTx, 'PENDING') && isGasCode(autoTx.hold?.code ?? undefined);
