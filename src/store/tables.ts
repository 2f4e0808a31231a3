import { type Kysely, PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely';
import type { AlertEventRow, FiringTallyRow } from './alert-firings.ts';
import type { AlertRow } from './alert-rows.ts';
import type { AutoTxEventRow, AutoTxRow, AutoTxTallyRow, SignedTransactionRow } from './auto-tx-rows.ts';
import type { BlockRow } from './block-rows.ts';
import type { RollupRow } from './rollups.ts';

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

interface MetaRow {
  key: string;
  value: string;
}

/** Who follows the chain, fires alerts and sends on this database. */
interface LeaseRow {
  name: string;
  /** Chance made it up; another one each time a process takes the lease. */
  holder: string;
  /** For people: `gastop serve, process 4711`. */
  process: string;
  /** Its machine, process id and start, for others on that machine. */
  place: string | null;
  since: number;
  heartbeat_at: number;
  /** What it says of its work: JSON. */
  report: string | null;
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

interface SigningSecretRow {
  owner: string;
  secret: string;
  /** The secret before, which signs as well until then, ms since epoch. */
  previous: string | null;
  previous_until: number | null;
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

/** Whether it runs on PostgreSQL, for the few things that SQLite says otherwise. */
export const isPostgres = <Schema>(db: Kysely<Schema>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** One key. Times in Unix seconds, hashes as hexadecimal SHA-256; the key itself is not kept. */
export interface KeyRow {
  id: string;
  name: string;
  plan: string;
  hash: string;
  /** The hash before the last rotation, so that the old key can be told what became of it. */
  previous_hash: string | null;
  created_at: number;
  rotated_at: number | null;
  revoked_at: number | null;
}

/** What one key has used on one day. */
interface UsageRow {
  key_id: string;
  /** Days since 1970-01-01, UTC. */
  day: number;
  used: number;
  /** On a server: the second that it was used in last, Unix s, and how much of that. */
  second: number;
  in_second: number;
}

export interface KeyTables {
  keys: KeyRow;
  usage: UsageRow;
}

/** Rows written by one statement: far below the 32,766 values that SQLite takes, and the 65,535 of PostgreSQL. */
const ROWS_AT_ONCE = 256;

/** Rows in pages that one statement can write. */
export function pagesOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, page) =>
    rows.slice(page * ROWS_AT_ONCE, (page + 1) * ROWS_AT_ONCE),
  );
}

type OwnedTable = 'alerts' | 'alert_events' | 'firing_tallies' | 'auto_txs' | 'auto_tx_tallies';

/** Of what a query finds, what an owner has; who runs the service (the owner '') has all. */
export const ownedBy = <Table extends OwnedTable, Output>(
  query: SelectQueryBuilder<Tables, Table, Output>,
  owner: string,
) => (owner === '' ? query : query.where(sql<boolean>`owner = ${owner}`));

/** How many rows a query finds. */
export async function countRows<Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const { count } = await query.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

const skipped = new Set<string>();

/** What rows hold. One that no program of ours wrote, as in a damaged file, is left out, and a warning names it once. */
export function readRows<Row extends { readonly id: string }, Kept>(
  rows: readonly Row[],
  read: (row: Row) => Kept,
): Kept[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch {
      if (!skipped.has(row.id))
        process.emitWarning(`${row.id} is left out: its row in the database cannot be read`);
      skipped.add(row.id);
      return [];
    }
  });
}
