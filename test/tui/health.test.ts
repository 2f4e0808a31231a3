import { describe, expect, it } from 'vitest';
import { ClientError, type ClientErrorCode, type LimitKind } from '../../src/client/errors.ts';
import { chainStatus } from '../../src/client/views/chain-status.ts';
import { healthOf } from '../../src/tui/chrome/frame.tsx';
import { failureHint, failureTitle } from '../../src/tui/ui/pane-state.tsx';
import { SNAPSHOT } from './fake-gas.ts';

const NOW = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;
const health = (polled: Parameters<typeof healthOf>[0], isFrozen = false) =>
  healthOf(polled, isFrozen, chainStatus(polled.data ?? SNAPSHOT, NOW));

describe('health', () => {
  const well = { data: SNAPSHOT, error: null, retryAt: null };

  it('is live only with fresh data of a source without problems', () => {
    expect(health(well)).toEqual({ kind: 'live' });
    expect(health({ ...well, data: undefined })).toEqual({ kind: 'connecting' });
    expect(health(well, true)).toEqual({ kind: 'frozen' });
  });

  it('says the service’s own word about its source', () => {
    const problem = { message: 'no node answers', retryAt: 5 };
    const data = { ...SNAPSHOT, stale: true, source: { ...SNAPSHOT.source, problem } };
    expect(health({ ...well, data })).toEqual({
      kind: 'stale',
      reason: 'no node answers',
      retryAt: 5,
    });
  });

  it('is reconnecting while a failure may pass and refused when it will not', () => {
    const error = new ClientError('unreachable', 'refused', { endpoint: '/x' });
    expect(health({ ...well, error, retryAt: 9 }, true)).toEqual({
      ...{ kind: 'reconnecting', reason: 'refused', title: 'The service does not answer', retryAt: 9 },
    });
    const key = new ClientError('key', 'no such key', { endpoint: '/x' });
    expect(health({ ...well, error: key })).toMatchObject({
      kind: 'refused',
      remedy: expect.stringContaining('GASTOP_API_KEY'),
    });
  });
});

describe('the words for a failure', () => {
  type More = { limit?: LimitKind; errorCode?: string; endpoint?: string };
  const of = (code: ClientErrorCode, more: More = {}) =>
    new ClientError(code, 'x', { endpoint: '/gas/current', ...more });

  it('are different for each kind', () => {
    const kinds: readonly (readonly [ClientErrorCode, More?])[] = [
      ...([['unreachable'], ['key'], ['plan'], ['invalid'], ['quota'], ['unavailable'], ['server']] as const),
      ...([['unreadable'], ['not-found'], ['not-found', { endpoint: '/gas/trend' }]] as const),
      ...([
        ['quota', { limit: 'daily' }],
        ['quota', { limit: 'rate' }],
      ] as const),
      ...(['missing', 'revoked'] as const).map((why) => ['key', { errorCode: `api_key_${why}` }] as const),
    ];
    expect(new Set(kinds.map((kind) => failureTitle(of(...kind)))).size).toBe(kinds.length);
  });

  it('for a limit say that nothing needs to be done', () => {
    expect(failureHint(of('quota'))).toContain('goes on by itself');
    expect(health({ data: SNAPSHOT, error: of('quota'), retryAt: 7 })).toMatchObject({
      kind: 'limited',
      retryAt: 7,
    });
  });
});
