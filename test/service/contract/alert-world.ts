import { expect } from 'vitest';
import { AlertDetails, CreatedAlert } from '../../../src/contract/alerts.ts';
import { ALERTS_PER_KEY } from '../../../src/service/alerts/alert-service.ts';
import type { Database } from '../../../src/store/database.ts';
import { repeatRow } from '../../helpers/repeat-row.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Fires at every block, and has something to send that nobody takes. */
export const NEW_ALERT = {
  thresholdGwei: 1_000_000,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['WEBHOOK', 'TERMINAL'],
  to: 'https://receiver.invalid/hook',
  cooldownMs: 86_400_000,
  note: 'deploy now',
};

/** Alerts in a running service, each of the key that it was made with. */
export interface AlertWorld {
  /** An alert that has fired. */
  readonly fired: string;
  /** Owns it. */
  readonly key: string;
  /** Owns as many alerts as may be. */
  readonly fullKey: string;
  /** Makes another alert of `key`. */
  create(): Promise<string>;
}

/** Makes an alert, and has the chain go on so that it fires. */
export async function prepareAlerts(
  root: string,
  keys: { readonly key: string; readonly fullKey: string },
  mine: () => Promise<void>,
  database: Database,
): Promise<AlertWorld> {
  const create = async (by: string) => {
    const response = await fetch(`${root}/alerts`, {
      method: 'POST',
      headers: { 'x-api-key': by, 'Content-Type': 'application/json' },
      body: JSON.stringify(NEW_ALERT),
    });
    const body: unknown = await response.json();
    expect(response.status, JSON.stringify(body)).toBe(201);
    return CreatedAlert.parse(body).id;
  };
  const fired = await create(keys.key);
  await mine();
  await waitFor(async () => {
    const response = await fetch(`${root}/alerts/${fired}`, { headers: { 'x-api-key': keys.key } });
    return AlertDetails.parse(await response.json()).triggerCount === 1;
  });
  await repeatRow(database, 'alerts', { id: await create(keys.fullKey), count: ALERTS_PER_KEY });
  return { ...keys, fired, create: () => create(keys.key) };
}
