import { withoutKeys } from '../core/key-text.ts';
import type { Plans } from '../service/keys/api-keys.ts';
import type { KeyRow } from '../store/key-schema.ts';
import { cleanLine } from './clean-line.ts';
import { count } from './plan-text.ts';
import { tableLines } from './text-table.ts';
import { utcTime } from './utc-time.ts';

const DAY_MS = 86_400_000;

export type KeyState = 'active' | 'revoked' | 'plan unknown';

/** One key as `gastop keys list --json` prints it. */
export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly state: KeyState;
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  readonly revokedAt: string | null;
  /** `null`: without limit, or the plan is not known. */
  readonly dailyLimit: number | null;
  readonly usedToday: number;
  readonly remainingToday: number | null;
  readonly resetsAt: string;
}

/** Days since 1970-01-01 UTC, which is how usage is kept. `now` in ms. */
export const dayOf = (now: number) => Math.floor(now / DAY_MS);

export function listedKey(row: KeyRow, usedToday: number, plans: Plans, now: number): ListedKey {
  const plan = plans.get(row.plan);
  const dailyLimit = plan?.dailyLimit ?? null;
  return {
    id: row.id,
    // Whatever made the row: a secret in it is not shown.
    name: withoutKeys(row.name),
    plan: withoutKeys(row.plan),
    state: row.revoked_at !== null ? 'revoked' : plan === undefined ? 'plan unknown' : 'active',
    createdAt: isoTime(row.created_at),
    rotatedAt: row.rotated_at === null ? null : isoTime(row.rotated_at),
    revokedAt: row.revoked_at === null ? null : isoTime(row.revoked_at),
    dailyLimit,
    usedToday,
    remainingToday: dailyLimit === null ? null : Math.max(0, dailyLimit - usedToday),
    resetsAt: new Date((dayOf(now) + 1) * DAY_MS).toISOString(),
  };
}

/** The lines of `gastop keys list`. */
export function keyLines(keys: readonly ListedKey[]): string[] {
  return tableLines<ListedKey>(
    [
      { title: 'id', align: 'left', cell: (key) => cleanLine(key.id) },
      { title: 'name', align: 'left', cell: (key) => cleanLine(key.name) || '-' },
      { title: 'plan', align: 'left', cell: (key) => cleanLine(key.plan) },
      { title: 'created (UTC)', align: 'left', cell: (key) => utcTime(Date.parse(key.createdAt), 'minutes') },
      { title: 'state', align: 'left', cell: (key) => key.state },
      { title: 'used today', align: 'right', cell: (key) => count(key.usedToday) },
      { title: 'remaining', align: 'right', cell: remaining },
    ],
    keys,
  );
}

function remaining({ state, remainingToday }: ListedKey): string {
  if (state !== 'active') return '-';
  return remainingToday === null ? 'no limit' : count(remainingToday);
}

const isoTime = (sec: number) => new Date(Number(sec) * 1_000).toISOString();
