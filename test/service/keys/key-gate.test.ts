import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createKey, createKeyId, reissueKey } from '../../../src/service/keys/api-keys.ts';
import { temporaryFile } from '../../helpers/service.ts';
import { NOON, openTestGate, refusal, tally } from './key-service.ts';

const MIDNIGHT = Date.UTC(2026, 10, 21);
const PLANS = {
  ten: { dailyLimit: 10, perSecond: null },
  slow: { dailyLimit: null, perSecond: 5 },
  rare: { dailyLimit: null, perSecond: 0.1 },
  prices: { dailyLimit: null, perSecond: null, groups: ['gas', 'dashboard'] as const },
};

const idOf = (key: string) => key.split('_')[1] ?? '';

async function newGate() {
  return openTestGate(await temporaryFile('keys.db'), PLANS);
}

test('no key, a mistyped one and an unknown one are told apart', async () => {
  const { gate, key } = await newGate();
  const good = await key('free');
  const mistyped = good.slice(0, -1) + (good.endsWith('x') ? 'y' : 'x');
  const cases: [string | null, string, RegExp][] = [
    [null, 'api_key_missing', /x-api-key/],
    ['', 'api_key_missing', /x-api-key/],
    [mistyped, 'api_key_invalid', /not a whole gastop key.*copy it again/],
    [good.slice(0, 30), 'api_key_invalid', /not a whole gastop key/],
    [createKey(createKeyId()).text, 'api_key_invalid', /no such key on this service/],
    [createKey(idOf(good)).text, 'api_key_invalid', /no such key on this service/],
  ];
  for (const [text, code, message] of cases) {
    for (const ask of [() => gate.admit({ key: text, group: 'gas' }), () => gate.limits(text)]) {
      const failure = await refusal(ask());
      expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
      if (text) expect(failure?.message).not.toContain(text);
    }
  }
  expect((await gate.limits(good)).limits.usedToday).toBe(0);
});

test('a revoked key is refused at once, as such only to who has it', async () => {
  const { gate, store, key, ask } = await newGate();
  const text = await key('free');
  expect(await ask(text)).toEqual(['ok']);
  await store.revoke(idOf(text), 1);
  expect(await ask(text)).toEqual(['api_key_revoked']);
  expect(await refusal(gate.limits(text))).toMatchObject({ code: 'api_key_revoked' });
  expect(await ask(createKey(idOf(text)).text)).toEqual(['api_key_invalid']);
});

test('a rotated key is told so, the new one goes on with what was used', async () => {
  const { gate, store, key, ask } = await newGate();
  const old = await key('ten');
  await ask(old, 4);
  const fresh = (await reissueKey(store, idOf(old), NOON))?.key.text ?? '';
  expect(await refusal(gate.admit({ key: old, group: 'gas' }))).toMatchObject({
    code: 'api_key_revoked',
    message: expect.stringContaining('was rotated'),
  });
  expect(tally(await ask(fresh, 10))).toEqual({ ok: 6, rate_limit_exceeded: 4 });
});

test("a plan's groups are kept to, and a plan that is gone is named", async () => {
  const { gate, key } = await newGate();
  const prices = await key('prices');
  await gate.admit({ key: prices, group: 'gas' });
  expect(await refusal(gate.admit({ key: prices, group: 'auto-txs' }))).toMatchObject({
    code: 'plan_forbidden',
    message: expect.stringContaining('"prices" may use gas, dashboard, not auto-txs'),
  });
  expect((await gate.limits(prices)).limits.usedToday).toBe(1);
  const orphan = await key('gold');
  expect(await refusal(gate.admit({ key: orphan, group: 'gas' }))).toMatchObject({
    code: 'plan_forbidden',
    message: expect.stringContaining('"gold"'),
  });
});

test('the quota is exact, whoever comes at once, and ends at midnight UTC', async () => {
  const gate = await newGate();
  const text = await gate.key('ten');
  expect(tally(await gate.ask(text, 25))).toEqual({ ok: 10, rate_limit_exceeded: 15 });
  gate.now = MIDNIGHT - 90_500;
  expect(await refusal(gate.gate.admit({ key: text, group: 'gas' }))).toMatchObject({
    message: 'the 10 requests per day of the plan "ten" are used up; ask again from 2026-11-21T00:00:00Z on',
    headers: { 'Retry-After': '91' },
  });
  expect(await gate.gate.limits(text)).toMatchObject({ limits: { usedToday: 10, remainingToday: 0 } });
  gate.now = MIDNIGHT;
  expect(await gate.gate.limits(text)).toMatchObject({ limits: { usedToday: 0, remainingToday: 10 } });
  expect(await gate.ask(text)).toEqual(['ok']);
});

test('the limit per second lets as many through at once, then one by one; what is refused is not counted', async () => {
  const gate = await newGate();
  const text = await gate.key('slow');
  expect(tally(await gate.ask(text, 9))).toEqual({ ok: 5, rate_limit_exceeded: 4 });
  expect(await refusal(gate.gate.admit({ key: text, group: 'gas' }))).toMatchObject({
    message: 'this key asks more than 5 times per second, the limit of the plan "slow"; ask again in 1 s',
    headers: { 'Retry-After': '1' },
  });
  gate.now += 200;
  expect(await gate.ask(text, 2)).toEqual(['ok', 'rate_limit_exceeded']);
  gate.now += 10_000;
  expect(tally(await gate.ask(text, 9))).toEqual({ ok: 5, rate_limit_exceeded: 4 });
  gate.now += 1_000;
  expect((await gate.gate.limits(text)).limits.usedToday).toBe(11);
});

test('a plan of less than one request per second says how long to wait', async () => {
  const gate = await newGate();
  const text = await gate.key('rare');
  expect(await gate.ask(text)).toEqual(['ok']);
  gate.now += 3_000;
  expect(await refusal(gate.gate.admit({ key: text, group: 'gas' }))).toMatchObject({
    headers: { 'Retry-After': '7' },
  });
  gate.now += 7_000;
  expect(await gate.ask(text)).toEqual(['ok']);
});

test('a clock that is set back neither gives nor takes requests', async () => {
  const gate = await newGate();
  const text = await gate.key('slow');
  await gate.ask(text, 3);
  gate.now -= 5_000;
  expect(tally(await gate.ask(text, 9))).toEqual({ ok: 2, rate_limit_exceeded: 7 });
});

test('wrong secrets for a known id take nothing from its key', async () => {
  const { gate, key, ask } = await newGate();
  const text = await key('slow');
  await Promise.all(Array.from({ length: 50 }, () => ask(createKey(idOf(text)).text)));
  expect(await ask(text, 5)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect((await refusal(gate.limits(text)))?.code).toBe('rate_limit_exceeded');
});

test('closing writes what is pending and refuses what comes later', async () => {
  const path = await temporaryFile('keys.db');
  const first = await openTestGate(path, PLANS);
  const text = await first.key('ten');
  const pending = first.ask(text, 4);
  const closed = first.gate.close();
  expect(await first.ask(text)).toEqual(['upstream_unavailable']);
  expect(await pending).toEqual(['ok', 'ok', 'ok', 'ok']);
  await closed;
  const second = await openTestGate(path, PLANS);
  expect((await second.gate.limits(text)).limits.usedToday).toBe(4);
});

test('a file that another program holds is a 503, nothing is let through uncounted, and then it goes on', async () => {
  const path = await temporaryFile('keys.db');
  const { gate, key, ask, errors } = await openTestGate(path, PLANS);
  const text = await key('ten');
  const holder = new DatabaseSync(path);
  holder.exec('begin immediate');
  expect(tally(await ask(text, 20))).toEqual({ upstream_unavailable: 20 });
  expect(errors).toMatchObject([{ name: 'StoreError', code: 'busy' }]);
  holder.exec('rollback');
  holder.close();
  expect((await gate.limits(text)).limits.usedToday).toBe(0);
  expect(tally(await ask(text, 20))).toEqual({ ok: 10, rate_limit_exceeded: 10 });
});

test('a database that fails is a 503 that says when to ask again and nothing of the file', async () => {
  const path = await temporaryFile('keys.db');
  const { gate, key } = await openTestGate(path, PLANS);
  const text = await key('ten');
  const other = new DatabaseSync(path);
  other.exec('drop table usage');
  other.close();
  expect(await refusal(gate.admit({ key: text, group: 'gas' }))).toMatchObject({
    code: 'upstream_unavailable',
    message: 'keys cannot be checked at the moment; ask again in 2 s',
    headers: { 'Retry-After': '2' },
  });
  expect(await refusal(gate.limits(text))).toMatchObject({ code: 'upstream_unavailable' });
});

test('whether anybody has a key that works', async () => {
  const { gate, store, key } = await newGate();
  expect(await gate.hasKeys()).toBe(false);
  const text = await key('free');
  expect(await gate.hasKeys()).toBe(true);
  await store.revoke(idOf(text), 1);
  expect(await gate.hasKeys()).toBe(false);
});
