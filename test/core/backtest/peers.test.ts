import { describe, expect, it } from 'vitest';
import { PEERS } from '../../../src/core/backtest/baselines.ts';
import type { LaneOffers, Past } from '../../../src/core/backtest/past.ts';
import { type PastBlock, pastOf, repeated } from './past-of.ts';

const GWEI = 1e9;

function offers(name: string, past: Past): LaneOffers {
  const peer = PEERS.find((each) => each.name === name);
  if (peer === undefined) throw new Error(`no peer ${name}`);
  return peer.offers(past);
}

/** Base fee 101 wei at the head and 113 to come, without tips. */
const bare = pastOf([{ baseFee: 90 }, { baseFee: 101, next: 113 }]);

/** p10 tips of 10, 30, 90, 50 gwei; 20 gwei of base fee at the head. */
const tipped = pastOf(
  [10, 30, 90, 50].map((tip) => ({ baseFee: 20 * GWEI, ladder: ladder(tip), next: 21 * GWEI })),
);

/** The tip at p10 in gwei; 15 gwei more at p25 and 25 more again at p50. */
function ladder(tip: number): NonNullable<PastBlock['ladder']> {
  const at = (more: number) => (tip + more) * GWEI;
  return [at(0), at(15), at(40), at(50), at(60), at(70), at(80)];
}

describe('without tips', () => {
  it.each([
    ['geth', [202, 202, 202]],
    ['viem', [121, 121, 121]],
    ['ethers', [202, 202, 202]],
    ['MetaMask', [111, 121, 126]],
    ['Foundry', [151, 202, 202]],
    ['Blockscout', [113, 113, 113]],
  ])('%s signs its multiple of the base fee, rounded down, and no tip', (name, caps) => {
    const { slow, average, fast } = offers(name, bare);
    expect([slow.cap, average.cap, fast.cap]).toEqual(caps);
    expect([slow.tip, average.tip, fast.tip]).toEqual([0, 0, 0]);
  });

  it('every peer offers something from the first block on', () => {
    const first = pastOf([{ baseFee: 1_000, next: 1_010 }]);
    for (const { name, offers: of } of PEERS) {
      for (const { cap, tip } of Object.values(of(first))) {
        expect(cap, name).toBeGreaterThanOrEqual(1_000);
        expect(tip, name).toBe(0);
      }
    }
  });
});

describe('geth', () => {
  it('takes the tip at 60 % of the order, not one in between', () => {
    // 10, 30, 50, 90: the second of four (index 1.8 cut off).
    expect(offers('geth', tipped).fast).toEqual({ cap: 70 * GWEI, tip: 30 * GWEI });
  });

  it('looks back 20 blocks, ignores tips under 2 wei, and takes no more than 500 gwei', () => {
    const old = pastOf([...repeated(5, { baseFee: 8, tip: 999 }), ...repeated(20, { baseFee: 8, tip: 7 })]);
    expect(offers('geth', old).fast.tip).toBe(7);
    const dust = pastOf([...repeated(10, { baseFee: 8, tip: 1 }), ...repeated(3, { baseFee: 8, tip: 5 })]);
    expect(offers('geth', dust).fast.tip).toBe(5);
    const greedy = pastOf(repeated(3, { baseFee: 8, tip: 900 * GWEI }));
    expect(offers('geth', greedy).fast.tip).toBe(500 * GWEI);
  });
});

describe('viem and ethers', () => {
  it("take the node's tip", () => {
    expect(offers('viem', tipped).slow).toEqual({ cap: 54 * GWEI, tip: 30 * GWEI });
    expect(offers('ethers', tipped).slow).toEqual({ cap: 70 * GWEI, tip: 30 * GWEI });
  });
});

describe('MetaMask', () => {
  it('takes the lower median of p10, p20, p30, less some, over the newest base fee', () => {
    // p20 lies 10 gwei above p10, p30 20 gwei above.
    expect(offers('MetaMask', tipped)).toEqual({
      slow: { cap: 22 * GWEI + 28.2 * GWEI, tip: 28.2 * GWEI },
      average: { cap: 24 * GWEI + 38.8 * GWEI, tip: 38.8 * GWEI },
      fast: { cap: 25 * GWEI + 49 * GWEI, tip: 49 * GWEI },
    });
  });

  it('has floors of 1, 1.5 and 2 gwei, and looks back five blocks', () => {
    const past = pastOf([{ baseFee: GWEI, tip: 90 * GWEI }, ...repeated(5, { baseFee: GWEI, tip: 1_000 })]);
    const { slow, average, fast } = offers('MetaMask', past);
    expect([slow.tip, average.tip, fast.tip]).toEqual([GWEI, 1.5 * GWEI, 2 * GWEI]);
  });
});

describe('Foundry', () => {
  it('takes the median of p10, p20, p50, between the two middle ones where there are two', () => {
    expect(offers('Foundry', tipped)).toEqual({
      slow: { cap: 30 * GWEI + 40 * GWEI, tip: 40 * GWEI },
      average: { cap: 40 * GWEI + 50 * GWEI, tip: 50 * GWEI },
      fast: { cap: 40 * GWEI + 80 * GWEI, tip: 80 * GWEI },
    });
  });

  it('leaves out nothing-tips and nearly empty blocks, and never tips less than 1 wei', () => {
    const past = pastOf([
      { baseFee: 100, tip: 0 },
      { baseFee: 100, tip: 6 },
      { baseFee: 100, tip: 900, used: 0.09 },
    ]);
    expect(offers('Foundry', past).slow).toEqual({ cap: 156, tip: 6 });
    expect(offers('Foundry', pastOf([{ baseFee: 100, tip: 0 }])).slow.tip).toBe(1);
  });
});

describe('Blockscout', () => {
  it('takes the mean of p35, p60, p90 upon the next base fee', () => {
    // p35 is 25 gwei above p10, p60 44, p90 60; the p10s have a mean of 45.
    const { slow, average, fast } = offers('Blockscout', tipped);
    expect(slow).toEqual({ cap: 21 * GWEI + 70 * GWEI, tip: 70 * GWEI });
    expect(average).toEqual({ cap: 21 * GWEI + 89 * GWEI, tip: 89 * GWEI });
    expect(fast).toEqual({ cap: 21 * GWEI + 105 * GWEI, tip: 105 * GWEI });
  });
});

describe('valve-tech', () => {
  const caps = (past: Past) => Object.values(offers('valve-tech', past)).map(({ cap }) => cap);

  it('survives the worst case of its blocks over the newest base fee', () => {
    const steady = pastOf(repeated(6, { baseFee: 8 ** 6 }));
    expect(caps(steady)).toEqual([9 ** 6, 9 ** 3 * 8 ** 3, 9 ** 2 * 8 ** 4]);
  });

  it('takes a ninth more after a rise of more than 10 % in five base fees, and no room after such a fall', () => {
    const blocks = (last: PastBlock, fees: readonly number[]) => [
      ...fees.map((baseFee) => ({ baseFee })),
      last,
    ];
    // First of the last five: 100, counting the one to come.
    expect(caps(pastOf(blocks({ baseFee: 640, next: 111 }, [90, 100, 100, 100])))).toEqual(
      [6, 3, 2].map((blocksAhead) => Math.floor(((640 * 9 ** blocksAhead) / 8 ** blocksAhead) * (10 / 9))),
    );
    expect(caps(pastOf(blocks({ baseFee: 640, next: 89 }, [90, 100, 100, 100])))).toEqual([640, 640, 640]);
    // 10 % exactly is steady.
    expect(caps(pastOf(blocks({ baseFee: 640, next: 90 }, [90, 100, 100, 100])))[2]).toBe(810);
  });

  it('takes p10, p50 and p75 of the tips', () => {
    const { slow, average, fast } = offers('valve-tech', tipped);
    expect([slow.tip, average.tip, fast.tip]).toEqual([40 * GWEI, 80 * GWEI, 90 * GWEI]);
  });
});

describe('feehistory', () => {
  it('signs the worst case of the block after next when it is urgent', () => {
    const past = pastOf([...repeated(40, { baseFee: 80 }), { baseFee: 80, next: 88 }]);
    expect(offers('feehistory', past).fast).toEqual({ cap: 99, tip: 0 });
  });

  it('never signs less for a shorter wait, and then offers a quarter of the difference as tip', () => {
    // Long dear, now cheap: all factors but the shortest ones still see 100.
    const past = pastOf([...repeated(300, { baseFee: 100 }), { baseFee: 40, next: 40 }]);
    const { slow, fast } = offers('feehistory', past);
    expect(fast.cap).toBeGreaterThanOrEqual(slow.cap);
    expect(fast.cap).toBe(100);
    expect(fast.tip).toBe(Math.floor((100 - 45) * 0.25));
  });

  it('sees in a full block the price of the one after it', () => {
    const past = pastOf([{ baseFee: 80, used: 1, next: 90 }]);
    // The only block is full: it counts as the next one's worst case.
    expect(offers('feehistory', past).slow.cap).toBe(Math.floor((90 * 9) / 8));
  });

  it('takes its tip from the five newest blocks that are neither empty nor full', () => {
    const tips = [...repeated(3, { baseFee: 80, tip: 70 }), ...repeated(5, { baseFee: 80, tip: 4 })];
    const past = pastOf([...tips, { baseFee: 80, tip: 99, used: 0.95 }, { baseFee: 80, tip: 99, used: 0 }]);
    expect(offers('feehistory', past).slow.tip).toBe(4);
    const full = pastOf(repeated(3, { baseFee: 80, tip: 5, used: 1 }));
    expect(offers('feehistory', full).slow.tip).toBe(2 * GWEI);
  });
});
