import { createPublicClient, custom, defineChain } from 'viem';
import { estimateFeesPerGas, estimateMaxPriorityFeePerGas, prepareTransactionRequest } from 'viem/actions';
import { optimism } from 'viem/chains';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientError } from '../../src/client/index.ts';
import { type GasFeesOptions, gasFees } from '../../src/viem.ts';
import { OWN_SNAPSHOT } from './own-answers.ts';

const ACCOUNT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const FRESH = { ...OWN_SNAPSHOT, stale: false, source: { ...OWN_SNAPSHOT.source, problem: null } };
const lane = (price: number, maxFeePerGas: number, maxPriorityFeePerGas: number) => ({
  ...OWN_SNAPSHOT.lanes.slow,
  ...{ price, maxFeePerGas, maxPriorityFeePerGas },
});
const LANES = {
  slow: lane(1_100, 1_300, 100),
  average: lane(1_200, 1_500, 200),
  fast: lane(1_300, 1_700, 300),
};
const PRICES = { ...FRESH, lanes: LANES };
const FILLED = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };
/** What viem estimates by itself of the node below: its tip, and the base fee with viem's margin of a fifth. */
const OWN_ESTIMATE = { maxFeePerGas: 1_277n, maxPriorityFeePerGas: 77n };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function rig(
  answer: () => Response | Promise<Response>,
  options: Partial<GasFeesOptions> = {},
  fills = false,
) {
  const state = { head: 12, requests: 0, reasons: [] as ClientError[] };
  const priced = gasFees({
    url: 'https://gas.example.org',
    apiKey: 'gst_test',
    fetch: () => {
      state.requests += 1;
      return answer();
    },
    onFallback: (reason) => void state.reasons.push(reason),
    ...options,
  });
  const chain = defineChain({
    id: 31_337,
    name: 'test',
    nativeCurrency: optimism.nativeCurrency,
    rpcUrls: optimism.rpcUrls,
    ...priced,
  });
  const quantity = (value: number) => `0x${value.toString(16)}`;
  const numbers = new Map([
    ['eth_chainId', 31_337],
    ['eth_maxPriorityFeePerGas', 77],
    ['eth_gasPrice', 1_077],
    ['eth_estimateGas', 21_000],
  ]);
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown }) => {
      const number = method === 'eth_blockNumber' ? state.head : numbers.get(method);
      if (number !== undefined) return quantity(number);
      if (method === 'eth_getBlockByNumber') {
        const head = { number: quantity(state.head), timestamp: '0x1', transactions: [] };
        return { ...head, baseFeePerGas: quantity(1_000) };
      }
      if (method !== 'eth_fillTransaction' || !fills) throw new Error(`the node does not know ${method}`);
      const [given] = params as readonly object[];
      const tx = { type: '0x2', ...FILLED, nonce: '0x0', gas: quantity(21_000), input: '0x', ...given };
      return { raw: '0x', tx };
    },
  };
  return { state, client: createPublicClient({ chain, transport: custom(provider, { retryCount: 0 }) }) };
}

const prices = (body: object = PRICES) => Response.json(body);

describe('the fees of a viem chain', () => {
  it.each(['slow', 'average', 'fast'] as const)('are the caps of the %s lane', async (name) => {
    const { client, state } = rig(prices, { lane: name });
    const { maxFeePerGas: most, maxPriorityFeePerGas: tip } = LANES[name];
    const caps = { maxFeePerGas: BigInt(most), maxPriorityFeePerGas: BigInt(tip) };
    expect(await estimateFeesPerGas(client)).toEqual(caps);
    expect(await estimateMaxPriorityFeePerGas(client)).toBe(caps.maxPriorityFeePerGas);
    expect(state.reasons).toEqual([]);
  });

  it('are requested once a block, however many ask', async () => {
    const { client, state } = rig(prices);
    await Promise.all([estimateFeesPerGas(client), estimateMaxPriorityFeePerGas(client)]);
    await estimateFeesPerGas(client);
    expect(state.requests).toBe(1);
    state.head += 1;
    await estimateFeesPerGas(client);
    expect(state.requests).toBe(2);
  });

  it.each(['fills in fees', 'leaves fees to viem'])('leave what is set, at a node that %s', async (kind) => {
    const { client } = rig(prices, {}, kind === 'fills in fees');
    const prepared = async (given: { maxFeePerGas?: bigint; maxPriorityFeePerGas?: bigint }) => {
      const { maxFeePerGas, maxPriorityFeePerGas } = await prepareTransactionRequest(client, {
        ...{ account: ACCOUNT, to: ACCOUNT, parameters: ['fees'], type: 'eip1559' },
        ...given,
      });
      return { maxFeePerGas, maxPriorityFeePerGas };
    };
    const caps = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
      ...{ maxFeePerGas, maxPriorityFeePerGas },
    });
    expect(await prepared({})).toEqual(caps(1_500n, 200n));
    expect(await prepared({ maxPriorityFeePerGas: 900n })).toEqual(caps(2_200n, 900n));
    expect(await prepared({ maxFeePerGas: 150n })).toEqual(caps(150n, 150n));
  });

  it('leave legacy transactions to viem', async () => {
    const { client, state } = rig(prices);
    expect(await estimateFeesPerGas(client, { type: 'legacy' })).toEqual({ gasPrice: 1_292n });
    expect(state.requests).toBe(0);
  });

  it('fit a chain with formatters of its own', () => {
    const priced = gasFees({ url: 'https://gas.example.org' });
    expect(defineChain({ ...optimism, ...priced })).toMatchObject(priced);
  });
});

describe("viem's own estimate", () => {
  const STALE = { ...PRICES, stale: true, source: OWN_SNAPSHOT.source };
  const NO_CAPS = { ...PRICES, lanes: { ...LANES, average: { ...LANES.average, maxFeePerGas: null } } };

  const agedSec = (sec: number) => {
    const at = new Date(Date.now() - sec * 1_000).toISOString();
    const silent = { stale: undefined, source: undefined, blockTimestamp: at, updatedAt: at };
    return prices({ ...PRICES, ...silent });
  };

  it.each([
    ['is stale', () => prices(STALE), 'the prices of seed 1 are stale: refused'],
    [
      'says nothing of its age, which is four minutes',
      () => agedSec(240),
      'the prices of gas.example.org are stale: no new block since',
    ],
    [
      'has another chain',
      () => prices({ ...PRICES, chainId: 1 }),
      'seed 1 has the prices of chain 1, not of 3',
    ],
    ['names no caps', () => prices(NO_CAPS), 'seed 1 does not say what to cap a transaction at'],
    ['refuses the key', () => new Response('{}', { status: 401 }), 'the service refused the key'],
    ['is not there', () => Promise.reject(new TypeError('x')), 'gas.example.org could not be reached'],
  ])('stands in where the service %s, and is told once', async (_, answer, words) => {
    const { client, state } = rig(answer);
    expect(await estimateFeesPerGas(client)).toEqual(OWN_ESTIMATE);
    expect(await estimateMaxPriorityFeePerGas(client)).toBe(77n);
    expect(state.requests).toBeLessThanOrEqual(1);
    state.head += 1;
    expect(await estimateFeesPerGas(client)).toEqual(OWN_ESTIMATE);
    expect(state.reasons).toEqual([expect.any(ClientError)]);
    expect(state.reasons[0]?.message).toContain(words);
  });

  it('stands in where the service does not respond within a second', async () => {
    const { client, state } = rig(() => new Promise<Response>(() => {}));
    const fees = estimateFeesPerGas(client);
    await vi.waitUntil(() => state.requests > 0, { timeout: 60_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await fees).toEqual(OWN_ESTIMATE);
    const [{ message } = {}] = state.reasons;
    expect([state.reasons.length, message]).toEqual([1, 'gas.example.org did not respond within 1 s']);
  });

  it('is told again after the service was of use in between', async () => {
    let answer = () => prices(STALE);
    const { client, state } = rig(() => answer());
    await estimateFeesPerGas(client);
    answer = () => prices();
    state.head += 1;
    expect(await estimateFeesPerGas(client)).toEqual({ maxFeePerGas: 1_500n, maxPriorityFeePerGas: 200n });
    answer = () => prices(STALE);
    state.head += 1;
    await estimateFeesPerGas(client);
    expect(state.reasons).toHaveLength(2);
  });
});
