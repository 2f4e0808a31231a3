import { describe, expect, it, test } from 'vitest';
import type { CostLimit, MaxCost } from '../../../src/core/auto-txs/order.ts';
import type { StoredAutoTx } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { type DataFeeParameters, fastLzLength } from '../../../src/core/data-fee.ts';
import { ENGINES, openOn } from '../../helpers/databases.ts';
import { rounds } from '../../helpers/rounds.ts';
import { GWEI, NOW, sender, storedAutoTx } from '../../store/auto-txs/stored-auto-txs.ts';
import { chanceOf } from './chance.ts';
import { startSchedule } from './schedule-rig.ts';

const NONE = { rate: 0n, operatorPerMillionGas: 0n, operatorConstant: 0n };
const limitOf = (maxCost: MaxCost, limit: Partial<CostLimit> = {}) => ({
  target: 0n,
  isStrict: true,
  costLimit: { maxCost, gas: null, since: null, reason: 'it is not worked out yet', ...limit },
});
const auto = (id: string, { signed, ...more }: Parameters<typeof storedAutoTx>[1] = {}) =>
  storedAutoTx(id, { ...more, signed: { chainId: 10, ...signed } });
const fees = (parameters: Partial<DataFeeParameters>) => ({
  parameters: { ...NONE, ...parameters },
  reason: null,
  quotes: null,
});

const ORDER = storedAutoTx('any').order;

/** 21,000 gas at a tip of 1 gwei and a cap of 20: at $2,000 a transfer at 10 gwei costs $0.42. */
describe.each(ENGINES)('a limit of cost on %s', (engine) => {
  const started = async (chainId = 10) => startSchedule({ database: await openOn(engine), chainId });

  it('sends in the first block whose own price is within it', async () => {
    const rig = await started();
    rig.coin.usd = 2_000;
    await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }) }));
    await rig.block(12);
    const waiting = await rig.kept('one');
    expect(waiting.order).toMatchObject({ target: 10n * GWEI, costLimit: { reason: null } });
    await rig.block(10.000001);
    expect((await rig.kept('one')).state.status).toBe('PENDING');
    await rig.block(10);
    expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
  });

  it.each<[string, (rig: Awaited<ReturnType<typeof started>>) => void, bigint]>([
    [
      'the coin falls by a quarter',
      (rig) => {
        rig.coin.usd = 1_500;
      },
      13_333_333_333n,
    ],
    [
      'the coin rises by a third',
      (rig) => {
        rig.coin.usd = 2_000 * (4 / 3);
      },
      7_499_999_999n,
    ],
    [
      'L1 asks for half of it',
      (rig) => {
        rig.node.fees = fees({ operatorConstant: 105_000n * GWEI });
      },
      5n * GWEI,
    ],
    [
      'an operator takes a gwei a gas',
      (rig) => {
        rig.node.fees = fees({ operatorPerMillionGas: 10n ** 15n });
      },
      9n * GWEI,
    ],
  ])('moves its target with the next block when %s', async (_, change, target) => {
    const rig = await started();
    rig.coin.usd = 2_000;
    await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }) }));
    await rig.block(18);
    const { since } = (await rig.kept('one')).order.costLimit ?? {};
    change(rig);
    await rig.block(18);
    const { order } = await rig.kept('one');
    // The coin's price is a double.
    expect(Number(order.target - target)).toBeGreaterThanOrEqual(-1);
    expect(Number(order.target - target)).toBeLessThanOrEqual(1);
    expect(order.costLimit?.since).toBeGreaterThan(since ?? 0);
    expect(await rig.kinds('one')).toEqual(['CREATED']);
  });

  it('keeps its stored target while that moves by less than half a percent, and decides by the exact one', async () => {
    const rig = await started();
    rig.coin.usd = 2_000;
    await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }) }));
    await rig.block(12);
    rig.coin.usd = 2_004;
    await rig.block(10);
    // At $2,004 it costs $0.42084.
    expect(await rig.kept('one')).toMatchObject({
      order: { target: 10n * GWEI },
      state: { status: 'PENDING' },
    });
    rig.coin.usd = 1_996;
    await rig.block(10.02);
    // At $1,996 it costs $0.41999.
    expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
    expect((await rig.kept('one')).order.target).toBe(10_020_040_080n);
  });

  it.each<[string, (rig: Awaited<ReturnType<typeof started>>) => void, string]>([
    [
      'there is no dollar price',
      (rig) => {
        rig.coin.usd = null;
      },
      'no dollar price of ETH',
    ],
    [
      'no node tells the L1 fee',
      (rig) => {
        rig.node.fees = { parameters: null, reason: 'the node is silent', quotes: null };
      },
      'the L1 data fee is unknown: the node is silent',
    ],
    [
      'the L1 fee alone is above it',
      (rig) => {
        rig.node.fees = fees({ operatorConstant: 10n ** 18n });
      },
      'the L1 fee alone would cost 1.00 ETH',
    ],
  ])('waits with the reason while %s, at any price', async (_, change, reason) => {
    const rig = await started();
    rig.coin.usd = 2_000;
    await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }) }));
    await rig.block(19);
    change(rig);
    await rig.block(1);
    expect((await rig.kept('one')).state.status).toBe('PENDING');
    expect((await rig.kept('one')).order).toMatchObject({ target: 0n, costLimit: { reason } });
    rig.coin.usd = 2_000;
    rig.node.fees = fees({});
    await rig.block(1);
    expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
    expect(rig.errors).toEqual([]);
  });

  it('counts the gas that a node estimates at the moment of its decision', async () => {
    const rig = await started();
    rig.coin.usd = 2_000;
    const order = limitOf({ maxCostUsd: 0.42 }, { gas: 21_000n });
    await rig.place(auto('one', { order, signed: { gasLimit: 60_000n } }));
    rig.node.estimate = 42_000n;
    await rig.block(10);
    const after = await rig.kept('one');
    expect(after.state.status).toBe('PENDING');
    expect(after.order).toMatchObject({ target: 5n * GWEI, costLimit: { gas: 42_000n } });
    // It would revert now: it may use all that it allows.
    rig.node.estimate = null;
    await rig.block(5);
    expect((await rig.kept('one')).order).toMatchObject({ target: 3_500_000_000n, costLimit: { gas: null } });
    rig.node.estimate = 42_000n;
    await rig.block(3.5);
    expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
  });

  it('is estimated anew within a minute, as after an approval, where its nonce is next', async () => {
    const rig = await started();
    rig.coin.usd = 2_000;
    for (const nonce of [0, 1])
      await rig.place(
        auto(`atx_${nonce}`, {
          order: limitOf({ maxCostUsd: 0.42 }),
          signed: { nonce, gasLimit: 60_000n },
        }),
      );
    await rig.block(18);
    const targets = async () => [
      (await rig.kept('atx_0')).order.target,
      (await rig.kept('atx_1')).order.target,
    ];
    expect(await targets()).toEqual([3_500_000_000n, 3_500_000_000n]);
    rig.node.estimate = 21_000n;
    rig.pass(60_000);
    await rig.block(18);
    expect(await targets()).toEqual([10n * GWEI, 3_500_000_000n]);
    rig.node.nonces.set(sender(1), 1);
    rig.pass(60_000);
    await rig.block(18);
    expect((await targets())[1]).toBe(10n * GWEI);
  });

  it('sends it again, where no node shows it, only while it costs so', async () => {
    const rig = await started();
    rig.coin.usd = 2_000;
    await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }) }));
    await rig.block(10);
    expect(rig.node.sent).toHaveLength(1);
    for (const _ of [1, 2, 3]) await rig.block(10.1);
    rig.pass(120_000);
    await rig.block(10.1);
    expect((await rig.kept('one')).state).toMatchObject({ status: 'SUBMITTED', resends: 0 });
    expect(rig.node.sent).toHaveLength(1);
    rig.coin.usd = 1_900;
    await rig.block(10.1);
    expect(rig.node.sent).toHaveLength(2);
  });

  it.each([1, 10])(
    'reads the size of one that an older program has stored from its bytes where L1 charges for it: chain %i',
    async (chainId) => {
      const rig = await started(chainId);
      rig.coin.usd = 2_000;
      const signed = { chainId, compressedSize: null };
      await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }), signed }));
      await rig.block(18);
      if (chainId === 1) return expect((await rig.kept('one')).signed?.compressedSize).toBeNull();
      rig.node.fees = fees({ rate: 10n ** 17n });
      await rig.block(18);
      const { order, signed: stored } = await rig.kept('one');
      // Its bytes here are its id.
      expect(stored?.compressedSize).toBe(fastLzLength(Buffer.from('one')));
      // 100 bytes at the least: 10,000 gwei.
      expect(order).toMatchObject({
        target: 10n * GWEI - 10n ** 13n / 21_000n - 1n,
        costLimit: { reason: null },
      });
    },
  );

  it('moves with the coin whatever many there are', async () => {
    const rig = await started();
    rig.coin.usd = 2_000;
    const ids = Array.from({ length: 250 }, (_, place) => `atx_${place}`);
    for (const [place, id] of ids.entries())
      await rig.place(auto(id, { order: limitOf({ maxCostUsd: 0.42 }), signed: { nonce: place } }));
    await rig.block(18);
    rig.coin.usd = 1_000;
    await rig.block(30);
    const targets = new Set<bigint>();
    for (const id of ids) targets.add((await rig.kept(id)).order.target);
    expect([...targets]).toEqual([20n * GWEI]);
  });

  it.each<[string, (kept: StoredAutoTx) => Partial<StoredAutoTx>]>([
    ['disables it', ({ state }) => ({ state: { ...state, status: 'DISABLED' } })],
    ['limits it otherwise', () => ({ order: { ...ORDER, ...limitOf({ maxCostUsd: 0.84 }) } })],
    ['gives a target in gwei', () => ({ order: { ...ORDER, target: 7n * GWEI } })],
  ])('is worked out anew where its owner %s in between', async (_, change) => {
    const rig = await started();
    rig.coin.usd = 2_000;
    await rig.place(auto('one', { order: limitOf({ maxCostUsd: 0.42 }) }));
    await rig.block(18);
    const before = await rig.store.limitedAfter('', 1);
    const decide = (kept: StoredAutoTx) => ({ autoTx: { ...kept, ...change(kept) }, notes: [], at: NOW });
    await rig.store.change({ owner: '', id: 'one' }, decide, 'owner');
    const after = await rig.kept('one');
    const late = before.map((each) => ({ ...each, order: { ...each.order, target: 1n } }));
    expect(await rig.store.retarget(late)).toBe(false);
    expect(await rig.kept('one')).toEqual(after);
  });

  it('of a share of its value needs no dollar price', async () => {
    const rig = await started();
    const order = limitOf({ maxShareOfValueRatio: 0.02 });
    await rig.place(auto('one', { order, value: 50n * 210_000n * GWEI }));
    await rig.block(10.01);
    expect((await rig.kept('one')).state.status).toBe('PENDING');
    await rig.block(10);
    expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
  });
});

test('one that is due is sent, however many before it are within half a percent of theirs', async () => {
  const rig = await startSchedule({ chainId: 10 });
  rig.coin.usd = 2_000;
  for (let place = 0; place < 2_001; place += 1)
    await rig.place(
      auto(`atx_${place}`, {
        owner: `key_${place % 3}`,
        order: limitOf({ maxCostUsd: 0.42 }),
        signed: { nonce: place },
      }),
    );
  const signed = { from: sender(9) };
  await rig.place(auto('due', { order: limitOf({ maxCostUsd: 0.43 }), signed }));
  // In its round the schedule looks at every sender, whatever is due.
  await rig.block(18);
  await rig.block(10.02);
  expect((await rig.kept('due')).state.status).toBe('SUBMITTED');
  expect(rig.node.sent).toHaveLength(1);
});

/** By doubles, and by nothing that is tested. */
const costUsd = (gwei: number, l1Gwei: number, usd: number) => ((21_000 * gwei + l1Gwei) / 1e9) * usd;

test('whatever price, coin and L1 fee do, each is sent in the first block that a separate evaluation finds', async () => {
  const chance = chanceOf(40);
  for (let round = 0; round < rounds(30); round += 1) {
    const rig = await startSchedule({ chainId: 10 });
    const limits = Array.from({ length: 6 }, () => (1 + chance.whole(60)) / 50);
    for (const [place, maxCostUsd] of limits.entries()) {
      const signed = { from: sender(place + 1) };
      await rig.place(auto(`atx_${place}`, { order: limitOf({ maxCostUsd }), signed }));
    }
    const sent = new Set<number>();
    let [usd, l1] = [2_000 as number | null, 20_000];
    for (let block = 0; block < 25; block += 1) {
      const gwei = 2 + chance.whole(180) / 10;
      if (chance.once(3)) usd = chance.once(4) ? null : 500 + chance.whole(4_000);
      if (chance.once(3)) l1 = chance.whole(200_000);
      rig.coin.usd = usd;
      rig.node.fees = fees({ operatorConstant: BigInt(l1) * GWEI });
      await rig.block(gwei);
      for (const [place, limit] of limits.entries()) {
        const isWithin = usd !== null && costUsd(gwei, l1, usd) <= limit;
        if (isWithin) sent.add(place);
        const { state } = await rig.kept(`atx_${place}`);
        const told = `round ${round}, block ${block}: ${gwei} gwei, L1 ${l1}, $${usd}, limit $${limit}`;
        expect(state.status, told).toBe(sent.has(place) ? 'SUBMITTED' : 'PENDING');
      }
    }
    expect(rig.errors).toEqual([]);
  }
});
