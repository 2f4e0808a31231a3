import { test } from 'vitest';
import { expectNoOldPrices } from '../helpers/paused-serve.ts';

const PAUSES = 10;

test('no auto-tx is decided or sent on the price from before a pause', async () => {
  const programs = [
    { processes: 1, transport: 'http' },
    { processes: 1, transport: 'ws' },
    { processes: 2, transport: 'http' },
    { processes: 2, transport: 'ws' },
  ] as const;
  const groups = programs.flatMap((program) =>
    [12_000, 60_000].map((pauseMs) => ({
      ...program,
      pausesMs: Array<number>(PAUSES).fill(pauseMs),
      sends: 40,
    })),
  );
  // Stopped programs take no time of a core.
  await Promise.all(groups.map(expectNoOldPrices));
}, 3_600_000);
