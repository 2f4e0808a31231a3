import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../src/tui/data/queries.ts';

afterEach(() => vi.useRealTimers());

it('lets go of what was opened, one thing after the other, after two minutes; what is there once stays', async () => {
  vi.useFakeTimers();
  const queries = createQueryClient();
  const ask = (queryKey: readonly (string | number)[]) =>
    queries.prefetchQuery({ queryKey, queryFn: () => 'an answer' });
  await ask(['trend']);
  for (let number = 0; number < 100; number += 1) {
    for (const what of ['block', 'block-txs', 'block-txs-page', 'tx', 'raw', 'reach', 'alert-preview']) {
      await ask([what, number]);
    }
    await vi.advanceTimersByTimeAsync(6_000);
  }
  const kept = queries.getQueryCache().getAll();
  expect(queries.getQueryData(['block', 99])).toBe('an answer');
  expect(queries.getQueryData(['trend'])).toBe('an answer');
  expect(kept.length).toBeLessThanOrEqual(1 + 7 * 21);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(kept.length + 1);
  queries.clear();
});
