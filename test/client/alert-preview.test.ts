import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/chain/async.ts';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { loadDayPrices, loadPastBasis, previewOver, previewWords } from '../../src/client/alert-preview.ts';
import { createGasClient } from '../../src/client/client.ts';
import { BASE_PATH } from '../../src/contract/routes.ts';
import { type AlertRule, previewAlert } from '../../src/core/alerts/alert-rule.ts';
import { parseThreshold, type RelativeThreshold } from '../../src/core/threshold/threshold.ts';
import { rounds, slowIt } from '../helpers/rounds.ts';
import { runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type HttpServer, sendJson, serve } from './http-server.ts';

const DAY_SEC = 86_400;
const END = Date.UTC(2026, 0, 20, 12);
const RULE: AlertRule = {
  ...{ lane: 'average', condition: 'LESS_THAN', threshold: 10_000_000_000n, hysteresis: 0n },
  ...{ confirmBlocks: 1, cooldownMs: 3_600_000, disableOnce: false },
};
const inGwei = (rule: AlertRule) => ({
  ...rule,
  threshold: { kind: 'gwei', price: rule.threshold } as const,
});
const utc = (ms: number) => new Date(ms).toISOString().slice(11, 16);

const POINTS = Array.from({ length: 289 }, (_, index) => {
  const isDip = Math.floor(index / 12) % 5 === 4;
  return {
    timestamp: new Date(END - (288 - index) * 300_000).toISOString(),
    base: isDip ? 8e9 : 10e9,
    priority: 1e9,
    low: isDip ? 8.5e9 : 10.5e9,
    average: isDip ? 9e9 : 11e9,
    high: isDip ? 9.5e9 : 12e9,
    gasUsedRatio: 0.5,
  };
});
const asked = ({ requests }: HttpServer) =>
  requests.flatMap(({ path }) => (path.startsWith(BASE_PATH) ? [path.slice(BASE_PATH.length)] : []));

const CHART = { timeFrame: '24h', bucketSec: 300, points: POINTS, anomalies: [], events: [] };

it('a preview on a service elsewhere takes one request a lane, and says how coarse its answer is', async () => {
  const server = await serve((_, response) => sendJson(response, CHART));
  const client = createGasClient({ url: server.url });
  const preview = previewOver(inGwei(RULE), await loadDayPrices(client, 'average', false));
  expect(preview).toEqual({
    times: 5,
    last: { at: END, price: 9_000_000_000n },
    from: END + 300_000 - DAY_SEC * 1_000,
    to: END + 300_000,
    everySec: 300,
    lowest: 9_000_000_000n,
    highest: 11_000_000_000n,
    ...{ stoodFor: null, reason: null },
  });
  expect(previewWords(preview, utc)).toBe(
    'would have fired 5 times in the last 24 h, last at 12:00 at 9.00 gwei ' +
      '(from 5-minute averages, which hide short dips and peaks)',
  );
  const of = async (rule: Partial<AlertRule>) =>
    previewOver(inGwei({ ...RULE, ...rule }), await loadDayPrices(client, rule.lane ?? 'average', false))
      .times;
  expect(await of({ lane: 'slow', threshold: 1n })).toBe(0);
  expect(await of({ cooldownMs: 8 * 3_600_000 })).toBe(3);
  expect(await of({ lane: 'fast', disableOnce: true })).toBe(1);
  expect(asked(server)).toEqual(Array(4).fill('/dashboard/stats/chart'));
});

const HOUR_SEC = 3_600;
const FROM = 1_800_000_000;

it('a preview of a rule goes by what was known then: nothing that came later changes what had fired', async () => {
  const fee = fc.integer({ min: 1, max: 60 });
  const usd = fc.option(fc.integer({ min: 500, max: 5_000 }), { nil: null });
  const hour = fc.record({ fee, usd });
  const rules = ['$0.05/swap', '2% of $3/swap', '-25%/6h', 'p20/3h', '$0.02/30000'];
  let fired = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...rules),
      fc.array(hour, { minLength: 12, maxLength: 36 }),
      fc.integer({ min: 7, max: 11 }),
      async (text, hours, kept) => {
        const threshold = parseThreshold(text) as RelativeThreshold;
        const watched = { ...RULE, threshold, cooldownMs: 0 };
        const of = async (known: typeof hours) => {
          const at = (index: number) => FROM + index * HOUR_SEC;
          const priced = known.map(({ fee: tenths }) => tenths * 10_000_000);
          const prices = priced.map((wei, index) => ({
            ...{ number: index, timestamp: at(index), price: BigInt(wei) },
          }));
          const day = {
            ...{ prices, from: FROM * 1_000, to: at(known.length) * 1_000, everySec: HOUR_SEC },
            coins: known.map(({ usd: dollars }, index) => ({ timestamp: at(index), usd: dollars })),
          };
          const rows = priced.map((wei, index) => ({
            ...{ timestamp: at(index) * 1_000, blockNumber: null, mean: wei, value: 0 },
          }));
          const metrics = async () => ({ rows, total: rows.length }) as never;
          const actions = [{ name: 'Swap', gas: 100_000, dataFee: { wei: 0n, usd: 0 }, dataFeeReason: null }];
          const client = {
            ...{ baseFee: metrics, priorityFee: metrics, chart: async () => ({}) as never },
            statsMarket: async () => ({ actions }) as never,
          };
          const windowSec = 'windowSec' in threshold ? threshold.windowSec : 0;
          const snapshot = { chainId: 1 } as never;
          const options = { lane: 'average', day, snapshot, thorough: false } as const;
          const past = await loadPastBasis(client, windowSec, options);
          const firedUpTo = prices.map((_, index) => {
            const upTo = { ...day, prices: prices.slice(0, index + 1) };
            return previewOver(watched, upTo, past).times;
          });
          return { fired: firedUpTo, whole: previewOver(watched, day, past) };
        };
        const [all, before] = [await of(hours), await of(hours.slice(0, kept))];
        expect(all.fired.slice(0, kept)).toEqual(before.fired);
        expect(all.fired.at(-1)).toBe(all.whole.times);
        fired += all.whole.times;
        // While nobody knew what the coin cost nothing fires in dollars, whatever it cost before and afterwards.
        for (const [index, { usd: dollars }] of hours.entries())
          if (dollars === null && 'work' in threshold)
            expect(all.fired[index]).toBe(all.fired[index - 1] ?? 0);
      },
    ),
    { numRuns: rounds(300) },
  );
  expect(fired).toBeGreaterThan(30);
});

slowIt('a preview on a service in this process looks at every block of the day', async () => {
  // A block that came between the preview and its check would have another price for the one before.
  const now = Math.floor(Date.now() / 12_000) * 12_000;
  const source = createSimulatedSource({ seed: 4, clock: { ...systemClock, now: () => now } });
  const service = await runService({ source, historySec: DAY_SEC });
  const asked: string[] = [];
  const fetch = (request: Request) => {
    asked.push(new URL(request.url).pathname);
    return service.fetch(request);
  };
  const client = createGasClient({ url: 'http://gastop.internal', fetch });
  await waitFor(() => client.gasCurrent(), { what: 'the first block' });
  const spanMs = async () => {
    const { points } = await client.statsChart('24h');
    return (points.at(-1)?.timestamp ?? 0) - (points[0]?.timestamp ?? 0);
  };
  await waitFor(async () => (await spanMs()) >= (DAY_SEC - 600) * 1_000, { what: 'a day of history' });
  const market = await client.statsMarket('24h');
  const rule = { ...RULE, threshold: BigInt(Math.round(market.average?.median ?? 0)), cooldownMs: 60_000 };

  asked.length = 0;
  const preview = previewOver(inGwei(rule), await loadDayPrices(client, rule.lane, true));
  expect(preview.everySec).toBeNull();
  expect(preview.times).toBeGreaterThan(3);
  expect(previewWords(preview, utc)).toMatch(
    /^would have fired [\d,]+ times in the last 24 h, last at .* \(block by block\)$/,
  );
  expect(asked.length).toBeGreaterThan(20);

  const { from, to } = preview;
  const prices: { number: number; timestamp: number; base: number; tip: number }[] = [];
  for (let start = from; start < to; start += 3_600_000) {
    const window = {
      from: start,
      to: Math.min(start + 3_600_000, to) - 1_000,
      bucket: 'block',
      size: 500,
    } as const;
    const { rows } = await client.baseFee(window);
    const tips = await client.priorityFee({ ...window, percentile: 'p50' });
    for (const { blockNumber, timestamp, mean } of rows) {
      const tip = tips.rows.find((row) => row.blockNumber === blockNumber)?.value ?? 0;
      // After the block before this one, this base fee was what the next block would ask for.
      const before = prices.at(-1);
      if (before?.number === (blockNumber ?? 0) - 1) before.base = mean;
      prices.push({ number: blockNumber ?? 0, timestamp: timestamp / 1_000, base: mean, tip });
    }
  }
  expect(prices.length).toBeGreaterThan(7_000);
  const { times, last } = previewAlert(
    rule,
    prices.map(({ base, tip, ...at }) => ({
      ...at,
      price: BigInt(base + tip),
      threshold: rule.threshold,
    })),
  );
  expect(preview).toMatchObject({ times, last: { at: (last?.timestamp ?? 0) * 1_000, price: last?.price } });
});
