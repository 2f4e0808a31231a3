import { AUTO_TX_STATUSES } from '../contract/choices.ts';
import { LANES } from '../core/advice.ts';
import { type Check, type KeptAutoTx, resultOf } from '../core/auto-txs/kept-auto-tx.ts';
import { type AutoTxState, type Inclusion, isFinal } from '../core/auto-txs/state-machine.ts';
import { wakesOf } from '../core/auto-txs/target.ts';
import { integer } from './block-rows.ts';
import { address, amount, hash, hex, maybe, moment, oneOf, unreadable, wei, whole } from './columns.ts';

/** Signed bytes: only the engine reads them, and they are deleted a day after the auto-tx ends. */
export interface SignedTransactionRow {
  auto_tx_id: string;
  /** When the auto-tx ended, ms since epoch: its bytes are no longer handed out. `null`: they may be sent. */
  ended_at: number | null;
  bytes: Uint8Array;
  /** Id of the encryption key; `null`: not encrypted, in a file from an older version. */
  key_id: string | null;
}

/** Totals of an owner's executed auto-txs, including deleted ones. */
export interface AutoTxTallyRow {
  owner: string;
  executed: number;
  /** Saving against the price at creation: decimal text. */
  saved_wei: string;
  usd: number;
  unpriced: number;
}

const TYPES = [0, 1, 2, 3, 4] as const;
const RETURNS_TO = ['DISABLED', 'CANCELLED', 'EXPIRED', 'FAILED'] as const;

/** Wei per gas; times in ms since epoch; decimal text for what may exceed 2^53 − 1. Signed bytes are elsewhere. */
export type AutoTxRow = ReturnType<typeof toAutoTxRow>;

/** @throws RangeError when a signed value does not fit a row: it is never stored rounded. */
export function toAutoTxRow(autoTx: KeptAutoTx) {
  const { order, signed, state } = autoTx;
  const { inclusion, hold, failure } = state;
  return {
    id: autoTx.id,
    owner: autoTx.owner,
    chain_id: autoTx.chainId,
    created_at: autoTx.createdAt,
    updated_at: autoTx.updatedAt,
    target: exact(order.target),
    lane: order.lane,
    is_strict: order.isStrict ? 1 : 0,
    expires_at: order.expiresAt,
    note: autoTx.note,
    to_address: autoTx.to,
    value: String(autoTx.value),
    type: signed?.type ?? null,
    hash: maybe(signed?.hash, String),
    // `null` for drafts and for transactions signed for any chain (before EIP-155).
    signed_chain: signed?.chainId ?? null,
    from_address: maybe(signed?.from, String),
    nonce: signed?.nonce ?? null,
    gas_limit: maybe(signed?.gasLimit, exact),
    gas_price: maybe(signed?.gasPrice, exact),
    max_fee: maybe(signed?.maxFeePerGas, exact),
    max_priority_fee: maybe(signed?.maxPriorityFeePerGas, exact),
    max_blob_fee: maybe(signed?.maxFeePerBlobGas, exact),
    blob_count: signed?.blobCount ?? null,
    intrinsic_gas: maybe(signed?.intrinsicGas, exact),
    status: state.status,
    attempts: state.attempts,
    submitted_at: state.submittedAt,
    sent_at: state.sentAt,
    may_be_out: state.mayBeOut ? 1 : 0,
    block_number: inclusion?.blockNumber ?? null,
    block_hash: inclusion?.blockHash ?? null,
    outcome: inclusion?.outcome ?? null,
    gas_used: maybe(inclusion?.gasUsed, integer),
    effective_gas_price: maybe(inclusion?.effectiveGasPrice, integer),
    other_fees: maybe(inclusion?.otherFees, String),
    mined_at: inclusion?.minedAt ?? null,
    returns_to: state.returnsTo,
    taken_since: state.takenSince,
    unseen: state.unseen,
    executed_at: state.executedAt,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    hold_code: hold?.code ?? null,
    hold_message: hold?.message ?? null,
    hold_until: hold?.retryAt ?? null,
    hold_times: hold?.times ?? null,
    checked_at: autoTx.checkedAt,
    price_at_creation: maybe(autoTx.priceAtCreation, integer),
    day_mean_price: maybe(autoTx.dayMeanPrice, integer),
    native_usd: autoTx.nativeUsd,
    ...wakeColumns(autoTx),
    // The block that its state depends on: a rewind below it undoes the state.
    chain_block: restsOn(state),
    checks: JSON.stringify(autoTx.checks),
    data: autoTx.data,
  };
}

/** The block that includes it, or at which its nonce was first seen taken; `null` when it is final. */
function restsOn({ status, inclusion, takenSince }: AutoTxState): number | null {
  if (inclusion === null) return takenSince;
  return isFinal(status) ? null : inclusion.blockNumber;
}

export function toKeptAutoTx(row: AutoTxRow): KeptAutoTx {
  return {
    id: row.id,
    owner: row.owner,
    chainId: whole(row.chain_id),
    order: {
      target: wei(row.target),
      lane: oneOf(LANES, row.lane),
      isStrict: row.is_strict === 1,
      expiresAt: maybe(row.expires_at, moment),
    },
    note: row.note,
    to: maybe(row.to_address, address),
    value: amount(row.value),
    data: hex(row.data),
    signed: toSigned(row),
    state: toState(row),
    checks: toChecks(row.checks),
    checkedAt: maybe(row.checked_at, moment),
    createdAt: moment(row.created_at),
    updatedAt: moment(row.updated_at),
    priceAtCreation: maybe(row.price_at_creation, wei),
    dayMeanPrice: maybe(row.day_mean_price, wei),
    nativeUsd: row.native_usd,
  };
}

function toSigned(row: AutoTxRow): KeptAutoTx['signed'] {
  if (row.hash === null) return null;
  return {
    type: oneOf(TYPES, row.type),
    hash: hash(row.hash),
    chainId: maybe(row.signed_chain, whole),
    from: address(row.from_address),
    nonce: whole(row.nonce),
    gasLimit: wei(row.gas_limit),
    gasPrice: maybe(row.gas_price, wei),
    maxFeePerGas: maybe(row.max_fee, wei),
    maxPriorityFeePerGas: maybe(row.max_priority_fee, wei),
    maxFeePerBlobGas: maybe(row.max_blob_fee, wei),
    blobCount: whole(row.blob_count),
    intrinsicGas: wei(row.intrinsic_gas),
  };
}

function toState(row: AutoTxRow): AutoTxState {
  const status = oneOf(AUTO_TX_STATUSES, row.status);
  if (row.hash === null && status !== 'DRAFT' && status !== 'CANCELLED' && status !== 'FAILED')
    throw unreadable();
  return {
    status,
    attempts: whole(row.attempts),
    submittedAt: maybe(row.submitted_at, moment),
    sentAt: maybe(row.sent_at, moment),
    mayBeOut: row.may_be_out === 1,
    inclusion: toInclusion(row),
    returnsTo: maybe(row.returns_to, (value) => oneOf(RETURNS_TO, value)),
    takenSince: maybe(row.taken_since, whole),
    unseen: whole(row.unseen),
    executedAt: maybe(row.executed_at, moment),
    failure: maybe(row.failure_code, (code) => ({ code, message: row.failure_message ?? '' })),
    hold: maybe(row.hold_code, (code) => ({
      code,
      message: row.hold_message ?? '',
      retryAt: moment(row.hold_until),
      times: whole(row.hold_times),
    })),
  };
}

function toInclusion(row: AutoTxRow): Inclusion | null {
  if (row.block_number === null) return null;
  return {
    blockNumber: whole(row.block_number),
    blockHash: hash(row.block_hash),
    outcome: oneOf(['success', 'reverted'] as const, row.outcome),
    gasUsed: wei(row.gas_used),
    effectiveGasPrice: wei(row.effective_gas_price),
    otherFees: amount(row.other_fees),
    minedAt: moment(row.mined_at),
  };
}

/** Rows of earlier versions have neither result nor code. */
type KeptCheck = Pick<Check, 'name' | 'ok' | 'message'> & Partial<Check>;

const toChecks = (json: string): Check[] =>
  (JSON.parse(json) as KeptCheck[]).map((check) => ({ code: null, result: resultOf(check.ok), ...check }));

function exact(wei: bigint): number {
  const value = Number(wei);
  if (!Number.isSafeInteger(value)) throw new RangeError('an amount of a transaction is above 2^53 − 1');
  return value;
}

/** Prices at or below which a waiting auto-tx is evaluated, and the `cap` above which no block includes it. */
function wakeColumns({ order, signed, state }: KeptAutoTx) {
  const wakes = state.status === 'PENDING' && signed !== null ? wakesOf(order, signed) : null;
  return {
    wake_lane: maybe(wakes?.wakeLane, String),
    wake_price: maybe(wakes?.wakePrice, integer),
    wake_base: maybe(wakes?.wakeBase, integer),
    cap: maybe(wakes?.cap, integer),
  };
}
