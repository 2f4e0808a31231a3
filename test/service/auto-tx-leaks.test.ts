import { inspect } from 'node:util';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { ADDED_ROUTES, BASE_PATH, PATHS, V1_ROUTES, type V1Route } from '../../src/contract/routes.ts';
import { withoutBody } from '../../src/service/http/errors.ts';
import { StoreError } from '../../src/store/errors.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { startServedService } from '../helpers/served-service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const PIECE = 16;
const TO = `0x${'1'.repeat(40)}`;
/** The signature ends it: r and s, with which alone it can be sent. */
const SIGNATURE = 64;

const said: string[] = [];

const anvil = await startAnvil();
const account = privateKeyToAccount(`0x${'7'.repeat(64)}`);
await anvil.rpc('anvil_setBalance', [account.address, '0xde0b6b3a7640000']);
const raw = await account.signTransaction({
  type: 'eip1559',
  chainId: 31_337,
  nonce: 0,
  to: account.address,
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: 10n ** 11n,
  maxPriorityFeePerGas: 1n,
});
const signed = Buffer.from(raw.slice(2), 'hex');
const database = await openDatabase(':memory:');
const served = await startServedService({
  source: createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 }),
  database,
  logLevel: 'debug',
  plans: { test: { dailyLimit: null, perSecond: null } },
});
await waitFor(async () => (await fetch(`${served.origin}/readyz`)).ok);

afterAll(async () => {
  await served.stop();
  await anvil.stop();
});

const written = (): Readonly<Record<string, string>> => {
  const hex = signed.toString('hex');
  return {
    'with 0x': `0x${hex}`,
    bare: hex,
    'in capitals': `0X${hex.toUpperCase()}`,
    'cut off': `0x${hex.slice(0, -1)}`,
    base64: signed.toString('base64'),
  };
};

async function ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const response = await fetch(served.origin + path, {
    method,
    headers: { 'x-api-key': served.key, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined || method === 'GET' ? {} : { body }),
  });
  said.push(await response.text(), JSON.stringify([...response.headers]));
  return response.status;
}

function leaks(): string[] {
  const all = [...said, JSON.stringify(served.log), inspect(served.errors)].join('\n');
  const lower = all.toLowerCase();
  const found: string[] = [];
  for (let start = signed.length - SIGNATURE; start + PIECE <= signed.length; start += 1) {
    const piece = signed.subarray(start, start + PIECE);
    const decimals = [...piece].join(',');
    // The last letters of a piece in base64 depend on what follows.
    if (lower.includes(piece.toString('hex')) || all.includes(piece.toString('base64').slice(0, 20))) {
      found.push(piece.toString('hex'));
    }
    if (all.includes(decimals)) found.push(decimals);
  }
  return found;
}

test('what is looked for is found where it is said', () => {
  for (const text of Object.values(written())) {
    said.push(text);
    expect(leaks().length).toBeGreaterThan(0);
    said.pop();
  }
  expect(leaks()).toEqual([]);
});

test('no answer, log line or metric repeats what was signed, wherever it stands in a request and whatever fails', async () => {
  const statuses = new Set<number>();
  const hex = `0x${signed.toString('hex')}`;
  const good = { targetGasPriceGwei: 0.000000001, signedTransaction: hex };
  statuses.add(await ask('POST', `${BASE_PATH}/auto-txs`, JSON.stringify(good)));
  for (const [spelling, text] of Object.entries(written())) {
    const bodies = [
      JSON.stringify({ ...good, signedTransaction: text }),
      JSON.stringify({ ...good, signedTransaction: text, privateKey: text }),
      JSON.stringify({ ...good, [text]: 1 }),
      JSON.stringify({ ...good, signedTransaction: [text], gasSpeed: text, status: text, expiresAt: text }),
      JSON.stringify({ targetGasPriceGwei: text, to: text, value: text, strictTargetPrice: text }),
      JSON.stringify({ ...good, signedTransaction: text, to: TO, value: '9', data: '0x01' }),
      JSON.stringify(text),
      `{"signedTransaction":"${text}`,
      `{"signedTransaction":${text}}`,
      text,
      // Too large for any route, however it is spelled.
      ...(spelling === 'bare'
        ? [JSON.stringify({ ...good, signedTransaction: text.repeat(5_000_000 / text.length) })]
        : []),
    ];
    const askRoute = async ({ method, path }: V1Route) => {
      const at = BASE_PATH + path;
      const verb = method.toUpperCase();
      const here = at.replaceAll(/\{\w+\}/g, 'none');
      const there = at.replaceAll(/\{\w+\}/g, encodeURIComponent(text));
      statuses.add(await ask(verb, there, bodies[0]));
      statuses.add(await ask(verb, `${here}?${encodeURIComponent(text)}=1`, bodies[0]));
      statuses.add(
        await ask(verb, `${here}?from=${encodeURIComponent(text)}&to=${encodeURIComponent(text)}`),
      );
      if (!path.startsWith('/auto-txs') || method === 'get') return;
      for (const body of bodies) statuses.add(await ask(verb, here, body));
      statuses.add(await ask('PATCH', here, bodies[0]));
      statuses.add(await ask(verb, here, bodies[0], { 'Content-Type': 'text/plain' }));
      statuses.add(await ask(verb, here, bodies[0], { 'x-api-key': text }));
    };
    // Where no signature belongs, one spelling stands for all, in `npm run test:slow` two.
    const isSample = spelling === 'with 0x' || (isSlowRun && spelling === 'base64');
    const routes = [...V1_ROUTES, ...ADDED_ROUTES].filter(({ path }) => path !== PATHS.gasStream);
    await Promise.all(routes.filter(({ path }) => isSample || path.startsWith('/auto-txs')).map(askRoute));
  }
  await ask('GET', '/metrics');
  await database.close();
  statuses.add(await ask('POST', `${BASE_PATH}/auto-txs`, JSON.stringify(good)));
  statuses.add(await ask('GET', `${BASE_PATH}/auto-txs`));
  for (const status of [201, 400, 404, 405, 409, 413, 503]) expect(statuses).toContain(status);
  expect(said.length).toBeGreaterThan(500);
  expect(leaks()).toEqual([]);
});

test('what fails in words of its own that repeat a body is told without them, and where', () => {
  const hex = signed.toString('hex');
  const path = `${BASE_PATH}/auto-txs/none`;
  for (const error of [
    new SyntaxError(`Cannot convert ${hex} to a BigInt`),
    new StoreError('failed', `the database does not work: near "${hex}"`),
  ]) {
    const told = withoutBody(error, path);
    expect(`${told.message} ${told.stack}`).not.toMatch(hex.slice(-2 * PIECE));
    expect(told.cause).toBeUndefined();
    expect(withoutBody(error, `${BASE_PATH}/alerts`)).toBe(error);
  }
  expect(withoutBody(new TypeError(hex), path).stack).toMatch('auto-tx-leaks.test.ts');
});
