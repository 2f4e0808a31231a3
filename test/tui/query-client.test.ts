import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../src/tui/data/query-client.ts';

afterEach(() => vi.useRealTimers());

it('lets go of what was opened, one thing after the other, after five minutes', async () => {
  vi.useFakeTimers();
  const queries = createQueryClient();
  for (let number = 0; number < 20; number += 1) {
    await queries.prefetchQuery({ queryKey: ['block', number], queryFn: () => 'an answer' });
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(queries.getQueryData(['block', 19])).toBe('an answer');
  expect(queries.getQueryCache().getAll().length).toBeLessThanOrEqual(6);
  queries.clear();
});
