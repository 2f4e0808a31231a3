import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/** Copies the row of `id` until there are `count` like it: as many requests would take seconds. */
export async function repeatRow(
  { queries }: Database,
  table: 'alerts' | 'auto_txs',
  { id, count }: { readonly id: string; readonly count: number },
): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(queries);
  const columns = rows.map(({ name }) => sql.ref(name));
  const copied = rows.map(({ name }) => (name === 'id' ? sql`id || '_' || copy` : sql.ref(name)));
  await sql`
    with recursive copies (copy) as (select 2 union all select copy + 1 from copies where copy < ${count})
    insert into ${sql.table(table)} (${sql.join(columns)})
    select ${sql.join(copied)} from ${sql.table(table)}, copies where id = ${id}
  `.execute(queries);
}
