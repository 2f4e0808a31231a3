import { timingSafeEqual } from 'node:crypto';
import type { RouteGroup } from '../../contract/routes.ts';
import type { KeyRow } from '../../store/key-schema.ts';
import { type ApiKey, hashKey, readKey } from './key-format.ts';
import type { Plan, Plans } from './plans.ts';
import {
  groupForbidden,
  keyMissing,
  keyMistyped,
  keyRevoked,
  keyRotated,
  keyUnknown,
  planGone,
} from './refusals.ts';

/** No key has it: SHA-256 is not known to give all zeros for anything. */
const NO_HASH = '0'.repeat(64);

/** The key in the header, if it is whole. @throws {ApiFailure} `api_key_missing`, `api_key_invalid` */
export function wholeKey(header: string | null): ApiKey {
  if (header === null || header.trim() === '') throw keyMissing();
  const key = readKey(header.trim());
  if (key === null) throw keyMistyped();
  return key;
}

/**
 * The row of `key`, if it is the one that `row` keeps. An unknown id goes the same way as a wrong secret, so that the
 * time it takes tells nothing.
 * @throws {ApiFailure} `api_key_invalid`, `api_key_revoked`
 */
export function checkKey(key: ApiKey, row: KeyRow | undefined): KeyRow {
  const hash = hashKey(key);
  const isCurrent = isHash(hash, row?.hash ?? NO_HASH);
  const isPrevious = isHash(hash, row?.previous_hash ?? NO_HASH);
  if (row === undefined || !(isCurrent || isPrevious)) throw keyUnknown();
  if (row.revoked_at !== null) throw keyRevoked();
  if (isPrevious) throw keyRotated();
  return row;
}

/** The plan of a key, if it may use `group`; without one any plan will do. @throws {ApiFailure} `plan_forbidden` */
export function planOf(row: KeyRow, plans: Plans, group: RouteGroup | null): Plan {
  const plan = plans.get(row.plan);
  if (plan === undefined) throw planGone(row.plan);
  if (group !== null && !plan.groups.includes(group)) throw groupForbidden(plan, group);
  return plan;
}

function isHash(hash: Buffer, kept: string): boolean {
  const expected = Buffer.from(kept, 'hex');
  // A row that was tampered with may hold anything.
  return expected.length === hash.length && timingSafeEqual(hash, expected);
}
