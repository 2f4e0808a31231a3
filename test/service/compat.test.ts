import { EtherscanProvider } from 'ethers';
import { describe, expect, it } from 'vitest';
import {
  BlocknativePrices,
  EtherscanError,
  EtherscanGasOracle,
  MetamaskSuggestedFees,
} from '../../src/contract/compat.ts';
import { RateLimits, StatsCurrent } from '../../src/contract/dashboard.ts';
import { API_KEY_HEADER, BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { gweiString } from '../../src/core/units.ts';
import { makeBlock, makeBlocks, makeRuledBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type ServedService, serveService, shareServedService } from '../helpers/served-service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const ETHERSCAN = `${PATHS.compatEtherscanV2}?module=gastracker&action=gasoracle`;
const metamaskOn = (chainId: number | string) => PATHS.compatMetamask.replace('{chainId}', String(chainId));
const gwei = (wei: number | null) => gweiString(BigInt(wei ?? -1));
const inGwei = (wei: number | null) => (wei ?? Number.NaN) / 1e9;
const json = async (response: Response | Promise<Response>): Promise<unknown> => (await response).json();
const failureOf = async (response: Response) =>
  EtherscanError.partial({ status: true, result: true }).parse(await json(response));

/** One that has judged its lanes. */
const mainnet = shareServedService(() => ({
  source: new ScriptedSource(makeRuledBlocks(4_000)),
  historySec: 86_400,
  plans: { test: { dailyLimit: null, perSecond: null }, small: { dailyLimit: 3, perSecond: null } },
}));
const current = async (served: ServedService) =>
  StatsCurrent.parse(await json(served.get(PATHS.statsCurrent)));

async function readyMainnet(): Promise<ServedService> {
  const served = mainnet();
  await served.filled();
  return served;
}

async function serving(chainId: number, block = {}): Promise<ServedService> {
  const served = await serveService({
    source: new ScriptedSource([...makeBlocks(1, 399), makeBlock(400, block)], { chainId }),
  });
  await served.filled();
  return served;
}

describe('the answer of Blocknative', () => {
  it('states a level only where a lane of few blocks has kept its promise so often, by the cheapest', async () => {
    const served = await readyMainnet();
    const { snapshot } = await current(served);
    // The levels fall on both lanes.
    expect(snapshot.lanes.average.probability).toBeLessThan(0.99);
    expect(snapshot.lanes.fast.probability).toBeGreaterThan(0.99);
    const levels = Array.from({ length: 99 }, (_, at) => at + 1);
    for (let at = 0; at < levels.length; at += 5) {
      const asked = levels.slice(at, at + 5);
      const query = asked.map((level) => `confidenceLevels=${level}`).join('&');
      const { blockPrices } = BlocknativePrices.parse(
        await json(served.get(`${PATHS.compatBlocknative}?chainid=1&${query}`)),
      );
      const stated = asked.flatMap((confidence) => {
        const { average, fast } = snapshot.lanes;
        const lane = [average, fast].find(({ probability }) => (probability ?? -1) * 100 >= confidence);
        if (lane === undefined) return [];
        return {
          confidence,
          price: inGwei(lane.price),
          maxFeePerGas: inGwei(lane.maxFeePerGas),
          maxPriorityFeePerGas: inGwei(lane.maxPriorityFeePerGas),
        };
      });
      expect(blockPrices).toEqual([
        {
          blockNumber: 4_001,
          baseFeePerGas: inGwei(snapshot.nextBasePrice),
          blobBaseFeePerGas: 1e-9,
          estimatedPrices: stated,
        },
      ]);
    }
  });

  it('has the levels of the real one where none are named, and takes them with commas', async () => {
    const served = await readyMainnet();
    const levels = async (query: string) =>
      BlocknativePrices.parse(
        await json(served.get(PATHS.compatBlocknative + query)),
      ).blockPrices[0]?.estimatedPrices.map(({ confidence }) => confidence);
    const usual = [99, 95, 90, 80, 70];
    const all = await levels('');
    expect(usual).toEqual(expect.arrayContaining(all ?? []));
    expect(all?.length).toBeGreaterThan(0);
    expect(await levels('?confidenceLevels=50,70')).toEqual([50, 70]);
  });

  it.each([
    ['before lanes are judged', makeRuledBlocks(20)],
    ['without tips', makeRuledBlocks(600).map((block) => ({ ...block, tips: null }))],
    ['where the chain does not keep to its rule', makeBlocks(1, 600)],
  ])('states no level %s', async (_, blocks) => {
    const served = await serveService({ source: new ScriptedSource(blocks) });
    await served.filled();
    const { blockPrices } = BlocknativePrices.parse(await json(served.get(PATHS.compatBlocknative)));
    expect(blockPrices).toMatchObject([{ blockNumber: blocks.length + 1, estimatedPrices: [] }]);
  });

  it('is of one chain, which a request has to mean', async () => {
    const base = await serving(8_453);
    for (const query of ['', '?chainid=1', '?chainid=137']) {
      const response = await base.get(PATHS.compatBlocknative + query);
      expect(response.status).toBe(400);
      expect((await failureOf(response)).message).toContain('chainid must be 8453');
    }
    const answer = BlocknativePrices.parse(await json(base.get(`${PATHS.compatBlocknative}?chainid=8453`)));
    expect([answer.system, answer.network, answer.currentBlockNumber]).toEqual([null, null, 400]);
  });

  it.each([
    'confidenceLevels=0',
    'confidenceLevels=100',
    'confidenceLevels=x',
    'confidenceLevels=1,2,3,4,5,6',
    'chainid=x',
  ])('refuses %s by name', async (query) => {
    const response = await (await readyMainnet()).get(`${PATHS.compatBlocknative}?${query}`);
    expect(response.status).toBe(400);
    expect((await failureOf(response)).message).toContain(query.split('=')[0]);
  });
});

describe('the answer of MetaMask', () => {
  it.each([1, 10, 424_242])(
    'has on chain %d the lanes, fees and trend of the same block',
    async (chainId) => {
      const served = await serving(chainId);
      const { snapshot, trend } = await current(served);
      const answer = MetamaskSuggestedFees.parse(await json(served.get(metamaskOn(chainId))));
      const { slow, average, fast } = snapshot.lanes;
      for (const [said, lane] of [
        [answer.low, slow],
        [answer.medium, average],
        [answer.high, fast],
      ] as const) {
        expect(said).toEqual({
          suggestedMaxPriorityFeePerGas: gwei(lane.maxPriorityFeePerGas),
          suggestedMaxFeePerGas: gwei(lane.maxFeePerGas),
          minWaitTimeEstimate: null,
          maxWaitTimeEstimate: lane.waitSec.p95 * 1_000,
        });
      }
      const tips = makeBlock(400).tips;
      expect(answer).toMatchObject({
        estimatedBaseFee: gwei(snapshot.nextBasePrice),
        networkCongestion: trend.percentileRank24h,
        latestPriorityFeeRange: [gwei(Number(tips?.[0])), gwei(Number(tips?.[4]))],
        historicalPriorityFeeRange: [gwei(trend.priority.min), gwei(trend.priority.max)],
        historicalBaseFeeRange: [gwei(trend.base.min), gwei(trend.base.max)],
        priorityFeeTrend: null,
        baseFeeTrend: { RISING: 'up', FALLING: 'down', STABLE: 'level' }[trend.direction],
      });
    },
  );

  it('is null where tips are unknown, and 404 for another chain', async () => {
    const served = await serveService({
      source: new ScriptedSource([1, 2, 3].map((at) => makeBlock(at, { tips: null }))),
    });
    await waitFor(async () => (await served.get(PATHS.gasCurrent)).ok);
    expect(await json(served.get(metamaskOn(1)))).toMatchObject({
      low: { suggestedMaxPriorityFeePerGas: null },
      latestPriorityFeeRange: null,
      historicalPriorityFeeRange: null,
    });
    for (const [chainId, status] of [
      ['137', 404],
      ['0x1', 400],
      ['x', 400],
    ] as const)
      expect((await served.get(metamaskOn(chainId))).status).toBe(status);
  });
});

describe('the answer of Etherscan', () => {
  it('is read by EtherscanProvider of ethers, its URL and key changed alone', async () => {
    const served = await readyMainnet();
    const { snapshot } = await current(served);
    class GastopProvider extends EtherscanProvider {
      override getUrl(module: string, params: Record<string, string>): string {
        const base = `${served.origin}${BASE_PATH}/compat/etherscan`;
        return super.getUrl(module, params).replace('https://api.etherscan.io', base);
      }
    }
    const provider = new GastopProvider('mainnet', served.key);
    expect(await provider.fetch('gastracker', { action: 'gasoracle' })).toEqual({
      LastBlock: '4000',
      SafeGasPrice: gwei(snapshot.lowPrice),
      ProposeGasPrice: gwei(snapshot.averagePrice),
      FastGasPrice: gwei(snapshot.highPrice),
      suggestBaseFee: gwei(snapshot.nextBasePrice),
      gasUsedRatio: String(snapshot.gasUsedRatio),
    });
    const stranger = new GastopProvider('mainnet', 'YourApiKeyToken');
    await expect(stranger.fetch('gastracker', { action: 'gasoracle' })).rejects.toThrow('response error');
    const elsewhere = new GastopProvider('matic', served.key);
    await expect(elsewhere.fetch('gastracker', { action: 'gasoracle' })).rejects.toThrow('response error');
  });

  it('is the same on the path of its first version, without a chain', async () => {
    const served = await readyMainnet();
    const [one, two] = [ETHERSCAN.replace('/v2', ''), `${ETHERSCAN}&chainid=1&tag=latest`];
    const answer = await json(served.get(one));
    expect(EtherscanGasOracle.parse(answer).status).toBe('1');
    expect(await json(served.get(two))).toEqual(answer);
  });

  it.each([
    '',
    '?module=proxy&action=eth_gasPrice',
    '?module=gastracker&action=gasestimate',
    '?module=account&action=balance',
  ])('refuses "%s" with the fields that its clients read, too', async (query) => {
    const response = await (await readyMainnet()).get(PATHS.compatEtherscanV2 + query);
    expect(response.status).toBe(400);
    const { status, message, result } = await failureOf(response);
    expect([status, result]).toEqual(['0', message]);
    expect(message).toMatch(/module|action/);
  });
});

const ROUTES = [`${PATHS.compatBlocknative}?chainid=1`, metamaskOn(1), ETHERSCAN];

describe('a compat route', () => {
  const ask = (served: ServedService, path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${served.origin}${BASE_PATH}${path}`, { headers });
  const withKey = (path: string, key: string) => `${path}${path.includes('?') ? '&' : '?'}apikey=${key}`;
  const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`;

  it.each(ROUTES)('%s takes the key where its clients put it, and counts it once', async (path) => {
    const served = await readyMainnet();
    const key = await served.newKey();
    const manners = [
      [path, { [API_KEY_HEADER]: key }],
      [path, { Authorization: key }],
      [path, { Authorization: `Bearer ${key}` }],
      [path, { Authorization: basic(`${key}:secret`) }],
      [path, { Authorization: basic(key) }],
      [withKey(path, key), {}],
      [withKey(path, key), { Authorization: basic('proxy:secret') }],
    ] as const;
    const answers: string[] = [];
    for (const [at, [url, headers]] of manners.entries()) {
      // A parameter that the service does not know: no answer comes from the cache.
      const fresh = `${url}${url.includes('?') ? '&' : '?'}at=${at}`;
      const response = await ask(served, fresh, headers);
      expect(response.status, JSON.stringify(headers)).toBe(200);
      answers.push(await response.text());
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^\{/);
    const left = await ask(served, PATHS.rateLimits, { [API_KEY_HEADER]: key });
    expect(RateLimits.parse(await left.json()).usedToday).toBe(manners.length);
  });

  it.each(ROUTES)('%s refuses whoever has no key, and what is over its quota', async (path) => {
    const served = await readyMainnet();
    for (const [url, headers] of [
      [path, {}],
      [path, { Authorization: '' }],
      [path, { Authorization: 'Bearer' }],
      [path, { Authorization: 'Basic ////' }],
      [withKey(path, 'YourApiKeyToken'), {}],
      [withKey(path, ''), {}],
      [path, { [API_KEY_HEADER]: '', Authorization: served.key }],
    ] as const)
      expect((await ask(served, url, headers)).status).toBe(401);
    const small = await served.newKey('small');
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await ask(served, withKey(path, small))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('alone takes a key from there', async () => {
    const served = await readyMainnet();
    for (const path of [PATHS.gasCurrent, PATHS.summary, PATHS.alerts]) {
      expect((await ask(served, path, { Authorization: `Bearer ${served.key}` })).status).toBe(401);
      expect((await ask(served, withKey(path, served.key))).status).toBe(401);
    }
  });

  it('never has a key in the log, in metrics or in a refusal, wherever it was put', async () => {
    const served = await readyMainnet();
    const key = await served.newKey();
    const said: string[] = [];
    for (const path of [
      ...ROUTES,
      `${PATHS.compatEtherscan}?module=${key}`,
      metamaskOn(key),
      `/compat/${key}`,
    ]) {
      for (const response of [
        await ask(served, withKey(path, key)),
        await ask(served, withKey(path, `${key}x`)),
        await ask(served, path, { Authorization: `Basic ${key}` }),
        await ask(served, path, { Authorization: `Bearer ${key} ${key}` }),
      ]) {
        said.push(await response.text());
      }
    }
    const page = await (await fetch(`${served.origin}/metrics`)).text();
    const secret = key.split('_')[2] ?? key;
    expect(JSON.stringify([served.log, page, said, served.errors])).not.toContain(secret);
    expect(page).toContain(`route="${BASE_PATH}${PATHS.compatMetamask}"`);
  });

  it('is cached for all keys: two answers of one block are the same bytes, and 304 for who has them', async () => {
    const served = await readyMainnet();
    const [one, two] = [await served.newKey(), await served.newKey()];
    const first = await ask(served, withKey(ETHERSCAN, one));
    const etag = first.headers.get('etag') ?? '';
    expect(await (await ask(served, withKey(ETHERSCAN, two))).text()).toBe(await first.text());
    const again = await ask(served, withKey(ETHERSCAN, two), { 'If-None-Match': etag });
    expect(again.status).toBe(304);
  });

  it('says 503 while prices are stale, which its shape has no word for', async () => {
    const source = new ScriptedSource(makeBlocks(391, 400));
    const served = await serveService({ source });
    await waitFor(async () => (await served.get(metamaskOn(1))).ok);
    source.clock = (makeBlock(400).timestamp + 86_400) * 1_000;
    source.isReachable = false;
    source.emit({ type: 'down', reason: 'it does not answer', retryAt: Date.now() + 1_000 });
    await waitFor(async () => !(await served.get(metamaskOn(1))).ok);
    for (const path of ROUTES) {
      const response = await served.get(path);
      expect(response.status).toBe(503);
      expect((await failureOf(response)).message).toContain('prices are stale');
    }
  });
});
