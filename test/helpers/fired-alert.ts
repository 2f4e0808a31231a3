import {
  type AlertMessage,
  type AlertPhase,
  ARMED,
  type StoredAlert,
} from '../../src/core/alerts/alert-rule.ts';
import { toAlertRow } from '../../src/store/alert-rows.ts';
import type { Database } from '../../src/store/database.ts';
import type { DeliveryRow } from '../../src/store/outbox.ts';
import { storedAlert as someAlert } from '../store/alerts/stored-alerts.ts';

export const FIRED_AT = 1_768_478_400_000;

export function messageOf(alertId: string, more: Partial<AlertMessage> = {}): AlertMessage {
  return {
    eventId: `${alertId}.1`,
    alertId,
    owner: '',
    chainId: 1,
    chainName: 'Ethereum',
    lane: 'average',
    condition: 'LESS_THAN',
    threshold: '5000000000',
    price: '4321000000',
    blockNumber: 24_337_604,
    blockTimestamp: FIRED_AT / 1_000,
    note: '',
    triggerCount: 1,
    sourceKind: 'rpc',
    ...more,
  };
}

export const storedAlert = (id: string, more: Partial<StoredAlert> = {}): StoredAlert =>
  someAlert(
    id,
    { threshold: 5_000_000_000n, cooldownMs: 3_600_000 },
    {
      method: 'WEBHOOK',
      channels: ['WEBHOOK'],
      createdAt: FIRED_AT - 60_000,
      updatedAt: FIRED_AT - 60_000,
      triggerCount: 1,
      lastTriggeredAt: FIRED_AT,
      ...more,
    },
  );

export interface Firing {
  readonly channel?: string;
  readonly target?: string;
  readonly targets?: Readonly<Record<string, string>>;
  readonly triggerCount?: number;
  readonly message?: Partial<AlertMessage>;
  readonly phase?: AlertPhase;
  readonly row?: Partial<DeliveryRow>;
}

/** Puts an alert (once) and what it has to send where a block's transaction puts them; answers the delivery's id. */
export async function fire(database: Database, alertId: string, firing: Firing = {}): Promise<string> {
  const { channel = 'WEBHOOK', target = 'https://receiver.test/hook', triggerCount = 1 } = firing;
  const eventId = `${alertId}.${triggerCount}`;
  const id = `${eventId}.${channel.toLowerCase()}`;
  await database.queries
    .insertInto('alerts')
    .values(
      toAlertRow(
        storedAlert(alertId, {
          targets: firing.targets ?? { [channel]: target },
          phase: firing.phase ?? ARMED,
        }),
      ),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  await database.queries
    .insertInto('deliveries')
    .values({
      id,
      event_id: eventId,
      alert_id: alertId,
      channel,
      target,
      message: JSON.stringify(messageOf(alertId, { eventId, triggerCount, ...firing.message })),
      status: 'PENDING',
      created_at: FIRED_AT,
      tries: 0,
      tries_since: FIRED_AT,
      next_attempt_at: FIRED_AT,
      ...firing.row,
    })
    .execute();
  return id;
}
