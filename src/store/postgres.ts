import { PostgresDialect } from 'kysely';
import pg from 'pg';

/** Of one process on one database; PostgreSQL takes 100 in all by default. */
const CONNECTIONS = 8;
const CONNECT_WITHIN_MS = 10_000;
/** A process that stands still in a transaction loses it: its lease's row is wanted by others. */
const IDLE_IN_TRANSACTION_MS = 5_000;
const LOCK_WITHIN_MS = 5_000;
const STATEMENT_WITHIN_MS = 60_000;

/** PostgreSQL 13 is out of support. */
export const OLDEST_POSTGRES = 14;

/** Wei, times and counts are below 2^53, and so are the sums that are asked for. */
const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

/**
 * Connects when it is first asked. TLS, user and password come from the URL, the `PG*` variables or `~/.pgpass`. A
 * certificate is always verified, as `sslmode=require` alone does not everywhere; `sslmode=no-verify` is for those who
 * want that.
 */
export function postgresDialect(url: string): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full'),
    application_name: 'gastop',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    lock_timeout: LOCK_WITHIN_MS,
    statement_timeout: STATEMENT_WITHIN_MS,
    keepAlive: true,
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        NUMBERS.includes(type) ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // A connection may be cut at any time; the query on it fails, and the next one gets another connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const query = client.query.bind(client);
    // It takes no NUL in a text, as a note or an id in a request may hold one.
    Object.assign(client, {
      query: (text: string, values: readonly unknown[] = []) => query(text, values.map(withoutNul)),
    });
  });
  return new PostgresDialect({ pool });
}

const withoutNul = (value: unknown) =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
