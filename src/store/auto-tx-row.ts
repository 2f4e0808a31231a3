import { AUTO_TX_STATUSES } from '../contract/choices.ts';
import { LANES } from '../core/advice.ts';
import type { AutoTxState, Inclusion } from '../core/auto-txs/auto-tx-state.ts';
import type { Check, KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import type { AutoTxRow } from './auto-tx-schema.ts';
import { wakeColumns } from './auto-tx-wakes.ts';
import { integer } from './block-row.ts';
import {
  address,
  amount,
  finite,
  hash,
  hex,
  maybe,
  moment,
  oneOf,
  text,
  unreadable,
  wei,
  whole,
} from './columns.ts';

const TYPES = [0, 1, 2, 3, 4] as const;
const RETURNS_TO = ['DISABLED', 'CANCELLED', 'EXPIRED', 'FAILED'] as const;

/** @throws RangeError where what was signed does not fit a row: it is never kept as anything else. */
export function toAutoTxRow(autoTx: KeptAutoTx): AutoTxRow {
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
    hash: signed?.hash ?? null,
    signed_chain: signed?.chainId ?? null,
    from_address: signed?.from ?? null,
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
    chain_block: inclusion?.blockNumber ?? state.takenSince,
    checks: JSON.stringify(autoTx.checks),
    data: autoTx.data,
  };
}

/** @throws RangeError or SyntaxError for a row that no program of ours wrote. */
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
    note: text(row.note),
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
    nativeUsd: maybe(row.native_usd, finite),
  };
}

/** `null`: a draft. @throws RangeError for a row that no program of ours wrote. */
export function toSigned(row: AutoTxRow): KeptAutoTx['signed'] {
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
    failure:
      row.failure_code === null ? null : { code: text(row.failure_code), message: text(row.failure_message) },
    hold:
      row.hold_code === null
        ? null
        : {
            code: text(row.hold_code),
            message: text(row.hold_message),
            retryAt: moment(row.hold_until),
            times: whole(row.hold_times),
          },
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

/** Those that cannot be read are left out: they are made again before anything depends on them. */
function toChecks(json: string): Check[] {
  const read: unknown = parsed(json);
  return Array.isArray(read) ? read.flatMap(toCheck) : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function toCheck(read: unknown): Check[] {
  if (typeof read !== 'object' || read === null) return [];
  if (!('name' in read && 'ok' in read && 'message' in read)) return [];
  const { name, ok, message } = read;
  if (typeof name !== 'string' || typeof message !== 'string') return [];
  return ok === null || typeof ok === 'boolean' ? [{ name, ok, message }] : [];
}

/** What a row holds of an amount that has to be exact. */
function exact(wei: bigint): number {
  const value = Number(wei);
  if (!Number.isSafeInteger(value)) throw new RangeError('an amount of a transaction is above 2^53 − 1');
  return value;
}
