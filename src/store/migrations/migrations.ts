import type { Migration } from 'kysely/migration';
import { advice, adviceWaits } from './advice.ts';
import { alertCooldowns, alerts, firingTallies, signingSecretRotation } from './alerts.ts';
import { autoTxs } from './auto-txs.ts';
import { blocks } from './blocks.ts';
import { keys } from './keys.ts';

// A released change is never edited; the next one is added below.

/** Every change of the history's schema in order. */
export const HISTORY_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-blocks': blocks,
  '0002-advice': advice,
  '0003-alerts': alerts,
  '0004-firing-tallies': firingTallies,
  '0005-auto-txs': autoTxs,
  '0006-advice-waits': adviceWaits,
  '0007-alert-cooldowns': alertCooldowns,
  '0008-signing-secret-rotation': signingSecretRotation,
};

/** Every change of the keys' schema in order. The names tell the two kinds of files apart. */
export const KEY_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-keys': keys,
};
