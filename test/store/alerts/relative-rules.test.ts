import { describe, expect, test } from 'vitest';
import type { AlertRule, DollarBasis, StoredAlert } from '../../../src/core/alerts/alert-rule.ts';
import { NO_DATA_FEES, unknownDataFees } from '../../../src/core/data-fee.ts';
import { parseThreshold, type RelativeThreshold } from '../../../src/core/threshold/threshold.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { makeBlock, makeBlocks } from '../../helpers/chain-blocks.ts';
import { ENGINES, openOn, testOn } from '../../helpers/databases.ts';
import { dollarBasis, l1Fees } from './dollar-basis.ts';
import { priced, savePriced } from './priced-blocks.ts';
import { insertAlerts, readAlert, readEvents, storedAlert } from './stored-alerts.ts';

/** An alert as it is created: no block has priced it yet. */
function ruled(id: string, written: string, rule: Partial<AlertRule> = {}): StoredAlert {
  const threshold = parseThreshold(written);
  if (threshold.kind === 'gwei') throw new Error('a rule moves');
  return storedAlert(id, { threshold: 1n, relative: unpriced(threshold), ...rule });
}

const unpriced = (written: RelativeThreshold) => ({ written, since: null, reason: null });

/** $1 a million gas at $1,000 a coin: a gwei. */
const A_GWEI = '$1/1000000';
const GWEI = 1_000_000_000n;

describe.each(ENGINES)('on %s', (engine) => {
  async function open(...alerts: readonly StoredAlert[]) {
    const database = await openOn(engine);
    await insertAlerts(database, ...alerts);
    const store = new BlockStore(database);
    const at = (number: number, price: bigint, basis?: DollarBasis, more = {}) =>
      savePriced(store, { ...priced(number, price, more), ...(basis !== undefined && { basis }) });
    return { database, store, at, read: (id = 'a') => readAlert(database, id) };
  }

  describe('a rule in dollars', () => {
    test('fires by the price that it stands for at a block, and follows the coin', async () => {
      const { database, at, read } = await open(ruled('a', A_GWEI), ruled('b', '50% of $2/1000000'));
      expect(await at(1, GWEI, dollarBasis(1_000))).toBe(0);
      const since = makeBlock(1).timestamp * 1_000;
      expect(await read()).toMatchObject({ rule: { threshold: GWEI, relative: { since, reason: null } } });
      expect(await at(2, GWEI - 1n, dollarBasis(1_000))).toBe(2);
      // The coin is dearer by 30 %: what was cheap is no more.
      expect(await at(3, 769_230_770n, dollarBasis(1_300))).toBe(0);
      expect((await read())?.rule.threshold).toBe(769_230_769n);
      expect(await at(4, 769_230_768n, dollarBasis(1_300))).toBe(2);
      expect(await readEvents(database)).toEqual(['a.1', 'b.1', 'a.2', 'b.2']);
    });

    test('is exact where its stored price has not followed a small move', async () => {
      const { at, read } = await open(ruled('a', A_GWEI), ruled('b', A_GWEI, { condition: 'GREATER_THAN' }));
      await at(1, GWEI, dollarBasis(1_000));
      // 0.3 % off: each is woken, and neither may fire.
      expect(await at(2, GWEI - 1_000_000n, dollarBasis(1_003))).toBe(1);
      expect((await read('b'))?.triggerCount).toBe(1);
      expect((await read('a'))?.rule.threshold).toBe(GWEI);
      expect(await at(3, 997_008_973n, dollarBasis(1_003))).toBe(0);
      expect(await at(4, 997_008_972n, dollarBasis(1_003))).toBe(1);
      expect((await read())?.rule).toMatchObject({ threshold: 997_008_973n });
    });

    test('waits with the reason while its basis is missing, and begins to confirm anew', async () => {
      const { database, at, read } = await open(ruled('a', A_GWEI, { confirmBlocks: 2 }));
      const stale = { ...dollarBasis(null), key: 'stale', nativeUsdReason: 'the dollar price is 26 h old' };
      for (const [number, basis, reason] of [
        [1, dollarBasis(1_000), null],
        [2, dollarBasis(null), 'no dollar price of the coin'],
        [3, stale, 'the dollar price is 26 h old'],
        [4, dollarBasis(1_000, unknownDataFees('no node')), expect.stringContaining('L1 data fee')],
        [5, dollarBasis(1_000), null],
        // What is not known yet keeps the price, and what was confirmed so far is void.
        [6, undefined, null],
        [7, dollarBasis(1_000), null],
      ] as const) {
        expect(await at(number, 1n, basis)).toBe(0);
        expect((await read())?.rule.relative?.reason).toEqual(reason);
      }
      expect(await at(8, 1n, dollarBasis(1_000))).toBe(1);
      expect(await readEvents(database)).toEqual(['a.1']);
    });

    test('keeps a cooldown while its basis is missing, and does not fire again without having left', async () => {
      const { at, read } = await open(ruled('a', A_GWEI, { cooldownMs: 36_000 }), ruled('b', A_GWEI));
      expect(await at(1, 1n, dollarBasis(1_000))).toBe(2);
      await at(2, 1n, dollarBasis(null));
      expect(await at(3, 1n, dollarBasis(1_000))).toBe(0);
      expect(await at(4, 1n, dollarBasis(1_000))).toBe(1);
      expect((await read('b'))?.triggerCount).toBe(1);
    });

    test('counts what L1 takes, and waits where that alone costs as much', async () => {
      const { at, read } = await open(
        ruled('a', '$0.40/swap'),
        ruled('b', '$0.40/swap', { condition: 'GREATER_THAN' }),
      );
      const fees = (rate: bigint) => dollarBasis(1_000, l1Fees(rate));
      const rate = 10n ** 18n;
      await at(1, 3n * GWEI, fees(rate));
      const before = (await read())?.rule.threshold ?? 0n;
      const fee = dollarBasis(1_000, l1Fees(rate)).dataFeeOf({ action: 'swap' }) ?? 0n;
      const gas = BigInt(dollarBasis(1_000).gasOf({ action: 'swap' }) ?? 0);
      expect(before).toBe((400_000_000_000_000n - fee) / gas);
      expect(await at(2, 3n * GWEI, fees(2n * rate))).toBe(0);
      const doubled = dollarBasis(1_000, l1Fees(2n * rate)).dataFeeOf({ action: 'swap' }) ?? 0n;
      expect((await read())?.rule.threshold).toBe((400_000_000_000_000n - doubled) / gas);
      expect(await at(3, before - 1n, fees(2n * rate))).toBe(0);
      expect(await at(4, 1n, fees(10n * rate))).toBe(0);
      expect((await read())?.rule.relative?.reason).toBe('the L1 data fee alone costs as much');
      expect(await at(5, 1n, fees(rate))).toBe(1);
    });

    test('passes over blocks that came too late, of whose time no dollar price is known', async () => {
      const { at, read } = await open(ruled('a', A_GWEI, { confirmBlocks: 3 }));
      await at(1, 1n, dollarBasis(1_000));
      await at(2, 1n, dollarBasis(1_000));
      await at(3, 1n, dollarBasis(9_000), { isMissed: true });
      expect(await read()).toMatchObject({
        missedCount: 0,
        phase: { trueSince: null },
        rule: { threshold: GWEI },
      });
      expect(await at(4, 1n, dollarBasis(1_000))).toBe(0);
      expect(await at(5, 1n, dollarBasis(1_000))).toBe(0);
      expect(await at(6, 1n, dollarBasis(1_000))).toBe(1);
    });

    test('keeps a firing through a reorg, and gives back what it was confirming', async () => {
      const { database, store, at } = await open(
        ruled('a', A_GWEI),
        ruled('b', A_GWEI, { confirmBlocks: 2 }),
      );
      await at(1, 2n * GWEI, dollarBasis(1_000));
      expect(await at(2, 1n, dollarBasis(1_000))).toBe(1);
      await store.rewindTo(1);
      expect(await at(2, 1n, dollarBasis(1_000))).toBe(0);
      expect(await at(3, 1n, dollarBasis(1_000))).toBe(1);
      expect(await readEvents(database)).toEqual(['a.1', 'b.1']);
    });
  });

  describe('a rule against history', () => {
    const HOUR_BLOCKS = 300;
    const steps = (count: number) =>
      makeBlocks(0, count - 1).map((block, place) => ({
        ...block,
        baseFeePerGas: BigInt(1_000 + Math.floor(place / 5)),
        tips: block.tips && ([0n, 10n, 20n, 30n, 0n, 0n, 0n] as const),
      }));

    test('stands for the percentile of its lane’s five minutes, worked out as often', async () => {
      const lanes = (['slow', 'average', 'fast'] as const).map((lane) => ruled(lane, 'p20/1h', { lane }));
      const { store, at, read } = await open(...lanes, ruled('median', '-25%/1h'));
      await store.saveBlocks(steps(HOUR_BLOCKS));
      // Means of 1002, 1007 to 1057 wei: the 20 % point of twelve is at 2.2.
      await at(HOUR_BLOCKS, 5_000n);
      const prices = [];
      for (const id of ['slow', 'average', 'fast', 'median']) prices.push((await read(id))?.rule.threshold);
      expect(prices).toEqual([1_023n, 1_033n, 1_043n, 787n]);
      const since = (await read('slow'))?.rule.relative?.since;
      for (let number = HOUR_BLOCKS + 1; number < HOUR_BLOCKS + 25; number += 1) await at(number, 5_000n);
      expect((await read('slow'))?.rule.relative?.since).toBe(since);
      await at(HOUR_BLOCKS + 25, 5_000n);
      expect((await read('slow'))?.rule.threshold).not.toBe(1_023n);
      expect((await read('slow'))?.rule.relative?.since).toBe(makeBlock(HOUR_BLOCKS + 25).timestamp * 1_000);
    });

    test.each([
      ['history is shorter than the window', 'p20/7d', 'only 1h of 7d are stored'],
      ['the window is longer than what is kept', '-25%/30d', 'only 1h of 30d are stored'],
      ['blocks are missing', 'p20/1h', 'only 30m of 1h are stored'],
    ])('waits with the reason where %s', async (what, written, reason) => {
      const { store, at, read } = await open(ruled('a', written));
      const blocks = steps(HOUR_BLOCKS);
      await store.saveBlocks(
        what === 'blocks are missing' ? blocks.filter(({ number }) => number < 75 || number >= 225) : blocks,
      );
      expect(await at(HOUR_BLOCKS, 1n)).toBe(0);
      expect((await read())?.rule.relative?.reason).toBe(reason);
    });

    test('begins once there is enough history', async () => {
      const { store, at, read } = await open(ruled('a', 'p50/1h'));
      await store.saveBlocks(steps(HOUR_BLOCKS).slice(150));
      expect(await at(HOUR_BLOCKS, 1n)).toBe(0);
      await store.saveBlocks(steps(150));
      expect(await at(HOUR_BLOCKS + 1, 1n)).toBe(0);
      expect(await at(HOUR_BLOCKS + 25, 1n)).toBe(1);
      expect((await read())?.rule.relative?.reason).toBeNull();
    });

    testOn(engine)('is worked out anew after a reorg, also within the same five minutes', async () => {
      const { store, at, read } = await open(ruled('a', 'p99/1h'));
      await store.saveBlocks(steps(HOUR_BLOCKS));
      await at(HOUR_BLOCKS, 5_000n);
      const before = (await read())?.rule.threshold ?? 0n;
      await store.rewindTo(HOUR_BLOCKS - 22);
      const { timestamp } = makeBlock(HOUR_BLOCKS);
      await at(HOUR_BLOCKS - 21, 5_000n, undefined, { timestamp });
      expect((await read())?.rule.threshold).toBeLessThan(before);
    });
  });

  test('a rule that was changed is priced by the next block, and one in gwei has no other price', async () => {
    const { database, at, read } = await open(ruled('a', A_GWEI), storedAlert('b', { threshold: 5n }));
    await at(1, GWEI, dollarBasis(1_000, NO_DATA_FEES));
    await insertAlerts(database, ruled('c', A_GWEI), ruled('d', '2% of $35/swap'));
    expect(await at(2, 10n * GWEI, dollarBasis(1_000))).toBe(0);
    expect((await read('c'))?.rule.threshold).toBe(GWEI);
    expect((await read('d'))?.rule.threshold).toBe(700_000_000_000_000n / 101_095n);
    expect((await read('b'))?.rule).toEqual(storedAlert('b', { threshold: 5n }).rule);
  });
});
