import { QueryClientProvider } from '@tanstack/react-query';
import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ClientError, type ClientErrorCode } from '../../src/client/errors.ts';
import { type Polled, type PolledQuery, usePolledQuery } from '../../src/tui/data/queries.ts';
import { createQueryClient, retryDelayMs } from '../../src/tui/data/query-client.ts';
import { waitFor } from '../helpers/wait-for.ts';

let cleanUp = () => {};
afterEach(() => {
  cleanUp();
  vi.useRealTimers();
});

type FakeTimers = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;
/** React's own scheduling stays real; only the waiting of polls is wound by hand. */
const TIMERS: FakeTimers = { toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] };

/** Lets the hands of the clock go on, ms by ms, until `done`. */
async function passUntil(done: () => boolean): Promise<void> {
  for (let ms = 0; ms < 1_000 && !done(); ms += 1) {
    await vi.advanceTimersByTimeAsync(1);
    // What a timer set off is drawn in turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(done()).toBe(true);
}

interface Probe<T> {
  readonly states: Polled<T>[];
  readonly latest: () => Polled<T>;
  readonly unmount: () => void;
}

interface AskerProps<T> {
  readonly query: PolledQuery<T>;
  readonly seen: (state: Polled<T>) => void;
}

function Asker<T>({ query, seen }: AskerProps<T>) {
  seen(usePolledQuery(query));
  return <Text>asking</Text>;
}

function poll<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs: number | null,
  frozen = false,
  soonerMs: (answer: T) => number | null = () => null,
): Probe<T> {
  const queries = createQueryClient();
  const states: Polled<T>[] = [];
  const app = render(
    <QueryClientProvider client={queries}>
      <Asker
        query={{ key: ['thing'], ask, everyMs, frozen, soonerMs }}
        seen={(state) => states.push(state)}
      />
    </QueryClientProvider>,
  );
  const unmount = () => {
    app.unmount();
    queries.clear();
  };
  cleanUp = unmount;
  return {
    states,
    unmount,
    latest: () => {
      const last = states.at(-1);
      if (last === undefined) throw new Error('nothing drawn');
      return last;
    },
  };
}

const failure = (code: ClientErrorCode, retryAfterSec: number | null = null) =>
  new ClientError(code, `it is ${code}`, { endpoint: '/gas/current', retryAfterSec });

describe('polling', () => {
  it('asks again sooner for as long as the answers say so, also where it asks but once otherwise', async () => {
    vi.useFakeTimers(TIMERS);
    let asked = 0;
    poll(
      async () => {
        asked += 1;
        return asked;
      },
      null,
      false,
      (answer) => (answer < 3 ? 10 : null),
    );
    await passUntil(() => asked === 3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toBe(3);
  });

  it('asks again after each answer and never while a question is open', async () => {
    vi.useFakeTimers(TIMERS);
    let asked = 0;
    let answer = () => {};
    poll(() => {
      asked += 1;
      return new Promise((resolve) => {
        answer = () => resolve(asked);
      });
    }, 10);
    for (const round of [1, 2, 3]) {
      await passUntil(() => asked === round);
      // A hundred times the interval: an impatient poller would ask in between.
      await vi.advanceTimersByTimeAsync(1_000);
      expect(asked).toBe(round);
      answer();
    }
  });

  it('draws nothing again for an equal answer', async () => {
    let asked = 0;
    const probe = poll(async () => {
      asked += 1;
      return { price: 41n, lanes: ['slow', 'fast'] };
    }, 5);
    await waitFor(() => asked >= 5);
    const drawn = probe.states.filter(({ data }) => data !== undefined);
    expect(new Set(drawn.map(({ data }) => data)).size).toBe(1);
    expect(drawn.length).toBe(1);
  });

  it('keeps the last data through a failure, says when the next try is, and recovers by itself', async () => {
    let asked = 0;
    const probe = poll(async () => {
      asked += 1;
      if (asked === 2) throw failure('unreachable');
      return asked;
    }, 10);
    await waitFor(() => probe.latest().error);
    expect(probe.latest().data).toBe(1);
    expect(probe.latest().retryAt).toBeGreaterThan(Date.now());
    await waitFor(() => probe.latest().error === null && probe.latest().data === 3);
    expect(probe.latest().retryAt).toBeNull();
  });

  it('does not blink between two failures when there never was data', async () => {
    let asked = 0;
    const probe = poll(async () => {
      asked += 1;
      throw failure('unreachable');
    }, 10);
    await waitFor(() => asked >= 2);
    const firstFailure = probe.states.findIndex(({ error }) => error !== null);
    expect(probe.states.slice(firstFailure).every(({ error }) => error !== null)).toBe(true);
  });

  it('stops for good when the key is refused', async () => {
    const probe = poll(async () => {
      throw failure('key');
    }, 10);
    await waitFor(() => probe.latest().error);
    expect(probe.latest().retryAt).toBeNull();
  });

  it('waits as long as a service with a used-up quota asks', async () => {
    const probe = poll(async () => {
      throw failure('quota', 77);
    }, 10);
    await waitFor(() => probe.latest().error);
    const waitSec = ((probe.latest().retryAt ?? 0) - Date.now()) / 1_000;
    expect(Math.round(waitSec)).toBe(77);
  });

  it('asks nothing by itself while frozen, but does when told to', async () => {
    vi.useFakeTimers(TIMERS);
    let asked = 0;
    const probe = poll(
      async () => {
        asked += 1;
        return asked;
      },
      1,
      true,
    );
    await passUntil(() => probe.states.at(-1)?.data === 1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toBe(1);
    await probe.latest().refresh();
    expect(asked).toBe(2);
  });

  it('gives up the open question when its screen is left', async () => {
    let given: AbortSignal | null = null;
    const probe = poll((signal) => {
      given = signal;
      return new Promise(() => {});
    }, 10);
    await waitFor(() => given !== null);
    probe.unmount();
    await waitFor(() => given?.aborted);
  });
});

describe('the wait before trying again', () => {
  it('doubles from one second to half a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 20].map((failures) => retryDelayMs(new Error('x'), failures));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('is none where only the user can help', () => {
    expect(retryDelayMs(failure('key'), 1)).toBeNull();
    expect(retryDelayMs(failure('plan'), 1)).toBeNull();
  });

  it('is the service’s own, and long without one, when a quota is used up', () => {
    expect(retryDelayMs(failure('quota', 5), 9)).toBe(5_000);
    expect(retryDelayMs(failure('quota'), 1)).toBe(60_000);
    expect(retryDelayMs(failure('unavailable', 45), 9)).toBe(45_000);
  });

  it('is a day at most, whatever is asked for', () => {
    expect(retryDelayMs(failure('quota', 9e6), 1)).toBe(90_000_000);
  });

  it('is spread by a quarter either way, so that many do not ask in step', () => {
    const waits = [0, 0.5, 1].map((chance) => retryDelayMs(failure('server'), 5, chance));
    expect(waits).toEqual([12_000, 16_000, 20_000]);
  });

  it('is none for a route the service does not have, but for the prices themselves', () => {
    const absent = (endpoint: string) => new ClientError('not-found', 'none', { endpoint });
    expect(retryDelayMs(absent('/gas/trend'), 1)).toBeNull();
    expect(retryDelayMs(absent('/gas/current'), 1)).toBe(30_000);
    expect(retryDelayMs(absent(`/metrics/tx/0x${'0'.repeat(64)}`), 1)).toBe(30_000);
  });

  it('is long where something answers that is not v1', () => {
    expect([1, 2, 9].map((failures) => retryDelayMs(failure('unreadable'), failures))).toEqual([
      10_000, 20_000, 60_000,
    ]);
  });
});
