import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { ClientError, type ClientErrorCode } from '../../src/client/errors.ts';
import { followPrices } from '../../src/client/follow-prices.ts';
import { snapshotOf, startStreamingService } from '../helpers/streaming-service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { failureOf } from './answering.ts';

const failure = (code: ClientErrorCode, retryAfterSec: number | null = null) =>
  new ClientError(code, code, { endpoint: '/gas/stream', retryAfterSec });

/** What is followed gives `heard`, as it comes, until the test is over. */
function follow<Prices>(following: Omit<Parameters<typeof followPrices<Prices>>[0], 'signal'>) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const heard: unknown[] = [];
  const onStream = (isOpen: boolean) => heard.push(isOpen ? 'open' : 'broken');
  const end = (async () => {
    for await (const prices of followPrices({ onStream, ...following, signal: stop.signal }))
      heard.push(prices);
    return 'ended';
  })();
  end.catch(() => {});
  return { heard, end, stop };
}

/** Prices 1, 2, 3 …; `null` fails. */
function polled(responses: readonly (number | null)[], everyMs = 1) {
  const left = [...responses];
  const read = async () => {
    const next = left.shift();
    return next === undefined ? new Promise<never>(() => {}) : (next ?? Promise.reject(failure('server')));
  };
  const failures: number[] = [];
  const retryMs = (_: unknown, count: number) => {
    failures.push(count);
    return 1;
  };
  return { poll: { read, everyMs: () => everyMs, retryMs }, failures };
}

describe('prices that are polled', () => {
  it.each([
    [[1, 2, 3], []],
    [
      [1, null, null, 2, null, 3],
      [0, 1, 0],
    ],
    [
      [null, null, null, 1, 2, 3],
      [0, 1, 2],
    ],
  ])(
    'come in sequence from %j, after waits by how many failures there were in a row',
    async (responses, counts) => {
      const { poll, failures } = polled(responses);
      const { heard } = follow({ poll });
      await waitFor(() => heard.length === 3);
      expect(heard).toEqual([1, 2, 3]);
      expect(failures).toEqual(counts);
    },
  );

  it.each(['key', 'plan', 'invalid'] as const)(
    'end with a failure that no waiting helps: %s',
    async (code) => {
      const retryMs = (error: unknown) => {
        throw error;
      };
      const { end } = follow({
        poll: { read: () => Promise.reject(failure(code)), everyMs: () => 1, retryMs },
      });
      expect(await failureOf(end)).toMatchObject({ code });
    },
  );

  it('end at once on abort, also while they wait', async () => {
    const { heard, end, stop } = follow(polled([1, 2], 3_600_000));
    await waitFor(() => heard.length === 1);
    stop.abort();
    await expect(end).rejects.toThrow('aborted');
  });
});

describe('prices of a stream', () => {
  it('come from a service while it is open, and are polled at once when it breaks', async () => {
    const service = await startStreamingService();
    const client = createGasClient({ url: service.url });
    const read = async () => `polled ${(await client.gasCurrent()).blockNumber}`;
    const stream = async function* (signal: AbortSignal) {
      for await (const { blockNumber } of client.stream({ signal })) yield `streamed ${blockNumber}`;
    };
    const poll = { read, everyMs: () => 3_600_000, retryMs: () => 1 };
    const { heard } = follow({ poll, stream });
    await waitFor(() => heard.length === 3);
    service.tell(snapshotOf(2));
    await waitFor(() => heard.length === 4);
    service.breakStreams(snapshotOf(3));
    await waitFor(() => heard.length === 6);
    expect(heard).toEqual(['polled 1', 'open', 'streamed 1', 'streamed 2', 'broken', 'polled 3']);
  });

  it('come again once the stream is opened again, without a poll', async () => {
    let opened = 0;
    const stream = async function* () {
      opened += 1;
      yield opened;
      if (opened > 1) await new Promise(() => {});
      throw failure('unreachable');
    };
    const { heard } = follow({ stream });
    await waitFor(() => heard.length === 5);
    expect(heard).toEqual(['open', 1, 'broken', 'open', 2]);
  });

  it.each([
    ['not-found', null],
    ['plan', null],
    ['key', null],
    ['invalid', null],
    ['quota', 3_600],
    ['quota', null],
  ] as const)('are only polled after %s, Retry-After %s', async (code, retryAfterSec) => {
    const stream = vi.fn(async function* () {
      yield* [];
      throw failure(code, retryAfterSec);
    });
    const { heard } = follow({ ...polled([1, 2, 3, 4, 5]), stream });
    await waitFor(() => heard.length === 5);
    expect(stream).toHaveBeenCalledTimes(1);
    if (code !== 'quota') expect(await follow({ stream }).end).toBe('ended');
  });
});
