import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type DatabaseConnection,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';

/** Preparing takes longer than running, and the same few statements run for every block. */
const CACHED_STATEMENTS = 256;

export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: DatabaseSync) {
    const adapted = adapt(database);
    super({ database: adapted });
    this.#database = adapted;
  }

  override createDriver(): SqliteDriver {
    return new ForgivingDriver({ database: this.#database });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

/** SQLite rolls back by itself when the disk is full; the error stays the full disk, not the missing transaction. */
class ForgivingDriver extends SqliteDriver {
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
    }
  }
}

/** SQLite rolls back schema changes too: an interrupted migration must leave nothing behind. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const cached = cache.get(sql);
      if (cached !== undefined) return cached;
      const statement = adaptStatement(database.prepare(sql), sql);
      if (cache.size >= CACHED_STATEMENTS) cache.clear();
      cache.set(sql, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync, sql: string): SqliteStatement {
  const bind = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: returnsRows(statement, sql),
    all: (parameters) => statement.all(...bind(parameters)),
    run: (parameters) => statement.run(...bind(parameters)),
    iterate: (parameters) => statement.iterate(...bind(parameters)),
  };
}

function returnsRows(statement: StatementSync, sql: string): boolean {
  // `columns` came with Node 22.16; before, the text of the statement has to tell.
  if (typeof statement.columns === 'function') return statement.columns().length > 0;
  return /^\s*(?:select|with|pragma|explain)\b|\breturning\b/i.test(sql);
}
