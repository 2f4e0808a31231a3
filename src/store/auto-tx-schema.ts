/**
 * One auto-tx. Wei per gas; times in ms since epoch. Amounts that may be larger than 2^53 − 1 are decimal text. What was
 * signed lies in `signed_transactions`, so that no question about this table can answer it.
 */
export interface AutoTxRow {
  id: string;
  /** The id of the key that made it; empty: who runs the service. */
  owner: string;
  chain_id: number;
  created_at: number;
  updated_at: number;
  target: number;
  lane: string;
  is_strict: number;
  expires_at: number | null;
  note: string;
  to_address: string | null;
  value: string;
  type: number | null;
  hash: string | null;
  /** The chain that it was signed for; null: a draft, or any chain (before EIP-155). */
  signed_chain: number | null;
  from_address: string | null;
  nonce: number | null;
  gas_limit: number | null;
  gas_price: number | null;
  max_fee: number | null;
  max_priority_fee: number | null;
  max_blob_fee: number | null;
  blob_count: number | null;
  intrinsic_gas: number | null;
  status: string;
  attempts: number;
  submitted_at: number | null;
  sent_at: number | null;
  may_be_out: number;
  block_number: number | null;
  block_hash: string | null;
  outcome: string | null;
  gas_used: number | null;
  effective_gas_price: number | null;
  other_fees: string | null;
  mined_at: number | null;
  /** Where one that came back by itself goes again. */
  returns_to: string | null;
  taken_since: number | null;
  unseen: number;
  executed_at: number | null;
  failure_code: string | null;
  failure_message: string | null;
  hold_code: string | null;
  hold_message: string | null;
  hold_until: number | null;
  hold_times: number | null;
  checked_at: number | null;
  price_at_creation: number | null;
  day_mean_price: number | null;
  native_usd: number | null;
  /** Of a pending one that waits for a lane's price: the lane, and the price at or below which it is looked at. */
  wake_lane: string | null;
  wake_price: number | null;
  /** Of a pending one with a strict target: the next base fee at or below which it is looked at. */
  wake_base: number | null;
  /** The next base fee above which no block takes it. */
  cap: number | null;
  /**
   * The block that its state rests on: the one that has it, or at which its nonce was first seen to be another's. A
   * rewind below it takes that back.
   */
  chain_block: number | null;
  /** JSON: the lines of the last pre-flight. */
  checks: string;
  data: string;
}

/** What may be sent: nothing but the engine reads it, and it goes when it cannot be sent any more. */
export interface SignedTransactionRow {
  auto_tx_id: string;
  /** The block in which it is final, if it is: the bytes are kept for some blocks more, for a reorg. */
  mined_block: number | null;
  /** The raw bytes. */
  bytes: Uint8Array;
}

export interface AutoTxEventRow {
  auto_tx_id: string;
  /** 1, 2, 3, … for each auto-tx. */
  seq: number;
  at: number;
  kind: string;
  block_number: number | null;
  message: string;
}

/** What an owner's executed auto-txs come to, also those that were deleted since. */
export interface AutoTxTallyRow {
  owner: string;
  executed: number;
  /** What they saved against the price when they were made: decimal text. */
  saved_wei: string;
  /** The same in dollars, of those whose dollar price is known. */
  usd: number;
  /** How many saved something and have no dollar price. */
  unpriced: number;
}
