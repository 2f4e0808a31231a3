import { AUTO_TX_STATUSES } from '../contract/choices.ts';
import { LANES } from '../core/advice.ts';
import { type Check, resultOf } from '../core/auto-txs/check.ts';
import type { AutoTxOrder, MaxCost } from '../core/auto-txs/order.ts';
import { type AutoTxState, isFinal } from '../core/auto-txs/state-machine.ts';
import type { StoredAutoTx } from '../core/auto-txs/stored-auto-tx.ts';
import { autoTxWakes, type Bid } from '../core/auto-txs/target.ts';
import type { TransactionParts } from '../core/transactions/gas-rules.ts';
import {
  address,
  amount,
  columns,
  exactWei,
  flagCell,
  hashCell,
  hex,
  integer,
  jsonCell,
  maybeCell,
  moment,
  oneOf,
  orNull,
  plainCell,
  unreadable,
  wei,
  wholeCell,
} from './columns.ts';

/** Signed bytes: only a sender's turn reads them, and they are deleted a day after the auto-tx ends. */
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

type StoredCheck = Pick<Check, 'name' | 'ok' | 'message'> & Partial<Check>;

const withDefaults = (check: StoredCheck): Check => ({ code: null, result: resultOf(check.ok), ...check });

const AUTO_TX = columns({
  id: ['id', plainCell<string>()],
  owner: ['owner', plainCell<string>()],
  chainId: ['chain_id', wholeCell],
  note: ['note', plainCell<string>()],
  to: ['to_address', orNull(address)],
  value: ['value', amount],
  data: ['data', hex],
  checks: ['checks', jsonCell<readonly Check[]>((all) => (all as StoredCheck[]).map(withDefaults))],
  checkedAt: ['checked_at', orNull(moment)],
  createdAt: ['created_at', moment],
  updatedAt: ['updated_at', moment],
  priceAtCreation: ['price_at_creation', orNull(wei)],
  dayMeanPrice: ['day_mean_price', orNull(wei)],
  nativeUsd: ['native_usd', plainCell<number | null>()],
});
const COST_LIMIT = columns({
  maxCost: ['max_cost', jsonCell<MaxCost>()],
  gas: ['estimated_gas', orNull(exactWei)],
  since: ['effective_since', orNull(moment)],
  reason: ['threshold_reason', plainCell<string | null>()],
});
const ORDER = columns({
  target: ['target', exactWei],
  lane: ['lane', oneOf(LANES)],
  isStrict: ['is_strict', flagCell],
  expiresAt: ['expires_at', orNull(moment)],
});
const SIGNED = columns({
  type: ['type', oneOf([0, 1, 2, 3, 4])],
  hash: ['hash', hashCell],
  // `null` for transactions signed for any chain (before EIP-155).
  chainId: ['signed_chain', orNull(wholeCell)],
  from: ['from_address', address],
  nonce: ['nonce', wholeCell],
  gasLimit: ['gas_limit', exactWei],
  gasPrice: ['gas_price', orNull(exactWei)],
  maxFeePerGas: ['max_fee', orNull(exactWei)],
  maxPriorityFeePerGas: ['max_priority_fee', orNull(exactWei)],
  maxFeePerBlobGas: ['max_blob_fee', orNull(exactWei)],
  blobCount: ['blob_count', wholeCell],
  // `null` in rows of older programs, until the leader has read their bytes.
  parts: ['gas_parts', orNull(jsonCell<TransactionParts>())],
  compressedSize: ['compressed_size', orNull(wholeCell)],
});
const STATE = columns({
  status: ['status', oneOf(AUTO_TX_STATUSES)],
  attempts: ['attempts', wholeCell],
  submittedAt: ['submitted_at', orNull(moment)],
  sentAt: ['sent_at', orNull(moment)],
  mayBeOut: ['may_be_out', flagCell],
  returnsTo: ['returns_to', orNull(oneOf(AUTO_TX_STATUSES))],
  takenSince: ['taken_since', orNull(wholeCell)],
  unseenSince: ['unseen_since', orNull(moment)],
  resends: ['resends', wholeCell],
  resendAt: ['resend_at', orNull(moment)],
  executedAt: ['executed_at', orNull(moment)],
});
const INCLUSION = columns({
  blockNumber: ['block_number', wholeCell],
  blockHash: ['block_hash', hashCell],
  outcome: ['outcome', oneOf(['success', 'reverted'])],
  gasUsed: ['gas_used', wei],
  effectiveGasPrice: ['effective_gas_price', wei],
  otherFees: ['other_fees', amount],
  minedAt: ['mined_at', moment],
});
const FAILURE = columns({
  code: ['failure_code', plainCell<string>()],
  message: ['failure_message', plainCell<string>()],
});
const HOLD = columns({
  code: ['hold_code', plainCell<string>()],
  message: ['hold_message', plainCell<string>()],
  retryAt: ['hold_until', moment],
  times: ['hold_times', wholeCell],
});

/** The columns of a target that was worked out anew. */
export const targetColumns = ({ order, signed, state }: StoredAutoTx) => ({
  target: exactWei.write(order.target),
  ...COST_LIMIT.writeOrNull(order.costLimit),
  ...wakeColumns(order, state.status === 'PENDING' ? signed : null),
});

/** Prices at or below which it is evaluated while it waits, and the `cap` above which no block includes it. */
function wakeColumns(order: AutoTxOrder, bid: Bid | null) {
  const wakes = bid && autoTxWakes(order, bid);
  return {
    wake_lane: maybeCell(wakes?.wakeLane, String),
    wake_price: maybeCell(wakes?.wakePrice, integer),
    wake_base: maybeCell(wakes?.wakeBase, integer),
    cap: maybeCell(wakes?.cap, integer),
  };
}

/** Wei per gas; times in ms since epoch; decimal text for what may exceed 2^53 − 1. Signed bytes are elsewhere. */
export type AutoTxRow = ReturnType<typeof toAutoTxRow>;

/** @throws RangeError when a signed value does not fit a row. */
export function toAutoTxRow(autoTx: StoredAutoTx) {
  const { order, signed, state } = autoTx;
  return {
    ...AUTO_TX.write(autoTx),
    ...ORDER.write(order),
    ...SIGNED.writeOrNull(signed && { ...signed, compressedSize: signed.compressedSize ?? null }),
    ...STATE.write(state),
    ...INCLUSION.writeOrNull(state.inclusion),
    ...FAILURE.writeOrNull(state.failure),
    ...HOLD.writeOrNull(state.hold),
    ...targetColumns(autoTx),
    // The block that its state depends on: a rewind below it undoes the state.
    chain_block: restsOn(state),
  };
}

/** The block that includes it, or at which its nonce was first seen taken; `null` when it is final. */
function restsOn({ status, inclusion, takenSince }: AutoTxState): number | null {
  if (inclusion === null) return takenSince;
  return isFinal(status) ? null : inclusion.blockNumber;
}

export function toStoredAutoTx(row: AutoTxRow): StoredAutoTx {
  const { status, ...state } = STATE.read(row);
  if (row.hash === null && status !== 'DRAFT' && status !== 'CANCELLED' && status !== 'FAILED')
    throw unreadable();
  return {
    ...AUTO_TX.read(row),
    order: { ...ORDER.read(row), costLimit: row.max_cost === null ? null : COST_LIMIT.read(row) },
    signed: row.hash === null ? null : SIGNED.read(row),
    state: {
      ...state,
      status,
      inclusion: row.block_number === null ? null : INCLUSION.read(row),
      failure: row.failure_code === null ? null : FAILURE.read(row),
      hold: row.hold_code === null ? null : HOLD.read(row),
    },
  };
}
