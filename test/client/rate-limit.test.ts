import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { failureOf } from './answering.ts';
import { OWN_SNAPSHOT } from './own-answers.ts';

const LIMITS = { plan: 'free', dailyLimit: 10, usedToday: 10, remainingToday: 0 };

function clientOf(...responses: readonly Response[]) {
  const clock = { now: Date.parse('2026-01-20T12:00:00Z') };
  const paths: string[] = [];
  const left = [...responses];
  const client = createGasClient({
    url: 'http://gas.example.org',
    apiKey: 'k',
    now: () => clock.now,
    fetch: ({ url }) => {
      const path = new URL(url).pathname.slice('/be/api/v1'.length);
      paths.push(path);
      return (
        left.shift() ??
        Response.json(path === '/dashboard/rate-limits' ? LIMITS : { ...OWN_SNAPSHOT, direction: 'RISING' })
      );
    },
  });
  return { client, clock, paths };
}

const tooMany = (headers: Record<string, string> = {}) =>
  Response.json({ errorCode: 'rate_limit_exceeded', message: 'until midnight' }, { status: 429, headers });

describe('a 429', () => {
  it('pauses every request for its Retry-After, and the error says what is left of it', async () => {
    const { client, clock, paths } = clientOf(tooMany({ 'retry-after': '300' }));
    expect(await failureOf(client.gasTrend())).toMatchObject({ code: 'quota', retryAfterSec: 300 });
    clock.now += 100_000;
    expect(await failureOf(client.gasCurrent())).toMatchObject({ code: 'quota', retryAfterSec: 200 });
    expect(await failureOf(client.deleteAlert('a1'))).toMatchObject({ code: 'quota' });
    expect(await failureOf(client.description())).toMatchObject({ code: 'quota' });
    expect(paths).toEqual(['/gas/trend']);
    clock.now += 200_000;
    await client.gasCurrent();
    expect(client.rateLimit.read()).toBeNull();
  });

  it('pauses for a minute where the service does not say how long', async () => {
    const { client, clock } = clientOf(tooMany());
    await failureOf(client.gasCurrent());
    expect(client.rateLimit.read()?.until).toBe(clock.now + 60_000);
  });

  it('leaves the request for the limits themselves', async () => {
    const { client } = clientOf(tooMany({ 'retry-after': '300' }));
    await failureOf(client.gasCurrent());
    expect((await client.rateLimits()).remainingToday).toBe(0);
    expect(client.rateLimit.read()).not.toBeNull();
  });

  it('of a limit per second is waited for within the request', async () => {
    const { client, paths } = clientOf(tooMany({ 'retry-after': '0' }));
    await client.gasCurrent();
    expect(paths).toEqual(['/gas/current', '/gas/current']);
  });

  it('is not waited for by a write, which is sent once', async () => {
    const { client, paths } = clientOf(tooMany({ 'retry-after': '0' }));
    expect(await failureOf(client.deleteAlert('a1'))).toMatchObject({ code: 'quota', mayBeDone: false });
    expect(paths).toEqual(['/alerts/a1']);
  });
});

describe('a refused key', () => {
  it('pauses every request until the user tries again', async () => {
    const refused = () =>
      Response.json({ errorCode: 'api_key_revoked', message: 'revoked' }, { status: 401 });
    const { client, clock, paths } = clientOf(refused(), refused());
    await failureOf(client.gasCurrent());
    clock.now += 86_400_000;
    expect(await failureOf(client.gasTrend())).toMatchObject({ code: 'key' });
    expect(paths).toHaveLength(1);
    client.rateLimit.tryNow();
    expect(await failureOf(client.gasCurrent())).toMatchObject({ code: 'key' });
    client.rateLimit.tryNow();
    await client.gasCurrent();
    expect(client.rateLimit.read()).toBeNull();
  });

  it('at another route than the prices pauses nothing: that may be the plan', async () => {
    const { client } = clientOf(new Response('{}', { status: 401 }));
    await failureOf(client.gasTrend());
    await client.gasCurrent();
  });
});

it('tells its listeners when a pause begins and ends', async () => {
  const { client, clock } = clientOf(tooMany({ 'retry-after': '60' }));
  const seen: boolean[] = [];
  const unsubscribe = client.rateLimit.subscribe(() => seen.push(client.rateLimit.read() !== null));
  await failureOf(client.gasCurrent());
  clock.now += 60_000;
  await client.gasCurrent();
  unsubscribe();
  expect(seen).toEqual([true, false]);
});
