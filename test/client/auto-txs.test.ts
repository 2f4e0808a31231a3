import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import type { GasClient } from '../../src/client/gas-client.ts';
import { clientOf, failureOf, HOST } from './answering.ts';
import { sendJson, serve } from './http-server.ts';

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const HASH = `0x${'ab'.repeat(32)}`;

const R = 'deadbeef'.repeat(8);
const S = '5ca1ab1e'.repeat(8);
const FIELDS = `0180843b9aca00847735940082520894${TO.slice(2).toLowerCase()}872386f26fc1000080c0`;
const LIST = `${FIELDS}80a0${R}a0${S}`;
const SIGNED = `0x02f8${(LIST.length / 2).toString(16)}${LIST}`;
const SECRETS = [SIGNED.slice(2), R, S];

function expectNothingSigned(...shown: readonly unknown[]) {
  const text = shown
    .map((one) => (one instanceof Error ? errorText(one) : toText(one)))
    .join('\n')
    .toLowerCase();
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

const toText = (value: unknown) =>
  typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one));

const errorText = (error: Error): string =>
  `${error.stack}\n${toText({ ...error })}${error.cause instanceof Error ? errorText(error.cause) : ''}`;

describe('an auto-tx of a hosted service', () => {
  it('is read by the names that are publicly known of it', async () => {
    const same = { to: TO, data: '0xa9059cbb', note: 'rent' };
    const row = {
      ...{ id: '65f0c0ffee', status: 'pending', targetGasPrice: 12.5, strictTarget: true },
      ...{ ...same, value: '10000000000000000' },
    };
    const view = (await clientOf({ data: [row] }).autoTxs()).items[0];
    expect(view).toMatchObject({
      ...{ ...same, id: '65f0c0ffee', status: 'PENDING', target: 12_500_000_000n, isStrict: true },
      ...{ value: 10n ** 16n, from: null, nonce: null, checks: [], failure: null, keyId: null },
    });
  });

  it.each([
    ['draft', 'DRAFT'],
    ['Pending', 'PENDING'],
    ['DISABLED', 'DISABLED'],
    ['executed', 'EXECUTED'],
    ['cancelled', 'CANCELLED'],
    ['failed', 'FAILED'],
    ['Waiting for gas', 'Waiting for gas'],
    ['\u001b[31mred\u001b[0m', 'red'],
  ])('says its state as %j', async (status, read) => {
    expect((await clientOf({ id: 1, status }).autoTx('1')).status).toBe(read);
  });

  it('without an id is an error that names the field and keeps the answer for the raw view', async () => {
    const failure = await failureOf(clientOf({ status: 'pending', uuid: 'a' }).autoTx('1'));
    expect(failure).toMatchObject({ code: 'unreadable', endpoint: '/auto-txs/1', field: 'id' });
    expect(failure.raw).toContain('pending');
  });
});

describe('the methods for auto-txs', () => {
  it('ask what the contract says, and read what comes', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'DELETE') return void response.writeHead(204).end();
      const body = { id: 'atx_1', status: request.url?.endsWith('cancel') ? 'cancelled' : 'pending' };
      sendJson(response, body, request.method === 'POST' ? 201 : 200);
    });
    const client = createGasClient({ url: server.url, apiKey: 'gk_test' });
    const made = await client.createAutoTx({ signedTransaction: ` ${SIGNED}\n`, targetGasPriceGwei: 2 });
    expect(made).toMatchObject({ id: 'atx_1', status: 'PENDING', target: 2_000_000_000n });
    expect(await client.updateAutoTx('atx_1', { note: 'x', status: 'DISABLED' })).toMatchObject({
      id: 'atx_1',
    });
    expect(await client.cancelAutoTx('atx_1')).toMatchObject({ status: 'CANCELLED' });
    await client.deleteAutoTx('a/b c');
    const base = '/be/api/v1/auto-txs';
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', base, JSON.stringify({ signedTransaction: SIGNED, targetGasPriceGwei: 2 })],
      ['PUT', `${base}/atx_1`, '{"note":"x","status":"DISABLED"}'],
      ['POST', `${base}/atx_1/cancel`, ''],
      ['DELETE', `${base}/a%2Fb%20c`, ''],
    ]);
  });

  it('know no account where the service has no such route, and read it where it has', async () => {
    const missing = createGasClient({
      url: `https://${HOST}`,
      fetch: () => Response.json({ errorCode: 'not_found', message: 'no such route' }, { status: 404 }),
    });
    expect(await missing.autoTxAccount(FROM)).toBeNull();
    const waiting = [{ id: 'a', nonce: 8, status: 'PENDING' }];
    const body = { chainId: 1, address: FROM, nonce: 7, pendingNonce: 8, balanceWei: '123', waiting };
    expect(await clientOf(body).autoTxAccount(FROM)).toEqual({
      ...{ chainId: 1, nonce: 7, pendingNonce: 8, balance: 123n, waiting },
      ...{ dataFees: null, dataFeesReason: null, code: null, blockGasLimit: null },
    });
  });

  it.each([`0x${'11'.repeat(32)}`, 'twelve words of a wallet', ''])(
    'hand over nothing that is too short to be signed: %j',
    async (signedTransaction) => {
      const server = await serve((_, response) => sendJson(response, { id: 1 }));
      const client = createGasClient({ url: server.url });
      const failures = [
        await failureOf(client.createAutoTx({ signedTransaction, targetGasPriceGwei: 1 })),
        await failureOf(client.updateAutoTx('a', { signedTransaction })),
      ];
      for (const failure of failures) {
        expect(failure).toMatchObject({ code: 'invalid', details: [{ path: 'signedTransaction' }] });
        if (signedTransaction !== '') expect(errorText(failure)).not.toContain(signedTransaction);
      }
      expect(server.requests).toEqual([]);
    },
  );
});

describe('signed bytes', () => {
  const ECHOES: readonly (readonly [string, unknown])[] = [
    ['by their own name', { signedTransaction: SIGNED }],
    ['by another name', { raw_tx: SIGNED.toUpperCase().replace('0X', '0x') }],
    ['by no name that is known', { payload: { thing: SIGNED.slice(2) } }],
    ['as calldata', { data: SIGNED }],
    ['within words', { note: `queued ${SIGNED} for later` }],
    ['as a signature', { signature: { r: `0x${R}`, s: `0x${S}`, v: '0x1' } }],
    ['as one word of a signature', { detail: `bad r ${R}, bad s 0x${S}` }],
    ['as bytes', { payload: { type: 'Buffer', data: [...Buffer.from(SIGNED.slice(2), 'hex')] } }],
    ['in a list', { items: [[SIGNED], { rawTransaction: SIGNED }] }],
  ];
  const calls: readonly ((client: GasClient, seen: unknown[]) => Promise<unknown>)[] = [
    (client, seen) =>
      client.createAutoTx(
        { signedTransaction: SIGNED, targetGasPriceGwei: 1 },
        { onResponse: (text) => seen.push(text) },
      ),
    (client, seen) =>
      client.updateAutoTx('1', { signedTransaction: SIGNED }, { onResponse: (text) => seen.push(text) }),
  ];

  it.each(ECHOES)('that a service repeats %s stand in no view, answer and error', async (_, echo) => {
    for (const status of [200, 400, 409, 500]) {
      for (const body of [
        { id: 1, status: 'pending', ...(echo as object) },
        { errorCode: 'bad', message: toText(echo), ...(echo as object) },
      ]) {
        const client = createGasClient({
          url: `https://${HOST}`,
          fetch: () => Response.json(body, { status }),
        });
        for (const call of calls) {
          const seen: unknown[] = [];
          const outcome = await call(client, seen).catch((error: unknown) => error);
          expectNothingSigned(outcome, seen);
        }
      }
    }
  });

  it('that a service keeps and shows stand in no details, list and raw answer', async () => {
    const tx = { r: `0x${R}`, s: `0x${S}` };
    const record = { id: 1, status: 'pending', to: TO, hash: HASH, rawTransaction: SIGNED, tx };
    const client = createGasClient({
      url: `https://${HOST}`,
      fetch: (request) =>
        Response.json(request.url.endsWith('/auto-txs') ? { items: [record], extra: SIGNED } : record),
    });
    expectNothingSigned(
      await client.autoTx('1'),
      await client.autoTxs(),
      await client.raw('/auto-txs/1'),
      await client.raw('/auto-txs'),
    );
    expect(await client.autoTx('1')).toMatchObject({ to: TO, hash: HASH });
  });
});
