import { CompiledQuery } from 'kysely';
import type { Queries } from './schema.ts';

/** Statement sizes in rows. A statement is built once per size: building costs far more than running. */
const SIZES = [64, 8, 1] as const;

/**
 * Inserts many rows of one table with a few prepared statements. All rows carry the same keys in the same order. Answers
 * what the statements return.
 */
export class BulkInsert<Row extends object, Returned = unknown> {
  readonly #compile: (db: Queries, rows: readonly Row[]) => CompiledQuery<Returned>;
  readonly #statements = new Map<number, CompiledQuery<Returned>>();

  constructor(compile: (db: Queries, rows: readonly Row[]) => CompiledQuery<Returned>) {
    this.#compile = compile;
  }

  async run(trx: Queries, rows: readonly Row[]): Promise<Returned[]> {
    const returned: Returned[] = [];
    let at = 0;
    for (const size of SIZES) {
      for (; rows.length - at >= size; at += size) {
        const result = await trx.executeQuery(this.#statement(trx, rows.slice(at, at + size)));
        returned.push(...result.rows);
      }
    }
    return returned;
  }

  #statement(db: Queries, rows: readonly Row[]): CompiledQuery<Returned> {
    const parameters: unknown[] = [];
    for (const row of rows) parameters.push(...Object.values(row));
    let statement = this.#statements.get(rows.length);
    if (statement === undefined) {
      statement = this.#compile(db, rows);
      this.#statements.set(rows.length, statement);
    }
    return CompiledQuery.raw(statement.sql, parameters);
  }
}
