import { expect, test } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { serveService } from '../helpers/served-service.ts';
import { runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { failureOf, HOST } from './answering.ts';
import { sendJson, serve } from './http-server.ts';

const HEAD = 400;
const LISTED = { openapi: '3.1.0', paths: { [PATHS.gasStream]: { get: {} } } };

const firstOf = async (stream: AsyncIterator<unknown>) => (await stream.next()).value;

test.each(['over HTTP', 'in this process'])('gives each block of our own service %s', async (way) => {
  const source = new ScriptedSource(makeBlocks(391, HEAD), { kind: 'simulated' });
  const stop = new AbortController();
  const open = async () => {
    if (way === 'over HTTP') {
      const { origin, key } = await serveService({ source });
      return createGasClient({ url: origin, apiKey: key });
    }
    const { fetch } = await runService({ source });
    return createGasClient({ url: 'http://gastop.internal', fetch, isOwn: true });
  };
  const client = await open();
  await waitFor(async () => (await client.gasCurrent()).blockNumber === HEAD);
  const blocks: unknown[] = [];
  const texts: string[] = [];
  const ended = (async () => {
    const onResponse = (text: string) => texts.push(text);
    for await (const snapshot of client.stream({ signal: stop.signal, onResponse })) {
      if (blocks.at(-1) !== snapshot.blockNumber) blocks.push(snapshot.blockNumber);
      if (snapshot.blockNumber === HEAD + 1) expect(snapshot).toEqual(await client.gasCurrent());
      if (snapshot.blockNumber === HEAD + 2) stop.abort();
      else source.mine(...makeBlocks((snapshot.blockNumber ?? 0) + 1, (snapshot.blockNumber ?? 0) + 1));
    }
  })();
  expect(await failureOf(ended)).toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('aborted'),
  });
  expect(blocks).toEqual([HEAD, HEAD + 1, HEAD + 2]);
  expect(JSON.parse(texts.at(-1) ?? '')).toMatchObject({ blockNumber: HEAD + 2 });
});

test('of a service that lists no stream nothing is asked but its description', async () => {
  const server = await serve((_, response) => sendJson(response, {}, 404), {
    openapi: '3.1.0',
    paths: { '/gas/current': { get: {} } },
  });
  const failure = await failureOf(firstOf(createGasClient({ url: server.url }).stream()));
  expect(failure).toMatchObject({ code: 'not-found', message: expect.stringContaining('GET /gas/stream') });
  expect(server.requests).toEqual([]);
});

test('what is no stream, too long or refused is told as of any other route', async () => {
  const answers: Readonly<Record<string, [number, string, string]>> = {
    unreadable: [200, 'application/json', '{}'],
    key: [401, 'application/json', '{"errorCode":"api_key_invalid","message":"there is no such key"}'],
    quota: [429, 'application/json', '{"errorCode":"rate_limit_exceeded","message":"5 streams are open"}'],
    server: [500, 'text/html', '<html>'],
  };
  for (const [code, [status, type, body]] of Object.entries(answers)) {
    const server = await serve(
      (_, response) => void response.writeHead(status, { 'content-type': type }).end(body),
      LISTED,
    );
    const client = createGasClient({ url: server.url, apiKey: 'a-key-that-is-long' });
    expect(await failureOf(firstOf(client.stream()))).toMatchObject({ code, endpoint: PATHS.gasStream });
    expect(client.rateLimit.read()).toBeNull();
  }
  for (const body of [
    `data: ${'x'.repeat(1_100_000)}\n\n`,
    'data: {"lowPrice":1}\n\n',
    'data: nonsense\n\n',
  ]) {
    const fetch = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const client = createGasClient({ url: `https://${HOST}`, fetch, isOwn: true });
    expect(await failureOf(firstOf(client.stream()))).toMatchObject({ code: 'unreadable' });
  }
});
