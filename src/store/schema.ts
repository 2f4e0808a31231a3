import type { Kysely } from 'kysely';

/** One block. Wei as integers up to 2^53−1, time in Unix seconds. */
export interface BlockRow {
  number: number;
  hash: string | null;
  parent_hash: string | null;
  timestamp: number;
  base_fee: number;
  gas_used: number | null;
  gas_limit: number | null;
  gas_used_ratio: number;
  blob_base_fee: number | null;
  next_base_fee: number | null;
  next_blob_base_fee: number | null;
  tip_p10: number | null;
  tip_p25: number | null;
  tip_p50: number | null;
  tip_p75: number | null;
  tip_p90: number | null;
  tip_p95: number | null;
  tip_p99: number | null;
}

/** The blocks of one stretch of time, folded. Means are exact over the blocks, so they are not whole wei. */
export interface RollupRow {
  bucket_sec: number;
  start: number;
  blocks: number;
  first_block: number;
  last_block: number;
  base_open: number;
  base_min: number;
  base_mean: number;
  base_max: number;
  base_close: number;
  /** How many of the blocks had known tips; the tip means are over these. */
  tipped_blocks: number;
  tip_p10: number | null;
  tip_p25: number | null;
  tip_p50: number | null;
  tip_p75: number | null;
  tip_p90: number | null;
  tip_p95: number | null;
  tip_p99: number | null;
  ratio_mean: number;
  ratio_max: number;
}

/** What was advised after one block. Wei per gas, time in Unix seconds. */
export interface AdviceRow {
  block_number: number;
  block_hash: string | null;
  /** The block's own. */
  timestamp: number;
  version: number;
  action: string;
  target_price: number;
  /** The cap and the tip to send with, and the last block that lets them in; `null` where waiting was advised. */
  max_fee: number | null;
  max_priority_fee: number | null;
  due_block: number | null;
  /** When the target is to have been reached; `null` where sending was advised. */
  due_at: number | null;
  probability: number | null;
  /** `kept`, `missed`, or `unknown` where there are no blocks that would tell; `null`: it still runs. */
  verdict: string | null;
  /** The block that ended it: without that block it runs again. */
  settled_block: number | null;
}

export interface MetaRow {
  key: string;
  value: string;
}

/** One alert. Wei per gas; times in ms since epoch. The wakes are what `core/alerts/alert-rule.ts` says of its phase. */
export interface AlertRow {
  id: string;
  /** The id of the key that made it; empty: who runs the service. */
  owner: string;
  created_at: number;
  updated_at: number;
  lane: string;
  condition: string;
  threshold: number;
  hysteresis: number;
  confirm_blocks: number;
  cooldown_ms: number;
  disable_once: number;
  method: string;
  /** JSON: the channels in their order. */
  channels: string;
  /** JSON: each channel's target. */
  targets: string;
  note: string;
  phase: string;
  true_since: number | null;
  cooldown_until: number | null;
  has_left: number;
  wake_at_most: number | null;
  wake_at_least: number | null;
  wake_block: number | null;
  wake_ms: number | null;
  trigger_count: number;
  last_triggered_at: number | null;
  missed_count: number;
  last_missed_at: number | null;
  disabled_reason: string | null;
}

/** One firing. `triggered_at` is the block's own time, ms. */
export interface AlertEventRow {
  /** The alert's id, a dot, and how often it had fired with this. */
  id: string;
  alert_id: string;
  owner: string;
  block_number: number;
  block_hash: string | null;
  triggered_at: number;
  condition: string;
  price: number;
  reference_price: number | null;
  native_usd: number | null;
}

/** What an owner's firings within one hour come to, also those that were forgotten since. */
export interface FiringTallyRow {
  owner: string;
  /** Its start, ms since epoch, by block time. */
  hour: number;
  firings: number;
  /** Wei per gas that they saved, in two halves: the whole is `saved_high` times 10^6 and `saved_low`. */
  saved_high: number;
  saved_low: number;
  /** The same in dollars per gas times 10^18, of those whose dollar price is known. */
  usd: number;
  /** How many saved something and have no dollar price. */
  unpriced: number;
}

/** What is sent to one channel for one firing. Times in ms. */
export interface DeliveryRow {
  /** The event's id, a dot, and the channel in small letters: the idempotency key. */
  id: string;
  event_id: string;
  alert_id: string;
  channel: string;
  target: string;
  /** JSON: what `AlertMessage` holds, as it was when the alert fired. */
  message: string;
  status: string;
  created_at: number;
  /** Since `tries_since`: when it fired, or when somebody asked for it again. */
  tries: number;
  tries_since: number;
  /** `null`: it is done. */
  next_attempt_at: number | null;
}

export interface DeliveryAttemptRow {
  delivery_id: string;
  at: number;
  latency_ms: number;
  ok: number;
  answer: string;
}

export interface SigningSecretRow {
  owner: string;
  secret: string;
}

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
  /** A pending one's lane, while a lane's price wakes it: the price at which it does. */
  wake_lane: string | null;
  wake_price: number | null;
  /** A pending one's next base fee at which it wakes, where its target is strict. */
  wake_base: number | null;
  /** The next base fee above which no block takes it. */
  cap: number | null;
  /** The block without which its state is another: where it is mined, or its nonce was seen to be another's. */
  chain_block: number | null;
  /** JSON: the lines of the last pre-flight. */
  checks: string;
  data: string;
}

/** What may be sent: nothing but the engine reads it, and it goes when it cannot be sent any more. */
export interface SignedTransactionRow {
  auto_tx_id: string;
  /** Where it is final: they are kept a while longer, for a reorg. */
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

/** Who follows the chain, fires alerts and sends on this database. */
export interface LeaseRow {
  name: string;
  /** Chance made it up; another one each time a process takes the lease. */
  holder: string;
  /** For people: `gastop serve, process 4711`. */
  process: string;
  since: number;
  heartbeat_at: number;
}

export interface Tables {
  blocks: BlockRow;
  rollups: RollupRow;
  advice: AdviceRow;
  meta: MetaRow;
  alerts: AlertRow;
  alert_events: AlertEventRow;
  firing_tallies: FiringTallyRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  signing_secrets: SigningSecretRow;
  leases: LeaseRow;
  auto_txs: AutoTxRow;
  signed_transactions: SignedTransactionRow;
  auto_tx_events: AutoTxEventRow;
  auto_tx_tallies: AutoTxTallyRow;
}

export type Queries = Kysely<Tables>;
