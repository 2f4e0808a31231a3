/** What is read, or begins and ends a transaction. */
const WRITES_NOTHING = /^\s*(?:select|pragma|explain|begin|commit|rollback|savepoint|release)\b/i;
const WRITES_ONE_TABLE = /^\s*(?:insert(?: or \w+)? into|update|delete from)\s+"(\w+)"/i;
/** Stands for each table, where a statement does not say which. */
const EVERY_TABLE = '*';

/** Counts what this process writes, table by table. What is taken back again has been counted all the same. */
export class WriteCounts {
  readonly #counts = new Map<string, number>();

  /** How often rows of `table` have been written. */
  of(table: string): number {
    return (this.#counts.get(table) ?? 0) + (this.#counts.get(EVERY_TABLE) ?? 0);
  }

  /** Called when a statement has changed rows of `table`. */
  count(table: string): void {
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
  }
}

/** The table that a statement writes; `null`: none. */
export function writtenTable(statement: string): string | null {
  if (WRITES_NOTHING.test(statement)) return null;
  return WRITES_ONE_TABLE.exec(statement)?.[1] ?? EVERY_TABLE;
}
