import { render } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { refusal } from '../../src/client/http-errors.ts';
import { healthOf, NoticeLine } from '../../src/tui/chrome/frame.tsx';
import { Clock } from '../../src/tui/ui/pane-context.tsx';
import { SNAPSHOT } from './fake-gas.ts';
import { inRoom } from './sized-screen.tsx';

const NOW = Date.UTC(2026, 0, 5, 17, 8);
const MIDNIGHT = Date.UTC(2026, 0, 6);

let unmount = () => {};
afterEach(() => unmount());

function notice(status: number, errorCode: string, message: string, width: number): string {
  const sent = { url: new URL('http://gas.example.org'), endpoint: '/gas/current', write: null };
  const error = refusal(new Response(null, { status }), JSON.stringify({ errorCode, message }), {
    ...{ ...sent, withKey: true, keyAdvice: '' },
  });
  const health = healthOf({ data: SNAPSHOT, error, retryAt: MIDNIGHT }, false, { kind: 'live' });
  const app = render(<Clock now={() => NOW}>{inRoom(width, 24, <NoticeLine health={health} />)}</Clock>);
  unmount = app.unmount;
  return app.lastFrame() ?? '';
}

describe('the line over old data', () => {
  it.each([
    [401, 'api_key_revoked', 'revoked', 'The key has been revoked · set GASTOP_API_KEY and start again'],
    [401, 'api_key_invalid', 'unknown key', 'The key is refused · set GASTOP_API_KEY and start again'],
    [
      403,
      'plan_required',
      'this route is for the plans pro and enterprise',
      'The plan of this key does not allow this · it takes another plan or key',
    ],
    [
      429,
      'daily_quota_exceeded',
      'the 300 requests of this day are used up; the quota begins anew at 00:00 UTC',
      'The daily quota of this key is used up · next try in 6h52m',
    ],
    [503, 'upstream_unavailable', 'no node answers', 'no node answers · next try in 6h52m'],
  ])('says the whole cause of a %i (%s) in 80 columns and what comes next', (status, code, message, text) => {
    const line = notice(status, code, message, 80);
    expect(line).toContain(text);
    expect(line).not.toContain('…');
  });

  it('says more where there is room', () => {
    expect(notice(401, 'api_key_revoked', 'revoked', 120)).toContain(
      'The key has been revoked · set GASTOP_API_KEY and start again; r asks once more',
    );
    expect(notice(429, 'daily_quota_exceeded', '300 of 300', 99)).toContain(
      'used up: 300 of 300 · next try in 6h52m',
    );
  });

  it('spares what comes next first on the narrowest screen', () => {
    expect(notice(429, 'daily_quota_exceeded', 'the 300 requests of this day are used up', 60)).toContain(
      'The daily quota of this key is used up · again in 6h52m',
    );
  });
});
