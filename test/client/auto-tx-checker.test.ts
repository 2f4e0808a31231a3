import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { preflightAutoTx } from '../../src/client/auto-tx-preflight.ts';
import { createGasClient } from '../../src/client/client.ts';
import { changedOrder, NEW_ORDER } from '../../src/core/auto-txs/order.ts';
import { decodeTransaction } from '../../src/core/transactions/decode-transaction.ts';
import { BLOCK } from '../cli/explorer-answers.ts';
import { autoTxView } from '../tui/fake-auto-txs.ts';
import { LISTS_ALL } from './foreign-openapi.ts';
import { sendJson, serve } from './http-server.ts';

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const GWEI = 1_000_000_000n;
const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);
const ORDER = { ...NEW_ORDER, target: 5n * GWEI };

const raw = await ACCOUNT.signTransaction({
  ...{ type: 'eip1559', chainId: 1, nonce: 7, to: TO, value: 10n ** 17n, gas: 21_000n },
  ...{ maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI },
});
const transaction = decodeTransaction(raw);

const PRICES = {
  ...{ chainId: 1, lowPrice: 8, averagePrice: 10, highPrice: 15, basePrice: 9 },
  ...{ nextBasePrice: 9, nativeUsd: 3_000 },
};
const SENDER = {
  ...{ chainId: 1, address: ACCOUNT.address, nonce: 7, pendingNonce: 7, waiting: [] },
  balanceWei: String(10n ** 18n),
};

const costLimit = (maxShareOfValueRatio: number) =>
  changedOrder(NEW_ORDER, { maxCost: { maxShareOfValueRatio } }, true);

async function serviceOf(answers: Readonly<Record<string, unknown>>) {
  const server = await serve((request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const found = Object.entries(answers).find(([end]) => path.includes(end));
    if (found === undefined) return sendJson(response, { message: 'no such route' }, 404);
    sendJson(response, found[1], typeof found[1] === 'number' ? found[1] : 200);
  }, LISTS_ALL);
  return { ...server, client: createGasClient({ url: server.url }) };
}

const okByName = (checks: readonly { readonly name: string; readonly ok: boolean | null }[]) =>
  Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));

describe('a pre-flight that is made at home', () => {
  it('asks for prices, the sender and the chance, and tells nothing of what is signed but those', async () => {
    const reach = { targetPrice: '5000000000', deadlineSec: 86_400, probability: 0.4 };
    const recommendation = { action: 'WAIT', reach };
    const { client, requests } = await serviceOf({ current: PRICES, accounts: SENDER, recommendation });
    const { call, checks, reach: said } = await preflightAutoTx(client, { transaction, order: ORDER }, NOW);
    expect(requests.map(({ method, path }) => `${method} ${path.replace('/be/api/v1', '')}`).sort()).toEqual([
      `GET /auto-txs/accounts/${ACCOUNT.address}`,
      'GET /gas/current',
      'GET /gas/recommendation?targetGwei=5&deadlineSec=86400',
    ]);
    expect(requests.every(({ body }) => body === '')).toBe(true);
    expect(Object.values(okByName(checks))).not.toContain(false);
    const passed = { chain: true, nonce: true, 'nonce-gap': true, balance: true, cap: true };
    expect(okByName(checks)).toMatchObject(passed);
    expect(said?.probability).toBe(0.4);
    expect(call?.words).toContain('0x7099');
  });

  it.each<[string, Partial<typeof ORDER>, string, number]>([
    ['is strict and tips less than usual', { isStrict: true }, '7', 86_400],
    ['pays no more than its cap', { target: 40n * GWEI }, '23', 86_400],
    ['may cost a thousandth of its value', costLimit(0.001), '6.785714284', 86_400],
    ['expires in 90.5 seconds', { expiresAt: NOW + 90_500 }, '5', 60],
  ])('asks for the chance as the service does of one that %s', async (_, order, targetGwei, deadlineSec) => {
    const current = { ...PRICES, averagePrice: 12 };
    const { client, requests } = await serviceOf({ current, accounts: SENDER, recommendation: {} });
    await preflightAutoTx(client, { transaction, order: { ...ORDER, ...order } }, NOW);
    expect(requests.map(({ path }) => path.replace('/be/api/v1', ''))).toContain(
      `/gas/recommendation?targetGwei=${targetGwei}&deadlineSec=${deadlineSec}`,
    );
  });

  it.each<[string, Partial<typeof ORDER>, object, string | null]>([
    ['of a lane', {}, SENDER, '5'],
    ['of a lane at its cap', { target: 20n * GWEI }, SENDER, '20'],
    ['of a lane above its cap', { target: 21n * GWEI }, SENDER, null],
    ['of its own price', { isStrict: true }, SENDER, null],
    ['of a share of its value', costLimit(0.001), SENDER, null],
    ['on another chain', {}, { ...SENDER, chainId: 10 }, null],
  ])(
    'asks without prices for the chance of a target only where it is the same at any price: %s',
    async (_, order, accounts, targetGwei) => {
      const recommendation = { action: 'WAIT', reach: { probability: 0.4 } };
      const { client, requests } = await serviceOf({ accounts, recommendation });
      const { reach } = await preflightAutoTx(client, { transaction, order: { ...ORDER, ...order } }, NOW);
      const asked = requests.filter(({ path }) => path.includes('recommendation'));
      const query = `?targetGwei=${targetGwei}&deadlineSec=86400`;
      expect(asked.map(({ path }) => path.replace(/^[^?]+/, ''))).toEqual(targetGwei === null ? [] : [query]);
      expect(reach?.probability ?? null).toBe(targetGwei === null ? null : 0.4);
    },
  );

  it.each([
    [3, 'pass'],
    [5, 'pass'],
    [6, 'wait'],
    [null, 'unknown'],
  ])(
    'judges a blob cap of 5 wei by the next blob base fee of %s, not by that of the head',
    async (next, result) => {
      const head = { ...BLOCK, blobBaseFee: 4, nextBlobBaseFee: next };
      const current = { ...PRICES, blockNumber: BLOCK.blockNumber, blobBasePrice: 4 };
      const { client } = await serviceOf({ current, accounts: SENDER, block: head });
      const blobs = { ...transaction, type: 3, blobCount: 2, maxFeePerBlobGas: 5n } as const;
      const { checks } = await preflightAutoTx(client, { transaction: blobs, order: ORDER }, NOW);
      expect(checks.find(({ name }) => name === 'blob-cap')?.result).toBe(result);
    },
  );

  it.each([
    ['the next blob base fee is below its cap', { nextBlobBaseFee: 3 }, SENDER, true],
    ['the next blob base fee is above its cap', { nextBlobBaseFee: 6 }, SENDER, false],
    ['the next blob base fee is not told', { nextBlobBaseFee: null }, SENDER, null],
    ['no block is told', 404, SENDER, null],
    ['its sender is not told', { nextBlobBaseFee: 3 }, 404, null],
    ['its balance is not told', { nextBlobBaseFee: 3 }, { ...SENDER, balanceWei: null }, null],
  ])('says that it is sent at once only where that is known: %s', async (_, head, accounts, isDue) => {
    const current = { ...PRICES, blockNumber: BLOCK.blockNumber, blobBasePrice: 8 };
    const block = typeof head === 'number' ? head : { ...BLOCK, ...head };
    const { client } = await serviceOf({ current, accounts, block });
    const blobs = { ...transaction, type: 3, blobCount: 2, maxFeePerBlobGas: 5n } as const;
    const order = { ...ORDER, target: 12n * GWEI };
    const told = await preflightAutoTx(client, { transaction: blobs, order }, NOW);
    expect(told.isDue).toBe(isDue);
    const { message = '' } = told.checks.find(({ name }) => name === 'reachable') ?? {};
    expect(message.includes('it is broadcast at once')).toBe(isDue === true);
    expect(message.includes('it may be broadcast at once')).toBe(isDue === null);
  });

  it.each([
    [{ status: 'DISABLED' }, false],
    [{ stored: autoTxView({ status: 'DISABLED' }) }, false],
    [{ stored: autoTxView({ status: 'DISABLED' }), status: 'PENDING' }, true],
    [{ stored: autoTxView(), status: 'DISABLED' }, false],
    [{ stored: autoTxView({ status: 'DRAFT' }) }, true],
  ])('does not call one sent at once that is disabled (%#)', async (changed, isDue) => {
    const { client } = await serviceOf({ current: PRICES, accounts: SENDER });
    const order = { ...ORDER, target: 12n * GWEI };
    const told = await preflightAutoTx(client, { transaction, order, ...changed }, NOW);
    const { message } = told.checks.find(({ name }) => name === 'reachable') ?? {};
    const words = isDue ? 'it is broadcast at once' : 'target reached; waits for you to enable it';
    expect(told.isDue).toBe(isDue);
    expect(message).toContain(words);
  });

  it.each([
    ['the price feed has been silent for 2h', 'the price feed has been silent for 2h'],
    ['no node tells it', 'no node tells it'],
    [undefined, 'no dollar price of ETH'],
  ])(
    'says why a limit in dollars stands for no price as the service says it: %s',
    async (nativeUsdReason, words) => {
      const current = { ...PRICES, nativeUsd: null, nativeUsdReason };
      const { client } = await serviceOf({ current, accounts: SENDER });
      const order = changedOrder(NEW_ORDER, { maxCost: { maxCostUsd: 3 } }, true);
      const { checks } = await preflightAutoTx(client, { transaction, order }, NOW);
      const { message } = checks.find(({ name }) => name === 'reachable') ?? {};
      expect(message).toBe(`it waits to cost at most $3 in all: ${words}`);
    },
  );

  it('knows which auto-txs of the sender go first, and does not stand in its own way', async () => {
    const waiting = [
      { id: 'a', nonce: 6, status: 'PENDING' },
      { id: 'me', nonce: 7, status: 'PENDING' },
    ];
    const { client } = await serviceOf({
      current: PRICES,
      accounts: { ...SENDER, nonce: 6, pendingNonce: 6, waiting },
    });
    const { checks } = await preflightAutoTx(client, { transaction, order: ORDER, id: 'me' }, NOW);
    const gap = checks.find(({ name }) => name === 'nonce-gap');
    expect(gap?.message).not.toContain('me');
    expect(checks.find(({ name }) => name === 'nonce')?.result).toBe('pass');
    const rival = await serviceOf({ current: PRICES, accounts: { ...SENDER, nonce: 6, waiting } });
    const another = await preflightAutoTx(rival.client, { transaction, order: ORDER }, NOW);
    expect(another.checks.find(({ name }) => name === 'nonce')).toMatchObject({
      code: 'same_nonce',
      result: 'block',
    });
    const alone = await serviceOf({ current: PRICES, accounts: { ...SENDER, nonce: 6, pendingNonce: 6 } });
    const { checks: without } = await preflightAutoTx(alone.client, { transaction, order: ORDER }, NOW);
    expect(okByName(without)).toMatchObject({ 'nonce-gap': false });
    expect(gap?.ok).not.toBe(false);
  });

  it.each([
    ['its lane is below its target', 12n, {}, {}, true],
    ['its lane is above its target', 9n, {}, {}, false],
    ['its cap is below the base fee', 40n, { averagePrice: 26, nextBasePrice: 25 }, {}, false],
    ['a nonce below it is missing', 12n, {}, { nonce: 6, pendingNonce: 6 }, false],
    ['its prices are those of a recording', 12n, { source: { kind: 'replay' } }, {}, false],
    ['its sender cannot pay it', 12n, {}, { balanceWei: '0' }, false],
  ])('knows whether it is sent at once where %s', async (_, gwei, prices, sender, isAtOnce) => {
    const { client } = await serviceOf({
      current: { ...PRICES, ...prices },
      accounts: { ...SENDER, ...sender },
    });
    const order = { ...ORDER, target: gwei * GWEI };
    const { isDue } = await preflightAutoTx(client, { transaction, order }, NOW);
    expect(isDue).toBe(isAtOnce);
  });
});
