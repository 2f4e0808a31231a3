import { describe, expect, it } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import { isShortWait } from '../../src/tui/app/connection.ts';
import { missingReason } from '../../src/tui/ui/pane-state.tsx';

const quota = (retryAfterSec: number | null, limit: 'rate' | 'daily' = 'rate') =>
  new ClientError('quota', 'more requests at once than this key may make: and so on', {
    endpoint: '/gas/trend',
    retryAfterSec,
    limit,
  });

describe('a limit per second', () => {
  it('is a wait and no failure while it is short', () => {
    expect(isShortWait(quota(1))).toBe(true);
    for (const error of [quota(60), quota(null), quota(1, 'daily'), new Error('other')]) {
      expect(isShortWait(error)).toBe(false);
    }
  });
});

describe('why a part of the Live pane is missing', () => {
  it('is said in the words that matter first', () => {
    expect(missingReason(quota(1), false)).toBe('waiting: limit per second');
    const plan = (message: string) =>
      missingReason(new ClientError('plan', message, { endpoint: '/dashboard/stats/chart' }), false);
    const refused = 'the plan of this key does not allow /dashboard/stats/chart';
    expect(plan(refused)).toBe('plan lacks /dashboard/stats/chart');
    expect(plan(`${refused}: ask us`)).toBe('plan lacks /dashboard/stats/chart: ask us');
  });
});
