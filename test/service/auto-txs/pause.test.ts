import { test } from 'vitest';
import { expectNoOldPrices } from '../../helpers/paused-serve.ts';

/** Longer than the gap that shows a pause. */
const PAUSE_MS = 4_000;

test('no auto-tx is decided or sent on the price from before a pause, of one process or of two', async () => {
  const pauses = ([1, 2] as const).map((processes) => ({ processes, pausesMs: [PAUSE_MS], sends: 24 }));
  await Promise.all(pauses.map(expectNoOldPrices));
});
