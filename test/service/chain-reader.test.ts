import { expect, test } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { mapBounded } from '../../src/service/async.ts';
import { bounded, ChainReader, WeightedCache } from '../../src/service/chain-reader.ts';
import { ApiFailure } from '../../src/service/http/errors.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { makeIncluded } from '../helpers/made-transactions.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { runService } from '../helpers/service.ts';

const forever = () => new Promise<never>(() => {});
const open = new AbortController().signal;

test('a question whose time is up ends with a refusal that says when to ask again, and its work hears of it', async () => {
  let heard: AbortSignal | null = null;
  const answer = bounded(
    (signal) => {
      heard = signal;
      return forever();
    },
    open,
    10,
  );
  const failure = await answer.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiFailure);
  expect(failure).toMatchObject({ code: 'upstream_unavailable', headers: { 'Retry-After': '5' } });
  expect(heard).toMatchObject({ aborted: true });
});

test('a failure that only comes from giving up is told as the giving up', async () => {
  const stopping = (signal: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('socket closed'))),
    );
  await expect(bounded(stopping, open, 10)).rejects.toBeInstanceOf(ApiFailure);
  await expect(bounded(() => Promise.reject(new Error('broken')), open)).rejects.toThrow('broken');
});

test('who leaves does not wait for the answer', async () => {
  const leaving = new AbortController();
  const answer = bounded(forever, leaving.signal);
  leaving.abort();
  await expect(answer).rejects.toMatchObject({ code: 'upstream_unavailable' });
  await expect(bounded(forever, AbortSignal.abort())).rejects.toMatchObject({ code: 'upstream_unavailable' });
});

test('a stopped service lets go of questions that a hanging node holds up', async () => {
  const source = new ScriptedSource(makeBlocks(0, 99));
  const service = await runService({ source });
  await service.ready;
  const asked = Promise.withResolvers<void>();
  source.block = () => {
    asked.resolve();
    return forever();
  };
  const answer = service.get('/metrics/block/50');
  await asked.promise;
  await service.stop();
  const response = await answer;
  expect(response.status).toBe(503);
  ErrorBody.parse(await response.json());
});

test('a few items at a time, results in order; after a failure nothing more is begun', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return item * 2;
  };
  expect(await mapBounded([1, 2, 3, 4, 5, 6, 7], 3, open, work)).toEqual([2, 4, 6, 8, 10, 12, 14]);
  expect(most).toBe(3);
  const begun: number[] = [];
  const failing = mapBounded([1, 2, 3, 4, 5, 6], 2, open, async (item) => {
    begun.push(item);
    await new Promise(setImmediate);
    if (item === 2) throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await new Promise(setImmediate);
  expect(begun.length).toBeLessThan(5);
  await expect(mapBounded([1], 2, AbortSignal.abort(new Error('left')), work)).rejects.toThrow('left');
});

test('what was used last is kept, up to the limit', () => {
  const cache = new WeightedCache<string, number>(10);
  cache.set('a', 1, 4);
  cache.set('b', 2, 4);
  cache.get('a');
  cache.set('c', 3, 4);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  cache.set('c', 4, 6);
  expect([cache.get('a'), cache.get('c')]).toEqual([1, 4]);
  cache.set('huge', 5, 11);
  expect([cache.get('a'), cache.get('huge')]).toEqual([1, undefined]);
});

test('the same block asked for at once is one question to the node, and its transactions are asked for once', async () => {
  const source = new ScriptedSource(makeBlocks(0, 99));
  source.transactions.set(50, [makeIncluded(makeBlock(50), 0)]);
  const reader = new ChainReader(source, open);
  const [first, second] = await Promise.all([reader.block(50), reader.block(50)]);
  expect(first).toBe(second);
  expect(source.asked.block).toBe(1);
  expect(await reader.blockOf(makeBlock(50))).toBe(first);
  expect(source.asked.block).toBe(1);
  // Another block of this height than the one that is kept.
  await reader.blockOf(makeBlock(50, { hash: `0x${'9'.repeat(64)}` }));
  expect(source.asked.block).toBe(2);
  if (first === null) throw new Error('no block 50');
  await Promise.all([reader.transactionsOf(first), reader.transactionsOf(first)]);
  await reader.transactionsOf(first);
  expect(source.asked.transactionsOf).toBe(1);
});

test('a failed question is not remembered', async () => {
  const source = new ScriptedSource(makeBlocks(0, 99));
  const reader = new ChainReader(source, open);
  source.isReachable = false;
  await expect(reader.block(50)).rejects.toThrow('does not answer');
  source.isReachable = true;
  expect((await reader.block(50))?.number).toBe(50);
});
