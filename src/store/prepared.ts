import type { Compilable, CompiledQuery, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** Where a value goes in a {@link prepared} query. */
export type Slots<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query that is put together once, by `build`, and run with other values each time: for what every block asks, as
 * putting a query together costs more than running it. What a query is made of may not depend on the values.
 */
export function prepared<Values extends object, Row>(
  build: (db: Queries, slot: Slots<Values>) => Compilable<Row>,
): (db: Queries, values: Values) => Promise<Row[]> {
  let statement: CompiledQuery<Row> | null = null;
  return async (db, values) => {
    statement ??= build(db, (name) => sql`${new Slot(name)}`).compile();
    const given = new Map<string, unknown>(Object.entries(values));
    const parameters = statement.parameters.map((each) =>
      each instanceof Slot ? given.get(each.name) : each,
    );
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}
