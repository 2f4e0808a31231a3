import type { Migration } from 'kysely/migration';
import { advice } from './advice.ts';
import { adviceWaits } from './advice-waits.ts';
import { alerts } from './alerts.ts';
import { autoTxs } from './auto-txs.ts';
import { blocks } from './blocks.ts';
import { firingTallies } from './firing-tallies.ts';

/** Every schema change in order. A released one is never edited; the next one is added below. */
export const ALL_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-blocks': blocks,
  '0002-advice': advice,
  '0003-alerts': alerts,
  '0004-firing-tallies': firingTallies,
  '0005-auto-txs': autoTxs,
  '0006-advice-waits': adviceWaits,
};
