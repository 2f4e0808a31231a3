import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { sendJson, serve } from './http-server.ts';
import { OWN_SNAPSHOT } from './own-answers.ts';

/** A service that answers `304` to whom already has the answer. */
function tagging(body: () => unknown) {
  const statuses: number[] = [];
  const server = serve((request, response) => {
    const text = JSON.stringify(body());
    const tag = `"${createHash('sha1').update(text).digest('hex')}"`;
    const status = request.headers['if-none-match'] === tag ? 304 : 200;
    statuses.push(status);
    response.writeHead(status, { etag: tag }).end(status === 200 ? text : undefined);
  });
  return { server, statuses };
}

describe('an answer with an ETag', () => {
  it('is not read again while the service says it is the same', async () => {
    let block = OWN_SNAPSHOT.blockNumber;
    const { server, statuses } = tagging(() => ({ ...OWN_SNAPSHOT, blockNumber: block }));
    const client = createGasClient({ baseUrl: (await server).url });
    const first = await client.gasCurrent();
    expect(await client.gasCurrent()).toBe(first);
    block += 1;
    const next = await client.gasCurrent();
    expect(next.blockNumber).toBe(block);
    expect(await client.gasCurrent()).toBe(next);
    expect(statuses).toEqual([200, 304, 200, 304]);
  });

  it('serves the raw view and the screens, each question for itself', async () => {
    const { server, statuses } = tagging(() => OWN_SNAPSHOT);
    const client = createGasClient({ baseUrl: (await server).url });
    await client.gasCurrent();
    expect(JSON.parse(await client.raw('/gas/current'))).toEqual(OWN_SNAPSHOT);
    await client.raw('/gas/current', { verbose: '1' });
    expect(statuses).toEqual([200, 304, 200]);
  });

  it('is forgotten when many others have come since, so that memory stays bounded', async () => {
    const { server, statuses } = tagging(() => ({}));
    const client = createGasClient({ baseUrl: (await server).url });
    for (let page = 0; page < 80; page += 1) await client.raw('/page', { page: String(page) });
    await client.raw('/page', { page: '79' });
    await client.raw('/page', { page: '0' });
    expect(statuses.slice(80)).toEqual([304, 200]);
  });

  it('is forgotten sooner where those that came since are long', async () => {
    const { server, statuses } = tagging(() => ['x'.repeat(950_000)]);
    const client = createGasClient({ baseUrl: (await server).url });
    for (let page = 0; page < 35; page += 1) await client.raw('/page', { page: String(page) });
    await client.raw('/page', { page: '34' });
    await client.raw('/page', { page: '0' });
    expect(statuses.slice(35)).toEqual([304, 200]);
  });

  it('is at hand again for each page of a list of 10,000', async () => {
    const { server, statuses } = tagging(() => ({}));
    const client = createGasClient({ baseUrl: (await server).url });
    for (let round = 0; round < 2; round += 1) {
      for (let page = 0; page < 40; page += 1) await client.raw('/page', { page: String(page) });
    }
    expect(new Set(statuses.slice(40))).toEqual(new Set([304]));
  });

  it('that is no tag is not sent back', async () => {
    const server = await serve((_, response) => sendJson(response, {}, 200, { etag: 'x'.repeat(5_000) }));
    const client = createGasClient({ baseUrl: server.url });
    await client.raw('/page');
    await client.raw('/page');
    expect(server.requests[1]?.headers).not.toHaveProperty('if-none-match');
  });
});
