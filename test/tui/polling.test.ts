import { expect, it } from 'vitest';
import { pollEveryMs } from '../../src/client/follow-prices.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { stepInterval } from '../../src/tui/data/pace.ts';
import { SNAPSHOT } from './fake-gas.ts';

it('the polling interval moves in steps, stops at the longest, and after the shortest is that of the blocks', () => {
  expect(stepInterval(1_000, 'slower')).toBe(2_000);
  expect(stepInterval(12_000, 'faster')).toBe(10_000);
  expect(stepInterval(300_000, 'slower')).toBe(300_000);
  expect(stepInterval(1_000, 'faster')).toBe(500);
  expect(stepInterval(500, 'faster')).toBeNull();
});

it('how often a service is asked is its own word within reason, else its chain’s pace, else that of mainnet', () => {
  const every = (change: Partial<SnapshotView>) => pollEveryMs({ ...SNAPSHOT, ...change });
  expect(every({ updateFrequencySec: 30 })).toBe(30_000);
  expect(every({ updateFrequencySec: 1e-9 })).toBe(500);
  expect(every({ updateFrequencySec: 1e12 })).toBe(3_600_000);
  expect(every({ updateFrequencySec: null, chainId: 1 })).toBe(12_000);
  expect(every({ updateFrequencySec: 0, chainId: 10 })).toBe(2_000);
  expect(every({ updateFrequencySec: null, chainId: null })).toBe(12_000);
});
