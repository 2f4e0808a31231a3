import { test } from 'vitest';
import { expectNoOldPrices } from '../../helpers/paused-serve.ts';

/** Longer than the gap that shows a pause. */
const PAUSE_MS = 4_000;

test('no auto-tx is decided or sent on the price from before a pause', () =>
  expectNoOldPrices({ processes: 1, transport: 'http', pausesMs: [PAUSE_MS], sends: 24 }));
