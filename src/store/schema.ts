import type { Kysely } from 'kysely';
import type {
  AlertEventRow,
  AlertRow,
  DeliveryAttemptRow,
  DeliveryRow,
  FiringTallyRow,
  SigningSecretRow,
} from './alert-schema.ts';
import type { AutoTxEventRow, AutoTxRow, AutoTxTallyRow, SignedTransactionRow } from './auto-tx-rows.ts';

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
