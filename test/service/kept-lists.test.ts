/** A list that has been answered is at hand until something of it may have changed, whoever changed it. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, runService, temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { insertAlerts, keptAlert } from '../store/alerts/kept-alerts.ts';
import { openTestGate } from './keys/key-service.ts';

const HEAD = 299;
const LISTS = [`${PATHS.alerts}?page=0&size=500`, `${PATHS.autoTxs}?page=0&size=500`, PATHS.alerts] as const;
const [ALERTS, AUTO_TXS] = LISTS;

async function run(database: string) {
  const source = new ScriptedSource(makeBlocks(0, HEAD));
  const service = await runService({ source, database, wallNow: () => source.now() });
  await service.ready;
  return { service, source };
}

const fileIn = async () => join(await temporaryFolder(), 'history.db');

/** The body as it is at hand; `null`: the router has to find it. */
async function atHand(service: RunningService, target: string): Promise<string | null> {
  const answer = await service.quick(BASE_PATH + target, {});
  return answer === null ? null : String(answer.body);
}

/** Asks the router until its answer stays, and gives that. */
async function kept(service: RunningService, target: string): Promise<string> {
  return await waitFor(async () => {
    const text = await (await service.get(target)).text();
    return (await atHand(service, target)) === text ? text : '';
  });
}

const newAlert = (service: RunningService) =>
  service.get(PATHS.alerts, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      thresholdGwei: 0.000_001,
      gasSpeed: 'AVERAGE',
      condition: 'LESS_THAN',
      channels: ['TERMINAL'],
    }),
  });

test('an empty list, and one of alerts, stay at hand through blocks and reads', async () => {
  const { service, source } = await run(await fileIn());
  for (const target of LISTS) expect(await atHand(service, target)).toBeNull();
  expect((await newAlert(service)).status).toBe(201);
  const before = await Promise.all(LISTS.map((target) => kept(service, target)));
  source.mine(makeBlock(HEAD + 1));
  await waitFor(async () => (await service.read(PATHS.gasCurrent)) !== null && service.condition());
  await service.read(PATHS.statsChart);
  expect(await Promise.all(LISTS.map((target) => atHand(service, target)))).toEqual(before);
  // Who has it already is told so, without a body.
  const first = await service.quick(BASE_PATH + ALERTS, {});
  const again = await service.quick(BASE_PATH + ALERTS, { 'if-none-match': first?.init.headers.ETag });
  expect(again?.init.status).toBe(304);
});

test('what is made, changed or removed here is seen in the next list', async () => {
  const { service } = await run(await fileIn());
  const empty = await kept(service, ALERTS);
  await newAlert(service);
  expect(await atHand(service, ALERTS)).toBeNull();
  const one = await kept(service, ALERTS);
  expect(one).not.toBe(empty);
  const { id } = JSON.parse(one).items[0];
  await service.get(`${PATHS.alerts}/${id}/status`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'DISABLED' }),
  });
  expect(await kept(service, ALERTS)).toContain('DISABLED');
  await service.get(`${PATHS.alerts}/${id}`, { method: 'DELETE' });
  expect(await kept(service, ALERTS)).toBe(empty);
});

test('what another process writes is seen in the next list', async () => {
  const file = await fileIn();
  const { service } = await run(file);
  await kept(service, ALERTS);
  await kept(service, AUTO_TXS);
  const other = await openDatabase(file);
  // The service may be writing.
  await waitFor(async () => {
    await insertAlerts(other, keptAlert('theirs'));
    return true;
  });
  await other.close();
  expect(await atHand(service, ALERTS)).toBeNull();
  expect(await atHand(service, AUTO_TXS)).toBeNull();
  expect(await kept(service, ALERTS)).toContain('theirs');
});

test('a cooldown that ends by the clock alone ends in the list, and begins again where the clock is set back', async () => {
  const file = await fileIn();
  const over = makeBlock(HEAD).timestamp * 1_000 + 600_000;
  const database = await openDatabase(file);
  const phase = { kind: 'resting', cooldownUntil: over, hasLeft: true } as const;
  await insertAlerts(database, keptAlert('rests', {}, { phase }));
  await database.close();
  const { service, source } = await run(file);
  const until = new Date(over).toISOString();
  expect(await kept(service, ALERTS)).toContain(`"cooldownUntil":"${until}"`);
  source.clock = over;
  expect(await atHand(service, ALERTS)).toBeNull();
  expect(await kept(service, ALERTS)).toContain('"cooldownUntil":null');
  source.clock = over - 1;
  expect(await atHand(service, ALERTS)).toBeNull();
  expect(await kept(service, ALERTS)).toContain(`"cooldownUntil":"${until}"`);
});

test('where keys are needed nothing is kept: each key has lists of its own', async () => {
  const { gate, key } = await openTestGate(join(await temporaryFolder(), 'keys.db'), {
    any: { dailyLimit: 1_000, perSecond: 1_000 },
  });
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, HEAD)), gate });
  await service.ready;
  const headers = { 'x-api-key': await key('any') };
  for (const target of LISTS) {
    expect((await service.get(target, { headers })).status).toBe(200);
    expect(service.quick(BASE_PATH + target, headers)).toBeNull();
    expect(service.quick(BASE_PATH + target, {})).toBeNull();
  }
});
