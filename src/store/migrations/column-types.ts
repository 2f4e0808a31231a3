import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../tables.ts';

/** What each database calls a column that they do not call alike. Text is ordered by its bytes on both. */
export const columnTypes = (db: Kysely<unknown>) =>
  isPostgres(db)
    ? ({
        text: sql`text collate "C"`,
        address: sql`text collate "C"`,
        height: 'bigint',
        bytes: 'bytea',
      } as const)
    : // A primary key is the row's own number only as an integer.
      ({ text: 'text', address: sql`text collate nocase`, height: 'integer', bytes: 'blob' } as const);
