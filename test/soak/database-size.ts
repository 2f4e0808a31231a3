import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Bytes that a row takes in SQLite with its index entries: one of header for each column, 4 for times and block
 * numbers, 6 for wei, 8 for means and shares, and 5 for the cell. docs/PERFORMANCE.md has the sums.
 */
const ROW_BYTES = {
  blocks: 130,
  rollups: 175,
  advice: 100,
  alert_events: 350,
  deliveries: 1_100,
  delivery_attempts: 150,
} as const;
/** `0x` and 64 digits, where the source knows them: a block's and its parent's, and the block's with its advice. */
const HASH_BYTES = 67;
/** Tables and indexes take a page each, however empty. */
const EMPTY_BYTES = 60 * 4_096;
/** SQLite writes the log back from 1,000 pages on; one transaction may be under way. */
const LOG_MOST_BYTES = 1_500 * (4_096 + 24);

type Table = keyof typeof ROW_BYTES;
const TABLES = [
  'blocks',
  'rollups',
  'advice',
  'alert_events',
  'deliveries',
  'delivery_attempts',
] as const satisfies readonly Table[];

export interface DatabaseSize {
  readonly rows: Readonly<Record<Table, number>>;
  /** What these rows come to. */
  readonly expectedBytes: number;
  /** The file, and its write-ahead log. */
  readonly fileBytes: number;
  readonly logBytes: number;
}

/** Looks at the database while a program has it open. */
export function databaseSize(path: string): DatabaseSize {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const count = (sql: string) => Number(database.prepare(`select count(*) as n from ${sql}`).get()?.n);
    const rows = {
      blocks: count('blocks'),
      rollups: count('rollups'),
      advice: count('advice'),
      alert_events: count('alert_events'),
      deliveries: count('deliveries'),
      delivery_attempts: count('delivery_attempts'),
    };
    const hashes = 2 * count('blocks where hash is not null') + count('advice where block_hash is not null');
    const kept = TABLES.reduce((sum, table) => sum + rows[table] * ROW_BYTES[table], 0);
    return {
      rows,
      expectedBytes: EMPTY_BYTES + kept + hashes * HASH_BYTES,
      fileBytes: statSync(path).size,
      logBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    };
  } finally {
    database.close();
  }
}

/** What of the size is not as computed, in words; empty: all is. Pages are never quite full, and some wait to be. */
export function sizeProblems({ rows, expectedBytes, fileBytes, logBytes }: DatabaseSize): string[] {
  const said: string[] = [];
  const ratio = fileBytes / expectedBytes;
  // The newest rows may be in the log alone.
  const least = Math.max(expectedBytes * 0.75 - logBytes, 0) / expectedBytes;
  if (ratio > 1.25 || ratio < least) {
    said.push(`the database has ${fileBytes} bytes; ${JSON.stringify(rows)} come to ${expectedBytes}`);
  }
  if (logBytes > LOG_MOST_BYTES)
    said.push(`its log has ${logBytes} bytes; it should end at ${LOG_MOST_BYTES}`);
  return said;
}
