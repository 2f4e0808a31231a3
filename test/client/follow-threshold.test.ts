import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { followThreshold } from '../../src/client/follow-threshold.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { Snapshot } from '../../src/client/views/gas.ts';
import type { PricedLane } from '../../src/core/advice.ts';
import { parseThreshold } from '../../src/core/threshold/threshold.ts';
import { rounds } from '../helpers/rounds.ts';
import { OWN_MARKET, OWN_SNAPSHOT } from './own-answers.ts';

const OP_MAINNET = 10;
const ETHEREUM = 1;
const GAS = 100_000;
const signal = new AbortController().signal;

/** One block of a chain, as its service tells it. */
interface Told {
  readonly price: number;
  /** Cents for one coin. */
  readonly coin: number | null;
  readonly dataFee: number | null;
}

/** A service whose market changes with each block. Says which of its routes were requested. */
function serviceOf(chainId: number) {
  const asked: string[] = [];
  let now: Told = { price: 0, coin: null, dataFee: null };
  let blockNumber = 100;
  const cost = { wei: '0', usd: null };
  const market = () => ({
    ...OWN_MARKET,
    actions: [
      {
        ...{ name: 'Swap', gas: GAS, gasNext: null, newHolder: null, slow: cost, average: cost, fast: cost },
        dataFee: now.dataFee === null ? null : { wei: String(now.dataFee), usd: null },
        dataFeeReason: now.dataFee === null ? 'no oracle' : null,
      },
    ],
  });
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname.replace(/^.*\/v1/, ''));
    if (pathname.endsWith('/stats/market')) return Response.json(market());
    return Response.json({ errorCode: 'not_found', message: 'there is no such route' }, { status: 404 });
  };
  const client = createGasClient({ url: 'http://service.example', fetch });
  const mine = (told: Told): SnapshotView => {
    now = told;
    blockNumber += 1;
    const { price, coin } = told;
    return Snapshot.parse({
      ...{ ...OWN_SNAPSHOT, chainId, blockNumber, nativeUsd: coin === null ? null : coin / 100 },
      ...{ lowPrice: price, averagePrice: price, highPrice: price, basePrice: price, lanes: undefined },
      blobBasePrice: chainId === ETHEREUM ? price : null,
    });
  };
  const follow = (text: string, { lane = 'average', side = 'below' }: Partial<Followed> = {}) =>
    followThreshold(parseThreshold(text), { client, lane, side, isOwn: true });
  return { asked, mine, follow };
}

interface Followed {
  readonly lane: PricedLane;
  readonly side: 'below' | 'above';
}

const someTold: fc.Arbitrary<Told> = fc.record({
  price: fc.integer({ min: 1, max: 4_000_000_000 }),
  coin: fc.option(fc.integer({ min: 1, max: 500_000 }), { freq: 5 }),
  dataFee: fc.option(fc.integer({ min: 0, max: 400_000_000_000_000 }), { freq: 5 }),
});

describe('a rule in dollars that is followed', () => {
  it('lets pass what a separate evaluation of price, coin and L1 fee lets pass, block by block, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someTold, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom('below' as const, 'above' as const),
        async (blocks, cents, side) => {
          const service = serviceOf(OP_MAINNET);
          const priceAt = service.follow(`$${(cents / 100).toFixed(2)}/swap`, { side });
          for (const told of blocks) {
            const { effective } = await priceAt(service.mine(told), signal);
            const { price, coin, dataFee } = told;
            if (coin === null || dataFee === null) {
              const why = coin === null ? 'no dollar price of ETH' : 'the L1 data fee is unknown';
              expect(effective).toEqual({ reason: why });
              continue;
            }
            // In cents × 10^18, exactly.
            const paid = (BigInt(price) * BigInt(GAS) + BigInt(dataFee)) * BigInt(coin);
            const limit = BigInt(cents) * 10n ** 18n;
            const isReached =
              'price' in effective &&
              (side === 'below' ? BigInt(price) <= effective.price : BigInt(price) >= effective.price);
            expect(isReached).toBe(side === 'below' ? paid <= limit : paid >= limit);
          }
        },
      ),
      { numRuns: rounds(300) },
    );
  });

  it('says what the work costs in all at a price', async () => {
    const { mine, follow } = serviceOf(OP_MAINNET);
    const at = await follow('2% of $35/swap')(mine({ price: 1, coin: 200_000, dataFee: 10 ** 14 }), signal);
    expect(at.costUsd(1_000_000_000n)).toBeCloseTo(0.4, 12);
    const gwei = await follow('5')(mine({ price: 1, coin: 200_000, dataFee: 0 }), signal);
    expect(gwei.costUsd(1n)).toBeNull();
  });

  it('requests what work takes once where nothing is taken for L1, and with each block where it is', async () => {
    for (const [chainId, requests] of [
      [ETHEREUM, 1],
      [OP_MAINNET, 3],
    ] as const) {
      const { asked, mine, follow } = serviceOf(chainId);
      const priceAt = follow('$0.40/swap');
      for (const coin of [200_000, 210_000, 220_000]) {
        const snapshot = mine({ price: 1, coin, dataFee: 0 });
        await priceAt(snapshot, signal);
        await priceAt(snapshot, signal);
      }
      expect(asked).toEqual(Array(requests).fill('/dashboard/stats/market'));
    }
  });
});

it('a threshold in gwei requests nothing', async () => {
  const { asked, mine, follow } = serviceOf(ETHEREUM);
  const { effective } = await follow('5')(mine({ price: 1, coin: null, dataFee: null }), signal);
  expect(effective).toEqual({ price: 5_000_000_000n });
  expect(asked).toEqual([]);
});

it.each([
  ['p20/7d', 'average', ETHEREUM, /no such route/],
  ['$2/200000', 'average', OP_MAINNET, /name an action/],
  ['5', 'blob', OP_MAINNET, /has no blobs/],
  ['$2/200000', 'blob', OP_MAINNET, /has no blobs/],
] as const)('%s of the %s lane on chain %i is unknown, and says why', async (text, lane, chainId, why) => {
  const { mine, follow } = serviceOf(chainId);
  const { effective } = await follow(text, { lane })(mine({ price: 1, coin: 200_000, dataFee: 0 }), signal);
  expect(effective).toEqual({ reason: expect.stringMatching(why) });
});

it('dollars for so much blob gas stand for a price of it', async () => {
  const { mine, follow } = serviceOf(ETHEREUM);
  const priceAt = follow('$0.02/131072', { lane: 'blob' });
  const { effective, costUsd } = await priceAt(mine({ price: 7, coin: 200_000, dataFee: 0 }), signal);
  expect(effective).toEqual({ price: 10n ** 13n / 131_072n });
  expect(costUsd(10n ** 13n / 131_072n)).toBeCloseTo(0.02, 6);
});
