import { describe, expect, it } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import { UNHURRIED } from '../../src/client/session-pace.ts';
import { behindWords, healthOf, isPaced, limitWords } from '../../src/tui/app/connection.ts';
import { missingReason } from '../../src/tui/panes/live/live-facts.ts';
import { SNAPSHOT } from './fake-gas.ts';

const quota = (retryAfterSec: number | null, limit: 'rate' | 'daily' = 'rate') =>
  new ClientError('quota', 'more questions at once than this key may ask: and so on', {
    endpoint: '/gas/trend',
    retryAfterSec,
    limit,
  });

describe('a limit per second in words', () => {
  it('is named with its figure where the service tells it, and not at all where nothing waits', () => {
    expect(limitWords(UNHURRIED)).toBeNull();
    expect(limitWords({ ...UNHURRIED, gapMs: 550, perSecond: 2 })).toBe('limit of 2 per second');
    expect(limitWords({ ...UNHURRIED, gapMs: 1_000 })).toBe('limit per second');
  });

  it('is a wait and no failure while it is short', () => {
    expect(isPaced(quota(1))).toBe(true);
    for (const error of [quota(60), quota(null), quota(1, 'daily'), new Error('other')]) {
      expect(isPaced(error)).toBe(false);
    }
  });

  it('keeps the header from saying live only where it keeps the prices from being of now', () => {
    const polled = { data: SNAPSHOT, error: null, retryAt: null };
    const gap = { ...UNHURRIED, gapMs: 1_100, perSecond: 1 };
    expect(behindWords(gap, 12_000, 12_000)).toBeNull();
    expect(behindWords(gap, 2_000, 2_000)).toBe('older than a block: limit of 1 per second');
    const slow = behindWords({ ...UNHURRIED, slowdown: 8 }, 12_000, 96_000);
    expect(slow).toContain('asked less often');
    expect(healthOf(polled, false, slow)).toMatchObject({ kind: 'limited', reason: slow });
    expect(healthOf(polled, false, null)).toEqual({ kind: 'live' });
  });
});

describe('why a part of the Live pane is missing', () => {
  it('is said in the words that matter first', () => {
    const why = { past: false, limit: 'limit of 2 per second' };
    expect(missingReason(quota(1), why)).toBe('waiting: limit of 2 per second');
    expect(missingReason(quota(1), { past: true, limit: null })).toBe('waiting: limit per second');
    const plan = (message: string) =>
      missingReason(new ClientError('plan', message, { endpoint: '/dashboard/stats/chart' }), why);
    const refused = 'the plan of this key does not allow /dashboard/stats/chart';
    expect(plan(refused)).toBe('plan lacks /dashboard/stats/chart');
    expect(plan(`${refused}: ask us`)).toBe('plan lacks /dashboard/stats/chart: ask us');
  });
});
