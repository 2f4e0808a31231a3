import { type AlertRule, ARMED, type StoredAlert } from '../../../src/core/alerts/alert-rule.ts';
import { toAlertRow, toStoredAlert } from '../../../src/store/alert-rows.ts';
import type { Database } from '../../../src/store/database.ts';

const someAlertRule: AlertRule = {
  lane: 'average',
  condition: 'LESS_THAN',
  threshold: 100n,
  hysteresis: 0n,
  confirmBlocks: 1,
  cooldownMs: 0,
  disableOnce: false,
};

export function storedAlert(
  id: string,
  rule: Partial<AlertRule> = {},
  more: Partial<Omit<StoredAlert, 'id' | 'rule'>> = {},
): StoredAlert {
  return {
    id,
    owner: '',
    rule: { ...someAlertRule, ...rule },
    phase: ARMED,
    method: 'TERMINAL',
    channels: ['TERMINAL'],
    targets: {},
    note: '',
    createdAt: 1,
    updatedAt: 1,
    triggerCount: 0,
    lastTriggeredAt: null,
    missedCount: 0,
    lastMissedAt: null,
    disabledReason: null,
    ...more,
  };
}

export async function insertAlerts({ queries }: Database, ...alerts: readonly StoredAlert[]): Promise<void> {
  for (const alert of alerts) await queries.insertInto('alerts').values(toAlertRow(alert)).execute();
}

export async function readAlerts({ queries }: Database): Promise<StoredAlert[]> {
  return (await queries.selectFrom('alerts').selectAll().orderBy('id').execute()).map(toStoredAlert);
}

export async function readAlert(database: Database, id: string): Promise<StoredAlert | undefined> {
  return (await readAlerts(database)).find((alert) => alert.id === id);
}

export async function readEvents({ queries }: Database): Promise<string[]> {
  const rows = await queries
    .selectFrom('alert_events')
    .select('id')
    .orderBy('block_number')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
