import { accessSync, constants } from 'node:fs';
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { databaseName, parsedUrl } from './database-url.ts';
import { StoreError } from './errors.ts';

/** Per process and database; PostgreSQL allows 100 in all by default. */
const CONNECTIONS = 8;
const CONNECT_WITHIN_MS = 10_000;
/** A process that hangs in a transaction loses it: others need the row of its lease. */
const IDLE_IN_TRANSACTION_MS = 5_000;
const LOCK_WITHIN_MS = 5_000;
const STATEMENT_WITHIN_MS = 60_000;
/** The server ends a statement before: beyond that its answer is lost, though the connection may look alive. */
export const ANSWER_WITHIN_MS = STATEMENT_WITHIN_MS + 5_000;

/** For statements from now on. */
interface AnswerLimit {
  withinMs: number;
}

/** Wei, times, counts and their queried sums are below 2^53. */
const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

/**
 * Connects at the first query. TLS, user and password come from the URL, the `PG*` variables or `~/.pgpass`.
 * Certificates are always verified, even with `sslmode=require`; `sslmode=no-verify` disables that.
 */
export function postgresDialect(
  url: string,
  limit: AnswerLimit = { withinMs: ANSWER_WITHIN_MS },
): PostgresDialect {
  const parameters = parsedUrl(url)?.searchParams ?? new URLSearchParams();
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) requireReadable(url, name, parameters.get(name));
  const binding = parameters.get('channel_binding');
  const pool = new pg.Pool({
    enableChannelBinding: binding !== null && binding !== 'disable',
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
  // A connection may break at any time; its query fails, and the next one gets another connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const query: (statement: pg.QueryConfig) => Promise<pg.QueryResult> = client.query.bind(client);
    const ask = (text: string, values: readonly unknown[] = []) => {
      // PostgreSQL rejects NUL in text, which a note or id in a request may contain.
      const statement = { text, values: values.map(withoutNul), query_timeout: limit.withinMs };
      return query(statement).catch((error: unknown) => {
        // What comes late would be taken for the answer to the next statement.
        if (error instanceof Error && error.message === NO_ANSWER) void client.end().catch(() => {});
        throw error;
      });
    };
    Object.assign(client, { query: ask });
  });
  return new PostgresDialect({ pool });
}

/** The driver reads it only when it connects, and its error names neither. @throws {StoreError} */
function requireReadable(url: string, parameter: string, path: string | null): void {
  try {
    if (path) accessSync(path, constants.R_OK);
  } catch (cause) {
    const message = `no connection to ${databaseName(url)}: ${parameter} in its URL names a file that is not there, or cannot be read: ${path}`;
    throw new StoreError('unreachable', message, { cause });
  }
}

/** The driver's words for an answer that did not come in time. */
const NO_ANSWER = 'Query read timeout';

const withoutNul = (value: unknown) =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
