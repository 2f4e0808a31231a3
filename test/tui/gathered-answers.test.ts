import { expect, it, vi } from 'vitest';
import { gatherAnswers } from '../../src/tui/data/query-client.ts';
import { waitFor } from '../helpers/wait-for.ts';

it('what comes while other answers are awaited is told with them, in its order', async () => {
  let isAsking = true;
  const told: string[] = [];
  const tell = gatherAnswers(() => isAsking);
  tell(() => told.push('prices'));
  tell(() => told.push('advice'));
  // Both timers of this turn are over before anything is told.
  await new Promise((resolve) => setTimeout(resolve, 0));
  isAsking = false;
  tell(() => told.push('chart'));
  await waitFor(() => told.length > 0);
  expect(told).toEqual(['prices', 'advice', 'chart']);
});

it('an answer that does not come is not waited for', async () => {
  const tell = gatherAnswers(() => true);
  const told = vi.fn();
  tell(told);
  await waitFor(() => told.mock.calls.length === 1);
  // And so it is the next time.
  tell(told);
  await waitFor(() => told.mock.calls.length === 2);
});
