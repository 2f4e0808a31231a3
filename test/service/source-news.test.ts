import { expect, onTestFinished, test } from 'vitest';
import type { ChainEvent } from '../../src/chain/chain-source.ts';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import type { News } from '../../src/service/follow/source-news.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { readyService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const at = (port: number) => `127.0.0.1:${port}`;

test('of two nodes each is told when it goes away and when it is back, and both together', async () => {
  const chain = createScriptedChain({ length: 5 });
  const start = (port = 0) => startJsonRpcServer(chain, { port });
  let [first, second] = await Promise.all([start(), start()]);
  const source = createRpcSource({ urls: [first.url, second.url] });
  onTestFinished(async () => {
    source.close();
    await Promise.all([first.stop(), second.stop()]);
  });
  const news: News[] = [];
  await readyService({ source, onNews: (each) => news.push(each) });
  const hears = (isWell: boolean, words: string) =>
    waitFor(
      () => {
        chain.mine();
        const found = news.findIndex((each) => each.isWell === isWell && each.message.startsWith(words));
        return found !== -1 && news.splice(found, 1);
      },
      { what: words },
    );

  await first.stop();
  await hears(false, `node ${at(first.port)} cannot be used: ${at(first.port)}`);
  await second.stop();
  await hears(false, `node ${at(second.port)} cannot be used: ${at(second.port)}`);
  await hears(false, 'no blocks come: ');
  first = await start(first.port);
  await hears(true, 'blocks come again from');
  await hears(true, `node ${at(first.port)} can be used again`);
  second = await start(second.port);
  await hears(true, `node ${at(second.port)} can be used again`);
  expect(news).toEqual([]);
});

test('an oddity of a node is told once, also of the only node, and each other one', async () => {
  const blocks = makeBlocks(0, 12);
  const source = new ScriptedSource(blocks.slice(0, 10));
  const mine = (number: number) => source.mine(...blocks.slice(number, number + 1));
  const news: News[] = [];
  const node = { name: 'a:1', state: 'ok', head: 10, latencyMs: 1, message: '' } as const;
  let notes = ['its heads are silent'];
  source.health = () => [{ ...node, notes }];
  await readyService({ source, onNews: (each) => news.push(each) });
  mine(10);
  await waitFor(() => news.length === 1);
  notes = [];
  mine(11);
  notes = ['its heads are silent', 'its tips are odd'];
  mine(12);
  await waitFor(() => news.length === 2);
  expect(news).toEqual([
    { isWell: false, message: 'node a:1: its heads are silent' },
    { isWell: false, message: 'node a:1: its tips are odd' },
  ]);
});

test('a source that is away is told once, however often it says so, and once when it is back', async () => {
  const source = new ScriptedSource(makeBlocks(0, 10));
  const news: News[] = [];
  await readyService({ source, onNews: (each) => news.push(each) });
  const down: ChainEvent = { type: 'down', reason: 'a:1 cannot be reached', retryAt: Date.now() };
  for (const event of [down, down, { ...down, reason: 'a:1 timed out' }]) source.emit(event);
  source.emit({ type: 'up' });
  source.emit({ type: 'up' });
  source.emit(down);
  const away = 'no blocks come: a:1 cannot be reached; it is asked again by itself';
  await waitFor(() => news.length === 3);
  expect(news).toEqual([
    { isWell: false, message: away },
    { isWell: true, message: 'blocks come again from scripted' },
    { isWell: false, message: away },
  ]);
});
