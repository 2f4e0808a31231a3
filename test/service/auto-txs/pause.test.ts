import { test } from 'vitest';
import { expectNoOldPrices } from '../../helpers/paused-serve.ts';

/** Longer than the gap that shows a pause. */
const PAUSE_MS = 4_000;

test('no auto-tx is decided or sent on the price from before a pause, of one process or of two', async () => {
  const pausesMs = [PAUSE_MS];
  await Promise.all([
    expectNoOldPrices({ processes: 1, transport: 'http', pausesMs, sends: 24 }),
    expectNoOldPrices({ processes: 2, transport: 'ws', pausesMs, sends: 24 }),
  ]);
});
