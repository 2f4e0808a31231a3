import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
} from 'kysely';

/** All tables but those of SQLite itself. */
export const FILE_TABLES = sql<{ name: string }>`
  select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`;

/** Preparing takes longer than running, and the same few statements run for every block. */
const CACHED_STATEMENTS = 256;

/** Kysely's SQLite dialect over Node's own database. */
export function sqliteDialect(file: DatabaseSync): Dialect {
  const database = adapt(file);
  const dialect = new SqliteDialect({ database });
  return {
    createDriver: () => new ForgivingDriver({ database }),
    createAdapter: () => new TransactionalDdlAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
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
    prepare(text) {
      const statement = cache.get(text) ?? adaptStatement(database.prepare(text), text);
      if (cache.size >= CACHED_STATEMENTS) cache.clear();
      cache.set(text, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync, text: string): SqliteStatement {
  const bind = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    // `columns` of a statement came with Node 22.16.
    reader: /^\s*(?:select|with|pragma|explain)\b|\breturning\b/i.test(text),
    all: (parameters) => statement.all(...bind(parameters)),
    run: (parameters) => statement.run(...bind(parameters)),
    iterate: (parameters) => statement.iterate(...bind(parameters)),
  };
}
