import { expect, test } from 'vitest';
import * as z from 'zod';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { BASE_PATH } from '../../src/contract/routes.ts';
import { shareService } from '../helpers/service.ts';

const CREATION = `{
  "thresholdGwei": 5,
  "gasSpeed": "AVERAGE",
  "condition": "LESS_THAN",
  "cooldownMs": 3600000,
  "disableOnce": false,
  "method": "EMAIL",
  "channels": ["EMAIL"],
  "to": "user@example.com",
  "note": "Gas is low"
}`;
const STATUS = '{ "status": "DISABLED" }';

const Id = z.looseObject({ id: z.string() });

/** The service that `gastop serve --demo` puts on a port, without its keys. */
const demo = shareService(async (start) => {
  const service = await start({ source: createSimulatedSource({ seed: 1 }), historySec: 3_600 });
  await service.ready;
  return service;
});

async function send(method: string, path: string, body?: string): Promise<unknown> {
  const response = await demo().fetch(
    new Request(`http://gastop.test${BASE_PATH}${path}`, {
      method,
      headers: {
        'x-api-key': 'gk_some_key',
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    }),
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

test('the creation payload and the status body are taken as they stand, and each alert route answers', async () => {
  const { id } = Id.parse(await send('POST', '/alerts', CREATION));
  expect(await send('GET', '/alerts')).toMatchObject({ items: [{ id }] });
  expect(await send('GET', `/alerts/${id}`)).toMatchObject(JSON.parse(CREATION));
  expect(await send('PUT', `/alerts/${id}/status`, STATUS)).toMatchObject({ id, status: 'DISABLED' });
  expect(await send('GET', `/alerts/${id}/savings`)).toMatchObject({ alertId: id });
  expect(await send('DELETE', `/alerts/${id}`)).toBeNull();
});
