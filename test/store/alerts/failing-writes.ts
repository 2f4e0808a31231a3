import type { Engine } from '../../helpers/databases.ts';

/** How a write fails, and how that ends. */
export const FAILURES: Readonly<Record<Engine, readonly [string, string]>> = {
  SQLite: [
    "create trigger broken before insert on meta begin select raise(abort, 'no'); end",
    'drop trigger broken',
  ],
  PostgreSQL: [
    'alter table meta add constraint broken check (value is null) not valid',
    'alter table meta drop constraint broken',
  ],
};
