import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { failureOf } from './answering.ts';
import { sendJson, serve } from './http-server.ts';

async function refused(status: number, body: unknown, headers: Record<string, string> = {}) {
  const server = await serve((_, response) =>
    typeof body === 'string'
      ? response.writeHead(status, headers).end(body)
      : sendJson(response, body, status, headers),
  );
  return failureOf(createGasClient({ url: server.url, apiKey: 'k-1' }).gasCurrent());
}

describe('429', () => {
  it.each([
    [{ message: 'Daily quota used up' }, {}, 'daily'],
    [{ message: 'x', errorCode: 'rate_limit_exceeded' }, { 'retry-after': '40000' }, 'daily'],
    [{ message: '10 requests per second; 400 left today' }, {}, 'rate'],
    [{ errorCode: 'too_many_requests', message: '' }, {}, 'rate'],
    [{}, { 'retry-after': '2' }, 'rate'],
    [{}, {}, null],
  ])('%j with %j is a limit of kind %j', async (body, headers, limit) => {
    expect(await refused(429, body, headers)).toMatchObject({ code: 'quota', limit });
  });
});

describe('what stands before a service', () => {
  it('refusing with a web page is not taken for the plan of a key', async () => {
    const failure = await refused(403, '<!doctype html><title>Blocked</title>\u001b[2J');
    expect(failure).toMatchObject({ code: 'server', status: 403 });
    expect(failure.message).toContain('proxy or firewall');
    expect(failure.raw).toBe('<!doctype html><title>Blocked</title>');
  });

  it.each([405, 410, 501])('%i means that there is no such route', async (status) => {
    expect((await refused(status, {})).code).toBe('not-found');
  });
});

describe('a question that takes too long', () => {
  it('names the host and the time, whoever’s clock runs out first', async () => {
    const server = await serve(() => {});
    const client = createGasClient({ url: server.url, timeoutMs: 60_000 });
    const failure = await failureOf(client.gasCurrent({ signal: AbortSignal.timeout(100) }));
    expect(failure.message).toMatch(new RegExp(`^${server.host} did not respond within [\\d.]+ s$`));
  });
});

describe('https', () => {
  it('to a server that does not speak it says so', async () => {
    const server = await serve((_, response) => sendJson(response, {}));
    const failure = await failureOf(
      createGasClient({ url: server.url.replace('http:', 'https:') }).gasCurrent(),
    );
    expect(failure.message).toBe(`${server.host} does not speak https; try http://`);
  });
});
