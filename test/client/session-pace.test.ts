import { afterEach, describe, expect, it, vi } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import type { LimitKind } from '../../src/client/errors.ts';
import { ClientError, type ClientErrorCode } from '../../src/client/errors.ts';
import { createPacedClient } from '../../src/client/paced-client.ts';
import { SessionPace } from '../../src/client/session-pace.ts';
import type { NewAlert } from '../../src/client/views/alerts.ts';
import type { RateLimitsView } from '../../src/client/views/dashboard.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { failureOf } from './answering.ts';
import { FOREIGN_30 } from './foreign-openapi.ts';
import { sendJson, serve } from './http-server.ts';
import { OWN_SNAPSHOT } from './own-answers.ts';

const LIMITS: RateLimitsView = {
  plan: 'free',
  dailyLimit: 1_000,
  usedToday: 1_000,
  remainingToday: 0,
  resetsAt: null,
  perSecond: 5,
};
const CURRENT = PATHS.gasCurrent;
const TREND = PATHS.gasTrend;

function refusal(
  code: ClientErrorCode,
  retryAfterSec: number | null = null,
  limit: LimitKind | null = 'rate',
) {
  return new ClientError(code, `it is ${code}`, { endpoint: TREND, retryAfterSec, limit });
}

/** A pace with a clock moved by hand. */
function paced(limits: () => Promise<RateLimitsView> = () => Promise.reject(new Error('not asked for'))) {
  const clock = { now: 1_000_000 };
  const pace = new SessionPace({ now: () => clock.now, rateLimits: limits });
  let asked = 0;
  const ask = (path: string, outcome: ClientError | 'fine' = 'fine') =>
    pace.pass(path, async () => {
      asked += 1;
      if (outcome !== 'fine') throw outcome;
      return outcome;
    });
  return { pace, clock, ask, asked: () => asked };
}

const NEW_ALERT: NewAlert = {
  thresholdGwei: 1,
  gasSpeed: 'SLOW',
  condition: 'LESS_THAN',
  channels: ['TERMINAL'],
};

describe('a session that was asked to wait', () => {
  it('asks nothing at all until then, and says how long that still is', async () => {
    const { clock, ask, asked, pace } = paced();
    await failureOf(ask(TREND, refusal('quota', 30)));
    clock.now += 10_000;
    for (const path of [CURRENT, TREND, PATHS.statsChart]) {
      expect(await failureOf(ask(path))).toMatchObject({ code: 'quota', retryAfterSec: 20 });
    }
    expect(asked()).toBe(1);
    expect(pace.read().halt?.until).toBe(1_030_000);
    clock.now += 20_000;
    expect(await ask(CURRENT)).toBe('fine');
    expect(pace.read().halt).toBeNull();
  });

  it('waits no longer than that where the clock is set back meanwhile', async () => {
    const { clock, ask, pace } = paced();
    await failureOf(ask(TREND, refusal('quota', 30)));
    clock.now -= 3_600_000;
    expect(await failureOf(ask(CURRENT))).toMatchObject({ code: 'quota', retryAfterSec: 30 });
    expect(pace.read().halt?.until).toBe(clock.now + 30_000);
    clock.now += 30_000;
    expect(await ask(CURRENT)).toBe('fine');
  });

  it('then lets one question go first; the others follow if it is answered', async () => {
    const { pace, clock } = paced();
    await failureOf(pace.pass(TREND, () => Promise.reject(refusal('quota', 5))));
    clock.now += 5_000;
    const first = Promise.withResolvers<string>();
    const sent: string[] = [];
    const one = pace.pass(CURRENT, () => {
      sent.push('first');
      return first.promise;
    });
    const other = pace.pass(TREND, async () => {
      sent.push('second');
      return 'there';
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['first']);
    first.resolve('here');
    expect(await Promise.all([one, other])).toEqual(['here', 'there']);
  });

  it('is refused as a whole if that one is', async () => {
    const { pace, clock, ask, asked } = paced();
    await failureOf(ask(TREND, refusal('quota', 5)));
    clock.now += 5_000;
    const first = Promise.withResolvers<never>();
    const one = failureOf(pace.pass(CURRENT, () => first.promise));
    const other = failureOf(ask(TREND));
    first.reject(refusal('quota', 60));
    expect(await one).toMatchObject({ code: 'quota' });
    expect(await other).toMatchObject({ code: 'quota', retryAfterSec: 60 });
    expect(asked()).toBe(1);
  });

  it('waits a day at most', async () => {
    const { pace, ask } = paced();
    await failureOf(ask(CURRENT, refusal('quota', 7_776_000)));
    expect(pace.read().halt?.until).toBe(1_000_000 + 25 * 3_600_000);
  });

  it('lets the user try at once, with one question', async () => {
    const { pace, ask, asked } = paced();
    await failureOf(ask(CURRENT, refusal('quota', 3_600)));
    pace.tryNow();
    expect(await ask(CURRENT)).toBe('fine');
    expect(asked()).toBe(2);
  });

  it('leaves a question that was called off out of account', async () => {
    const { pace, clock, ask } = paced();
    await failureOf(ask(CURRENT, refusal('quota', 5)));
    clock.now += 5_000;
    const off = new AbortController();
    const call = pace.pass(
      CURRENT,
      () =>
        new Promise((_, reject) =>
          off.signal.addEventListener('abort', () => reject(refusal('unreachable'))),
        ),
      off.signal,
    );
    await new Promise((resolve) => setImmediate(resolve));
    off.abort();
    await failureOf(call);
    expect(pace.read().halt).not.toBeNull();
    expect(await ask(CURRENT)).toBe('fine');
  });
});

describe('the pace', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is halved by each wait for the daily quota, once for questions that were out together, and comes back step by step', async () => {
    const { pace, clock, ask } = paced();
    await Promise.all(
      [TREND, CURRENT, PATHS.statsChart].map((path) => failureOf(ask(path, refusal('quota', 1, 'daily')))),
    );
    expect(pace.read().slowdown).toBe(2);
    clock.now += 1_000;
    await failureOf(ask(CURRENT, refusal('quota', 1, 'daily')));
    expect(pace.read().slowdown).toBe(4);
    clock.now += 1_000;
    const seen: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      clock.now += 10_000;
      await ask(CURRENT);
      seen.push(pace.read().slowdown);
    }
    expect(seen).toEqual([4, 4, 4, 4, 2, 2, 2, 2, 2, 1]);
  });

  it('is spread for good once a limit was met: what is wanted at once goes out one by one', async () => {
    const { pace, clock, ask } = paced();
    await failureOf(ask(CURRENT, refusal('quota', 1)));
    for (let round = 0; round < 6; round += 1) {
      clock.now += 10_000;
      await ask(CURRENT);
    }
    expect(pace.read().slowdown).toBe(1);
    clock.now += 10_000;
    const sent: string[] = [];
    const send = (name: string) =>
      pace.pass(TREND, async () => {
        sent.push(name);
      });
    const both = [send('first'), send('second')];
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['first']);
    await Promise.all(both);
    expect(sent).toEqual(['first', 'second']);
  });

  it('has an end to its slowing', async () => {
    const { pace, clock, ask } = paced();
    for (let round = 0; round < 20; round += 1) {
      clock.now += 10_000;
      await failureOf(ask(CURRENT, refusal('quota', 1, 'daily')));
    }
    expect(pace.read().slowdown).toBe(64);
  });

  it('of polling stays through a limit per second, whose gap is the one that the limit wants', async () => {
    const { pace, clock, ask } = paced(async () => ({ ...LIMITS, remainingToday: 400, perSecond: 20 }));
    for (const gapMs of [1_100, 2_200, 4_400]) {
      await failureOf(ask(CURRENT, refusal('quota', 1)));
      expect(pace.read()).toMatchObject({ slowdown: 1, gapMs, perSecond: null });
      clock.now += 10_000;
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await ask(CURRENT);
    clock.now += 4_400;
    await vi.advanceTimersByTimeAsync(4_400);
    expect(pace.read()).toMatchObject({ slowdown: 1, gapMs: 55, perSecond: 20 });
  });

  it('of a gap that grew is the limit’s again within a minute, whether the service tells its limit or not', async () => {
    const { pace, clock, ask } = paced();
    for (let round = 0; round < 8; round += 1) {
      await failureOf(ask(CURRENT, refusal('quota', 1)));
      clock.now += 10_000;
    }
    expect(pace.read()).toMatchObject({ slowdown: 1, gapMs: 8_000 });
    clock.now += 50_000;
    await ask(CURRENT);
    expect(pace.read().gapMs).toBe(1_100);
  });

  it('lets the prices pass what waits, and something else pass the prices', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { pace, clock, ask } = paced();
    await failureOf(ask(CURRENT, refusal('quota', 1)));
    clock.now += 10_000;
    await ask(TREND);
    // The question for the limit itself goes before what is wanted later.
    clock.now += 1_100;
    await vi.advanceTimersByTimeAsync(1_100);
    const sent: string[] = [];
    const all = [PATHS.statsChart, PATHS.baseFee, CURRENT, CURRENT].map((path) =>
      pace.pass(path, async () => sent.push(path)),
    );
    for (let turn = 0; turn < 5; turn += 1) {
      clock.now += 1_100;
      await vi.advanceTimersByTimeAsync(1_100);
    }
    await Promise.all(all);
    expect(sent).toEqual([CURRENT, PATHS.statsChart, CURRENT, PATHS.baseFee]);
  });
});

describe('a limit that does not say which it is', () => {
  it('is the day’s where the service’s figures say so: it goes on when they begin anew', async () => {
    const { pace, ask } = paced(async () => ({ ...LIMITS, resetsAt: 9_000_000 }));
    await failureOf(ask(CURRENT, refusal('quota', null, null)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pace.read().halt).toMatchObject({ until: 9_001_000, error: { limit: 'daily' } });
    expect(pace.read().halt?.error.message).toContain('1,000 of 1,000');
  });

  it('is the one per second where the day has some left', async () => {
    const { pace, ask } = paced(async () => ({ ...LIMITS, remainingToday: 400 }));
    await failureOf(ask(CURRENT, refusal('quota', null, null)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pace.read().halt).toMatchObject({ until: 1_010_000, error: { limit: 'rate' } });
    expect(pace.read().halt?.error.message).toContain('5 a second');
  });

  it('stays unknown where nobody says', async () => {
    const { pace, ask } = paced();
    await failureOf(ask(CURRENT, refusal('quota', null, null)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pace.read().halt).toMatchObject({ until: 1_060_000, error: { limit: null } });
  });
});

describe('the limits themselves', () => {
  it('are asked for once while the day’s quota is used up, and nothing else is', async () => {
    let told = 0;
    const server = await serve((request, response) => {
      if (request.url?.endsWith(PATHS.rateLimits) !== true) {
        const error = { errorCode: 'daily_quota_exceeded', message: 'no more today' };
        return sendJson(response, error, 429, { 'retry-after': '3600' });
      }
      told += 1;
      return sendJson(response, {
        plan: 'free',
        dailyLimit: 300,
        usedToday: 300,
        remainingToday: 0,
        resetsAt: '2026-01-06T00:00:00Z',
        perSecond: 5,
      });
    });
    const client = createGasClient({ baseUrl: server.url, apiKey: 'k-1' });
    const pace = new SessionPace({ now: Date.now, rateLimits: () => client.rateLimits() });
    const gas = createPacedClient(client, pace);
    await failureOf(gas.gasCurrent());
    const asked = [await gas.rateLimits(), await gas.rateLimits()];
    expect(asked.map(({ usedToday }) => usedToday)).toEqual([300, 300]);
    expect(told).toBe(1);
    expect(pace.read().halt).not.toBeNull();
    expect(await failureOf(gas.gasTrend())).toMatchObject({ code: 'quota' });
    expect(server.requests).toHaveLength(2);
  });

  it('where they are refused too say what holds everything back, and are not asked for again', async () => {
    let told = 0;
    const { pace, ask } = paced(async () => {
      told += 1;
      throw refusal('quota', 10, 'daily');
    });
    const never = () => Promise.reject(new Error('this is not let through'));
    await failureOf(ask(CURRENT, refusal('quota', 3_600, 'daily')));
    for (let round = 0; round < 2; round += 1) {
      expect(await failureOf(pace.limits(never))).toMatchObject({ code: 'quota', retryAfterSec: 3_600 });
    }
    expect(told).toBe(1);
    expect(pace.read().halt?.until).toBe(1_000_000 + 3_600_000);
  });

  it('wait with all others for a limit per second, and with a refused key', async () => {
    for (const error of [refusal('quota', 30, 'rate'), refusal('key')]) {
      const { pace, ask } = paced();
      await failureOf(ask(CURRENT, error));
      const failure = await failureOf(
        pace.limits(() => Promise.reject(new Error('this is not let through'))),
      );
      expect(failure).toMatchObject({ code: error.code });
    }
  });
});

describe('a refused key', () => {
  it('ends all questions until the user asks once more; then the prices go first', async () => {
    const { pace, ask, asked } = paced();
    await failureOf(ask(CURRENT, refusal('key')));
    expect(await failureOf(ask(TREND))).toMatchObject({ code: 'key' });
    expect(asked()).toBe(1);
    pace.tryNow();
    expect(await failureOf(ask(TREND))).toMatchObject({ code: 'key' });
    expect(asked()).toBe(1);
    await failureOf(ask(CURRENT, refusal('key')));
    expect(await failureOf(ask(TREND))).toMatchObject({ code: 'key' });
    pace.tryNow();
    expect(await ask(CURRENT)).toBe('fine');
    expect(await ask(TREND)).toBe('fine');
  });

  it('for one route, or a plan without it, leaves the others alone', async () => {
    const { ask } = paced();
    await failureOf(ask(TREND, refusal('key')));
    await failureOf(ask(TREND, refusal('plan')));
    expect(await ask(CURRENT)).toBe('fine');
  });
});

describe('a question that waits for its turn', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('leaves no timer behind when it is called off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { pace, clock, ask } = paced();
    await failureOf(ask(CURRENT, refusal('quota', 1)));
    clock.now += 1_000;
    await ask(CURRENT);
    // The question for the limit itself, which nobody answers.
    clock.now += 1_100;
    await vi.advanceTimersByTimeAsync(1_100);
    clock.now += 1_100;
    await ask(CURRENT);
    const calledOff = new AbortController();
    const waiting = failureOf(pace.pass(TREND, async () => 'never', calledOff.signal));
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    calledOff.abort();
    expect((await waiting).message).toContain('called off');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a client at a session’s pace', () => {
  it('asks a real service nothing while it holds back, whatever is wanted', async () => {
    const server = await serve((_, response) =>
      sendJson(response, { errorCode: 'rate_limit_exceeded', message: 'slow down' }, 429, {
        'retry-after': '60',
      }),
    );
    const client = createGasClient({ baseUrl: server.url, apiKey: 'k-1' });
    const pace = new SessionPace({ now: Date.now, rateLimits: () => client.rateLimits() });
    const gas = createPacedClient(client, pace);
    await failureOf(gas.gasCurrent());
    for (const call of [
      gas.gasTrend(),
      gas.statsChart('1h'),
      gas.raw('/gas/current'),
      gas.description(),
      gas.block('latest'),
      gas.tx('0x0'),
      gas.txs(),
      gas.baseFee(),
      gas.summary(),
      gas.alerts(),
      gas.createAlert(NEW_ALERT),
      gas.setAlertStatus('a', 'DISABLED'),
      gas.deleteAlert('a'),
    ])
      expect(await failureOf(call)).toMatchObject({ code: 'quota' });
    expect(server.requests).toHaveLength(1);
  });

  it('does not ask for a route that the service’s description does not list', async () => {
    const server = await serve((request, response) =>
      request.url?.includes('api-playground')
        ? sendJson(response, FOREIGN_30)
        : sendJson(response, OWN_SNAPSHOT),
    );
    const client = createGasClient({ baseUrl: server.url });
    const gas = createPacedClient(
      client,
      new SessionPace({ now: Date.now, rateLimits: () => client.rateLimits() }),
    );
    await gas.gasCurrent();
    await gas.description();
    const asked = server.requests.length;
    const failure = await failureOf(gas.gasRecommendation());
    expect(failure).toMatchObject({ code: 'not-found', endpoint: '/gas/recommendation' });
    expect(failure.message).toContain('its own description does not list it');
    const unable = await failureOf(gas.setAlertStatus('a', 'DISABLED'));
    expect(unable.message).toContain('the service has no PUT /alerts/{id}/status: its own');
    expect(server.requests).toHaveLength(asked);
    await gas.deleteAlert('a');
    expect(server.requests.at(-1)?.method).toBe('DELETE');
    await gas.gasCurrent();
  });
});
