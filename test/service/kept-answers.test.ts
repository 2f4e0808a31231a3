/** What is asked again is answered without the router, and says what the router says, whoever changed what. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { EncodedAnswer } from '../../src/service/http/encoded-answer.ts';
import { type Found, KeptAnswers } from '../../src/service/http/kept-answers.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, runService, temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { insertAlerts, keptAlert } from '../store/alerts/kept-alerts.ts';
import { openTestGate } from './keys/key-service.ts';

const HEAD = 299;
// With a query each: without one the router, too, would look at what is at hand.
const ALERTS = `${PATHS.alerts}?page=0&size=500`;
const TARGETS = [
  ALERTS,
  `${PATHS.autoTxs}?page=0&size=500`,
  `${PATHS.statsMarket}?timeFrame=24h`,
  `${PATHS.statsChart}?timeFrame=1h`,
] as const;

async function run(database: string) {
  const source = new ScriptedSource(makeBlocks(0, HEAD));
  const service = await runService({ source, database, wallNow: () => source.now() });
  await service.ready;
  await agree(service, ...TARGETS);
  return { service, source };
}

const fileIn = async () => join(await temporaryFolder(), 'history.db');

const routed = async (service: RunningService, target: string) => (await service.get(target)).text();

/** The body as it is at hand; `null`: the router has to find it. */
async function atHand(service: RunningService, target: string): Promise<string | null> {
  const answer = await service.quick(BASE_PATH + target, {});
  return answer === null ? null : String(answer.body);
}

/** Waits until what is at hand is what the router says, which blocks on their way and history may hold up. */
const agree = (service: RunningService, ...targets: readonly string[]) =>
  waitFor(async () => {
    for (const target of targets) {
      // Asked first, so that it does not have what the router kept just now.
      const short = await atHand(service, target);
      if (short !== (await routed(service, target))) return false;
    }
    return true;
  });

const NEW_ALERT = {
  thresholdGwei: 0.000_001,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['TERMINAL'],
};

const write = (service: RunningService, method: string, path: string, body?: object) =>
  service.get(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

test('blocks, a reorg and a restart of the chain are in what is at hand', async () => {
  const { service, source } = await run(await fileIn());
  const market = TARGETS[2];
  const before = await atHand(service, market);
  source.mine(makeBlock(HEAD + 1, { baseFeePerGas: 77_000_000_000n }));
  await waitFor(async () => (await atHand(service, market))?.includes('"max":77000000000'));
  await agree(service, ...TARGETS);
  source.reorg(HEAD, [makeBlock(HEAD + 1, { hash: `0x${'7'.repeat(64)}` })]);
  await waitFor(async () => (await atHand(service, market))?.includes('"max":77000000000') === false);
  await agree(service, ...TARGETS);
  expect(await atHand(service, market)).not.toBe(before);
});

test('an alert that is made, changed or removed here is so in the next list', async () => {
  const { service } = await run(await fileIn());
  const empty = await atHand(service, ALERTS);
  await write(service, 'POST', PATHS.alerts, NEW_ALERT);
  const one = (await atHand(service, ALERTS)) ?? '';
  expect(one).toBe(await routed(service, ALERTS));
  const [{ id }] = JSON.parse(one).items;
  await write(service, 'PUT', `${PATHS.alerts}/${id}/status`, { status: 'DISABLED' });
  expect(await atHand(service, ALERTS)).toContain('DISABLED');
  await write(service, 'DELETE', `${PATHS.alerts}/${id}`);
  expect(await atHand(service, ALERTS)).toBe(empty);
});

test('what another process writes is in the next list', async () => {
  const file = await fileIn();
  const { service } = await run(file);
  const other = await openDatabase(file);
  // The service may be writing.
  await waitFor(async () => {
    await insertAlerts(other, keptAlert('theirs'));
    return true;
  });
  await other.close();
  expect(await atHand(service, ALERTS)).toContain('theirs');
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
  expect(await atHand(service, ALERTS)).toContain(`"cooldownUntil":"${until}"`);
  source.clock = over;
  expect(await atHand(service, ALERTS)).toContain('"cooldownUntil":null');
  source.clock = over - 1;
  expect(await atHand(service, ALERTS)).toContain(`"cooldownUntil":"${until}"`);
});

test('where keys are needed nothing is kept: each key has lists of its own', async () => {
  const { gate, key } = await openTestGate(join(await temporaryFolder(), 'keys.db'), {
    any: { dailyLimit: 1_000, perSecond: 1_000 },
  });
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, HEAD)), gate });
  await service.ready;
  const headers = { 'x-api-key': await key('any') };
  for (const target of TARGETS) {
    expect((await service.get(target, { headers })).status).toBe(200);
    expect(service.quick(BASE_PATH + target, headers)).toBeNull();
    expect(service.quick(BASE_PATH + target, {})).toBeNull();
  }
});

test('an answer is found again once it does not hold any more, and a failure is followed by another try', async () => {
  const answers = new KeptAnswers();
  let holds = true;
  let found = 0;
  const find = async (): Promise<Found> => {
    found += 1;
    if (found === 2) throw new Error('not now');
    return { body: { found }, holds: () => holds };
  };
  const first = new EncodedAnswer('{}');
  answers.keep('/a', first, { find, holds: () => holds });
  const ask = async () => answers.find('/a')?.();
  expect(await ask()).toBe(first);
  expect(found).toBe(0);
  holds = false;
  expect(await ask()).not.toBe(first);
  await expect(ask()).rejects.toThrow('not now');
  holds = true;
  const kept = await ask();
  expect(found).toBe(2);
  expect(kept?.choose({ encoding: undefined, noneMatch: undefined })).toMatchObject({ body: '{"found":1}' });
  expect(await ask()).toBe(kept);
});

test('of many questions the newest are kept; of long answers the first, and how to find the others', async () => {
  const answers = new KeptAnswers();
  let found = 0;
  const find = async () => {
    found += 1;
    return { body: {} };
  };
  for (let at = 0; at < 100; at += 1) answers.keep(`/${at}`, new EncodedAnswer('{}'), { find });
  expect(answers.find('/0')).toBeNull();
  expect(answers.find('/99')).not.toBeNull();
  const pages = [0, 1, 2, 3].map((page) => `/pages/${page}`);
  for (const page of pages) {
    answers.keep(page, new EncodedAnswer(`"${'x'.repeat(600_000)}"`), { find, holds: () => true });
  }
  for (let times = 1; times <= 2; times += 1) {
    for (const page of pages) await answers.find(page)?.();
    expect(found).toBe(1);
    found = 0;
    for (const page of pages.slice(0, 3)) await answers.find(page)?.();
    expect(found).toBe(0);
  }
  expect(answers.find('/99')).not.toBeNull();
});
