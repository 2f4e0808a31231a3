import type { Migration } from 'kysely/migration';
import { keys } from './keys.ts';

/** Every change of the keys' schema in order. A released one is never edited; the next one is added below. */
export const KEY_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-keys': keys,
};
