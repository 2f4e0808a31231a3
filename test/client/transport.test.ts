import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { listen } from '../helpers/listen.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { failureOf } from './answering.ts';
import { LISTS_ALL } from './foreign-openapi.ts';
import { sendJson, serve } from './http-server.ts';
import { OWN_BASE_FEE, OWN_PRIORITY_FEE, OWN_SNAPSHOT } from './own-answers.ts';

const KEY = 'key-that-must-stay-secret-0123456789';

describe('a question over HTTP', () => {
  it('goes to the v1 path with the key in its header, and nowhere else', async () => {
    const server = await serve((_, response) => sendJson(response, OWN_SNAPSHOT));
    const client = createGasClient({ url: server.url, apiKey: ` ${KEY}\n`, userAgent: 'gastop/1.2.3' });
    expect((await client.gasCurrent()).baseFee).toBe(7n);
    const [request] = server.requests;
    expect(request?.path).toBe('/be/api/v1/gas/current');
    expect(request?.headers).toMatchObject({
      'x-api-key': KEY,
      accept: 'application/json',
      'user-agent': 'gastop/1.2.3',
    });
  });

  it.each(['', '/', '/be/api/v1', '/be/api/v1/', '/gateway', '/gateway/be/api/v1/'])(
    'finds the path from a base URL that ends in %j',
    async (suffix) => {
      const server = await serve((_, response) => sendJson(response, OWN_SNAPSHOT));
      await createGasClient({ url: server.url + suffix }).gasCurrent();
      const prefix = suffix.startsWith('/gateway') ? '/gateway' : '';
      expect(server.requests.map(({ path }) => path)).toEqual([`${prefix}/be/api/v1/gas/current`]);
    },
  );

  it('sends no key header where there is no key', async () => {
    const server = await serve((_, response) => sendJson(response, OWN_SNAPSHOT));
    await createGasClient({ url: server.url, apiKey: null }).gasCurrent();
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('writes a metrics window as ISO 8601 with Z', async () => {
    const server = await serve(
      (request, response) =>
        sendJson(response, request.url?.includes('priority') ? OWN_PRIORITY_FEE : OWN_BASE_FEE),
      LISTS_ALL,
    );
    const client = createGasClient({ url: server.url });
    await client.baseFee({ from: 0, to: 1_768_910_403_000, bucket: '5m', page: 2, size: 500 });
    await client.priorityFee({ percentile: 'p95' });
    expect(
      server.requests.map(({ path }) => decodeURIComponent(path.slice('/be/api/v1/metrics'.length))),
    ).toEqual([
      '/base-fee?from=1970-01-01T00:00:00.000Z&to=2026-01-20T12:00:03.000Z&bucket=5m&page=2&size=500',
      '/priority-fee?percentile=p95',
    ]);
    expect(await failureOf(client.baseFee({ from: Number.NaN }))).toMatchObject({ code: 'invalid' });
  });

  it('is asked once: trying again is the business of the caller', async () => {
    const server = await serve((_, response) => sendJson(response, {}, 500));
    await failureOf(createGasClient({ url: server.url }).gasCurrent());
    expect(server.requests).toHaveLength(1);
  });

  it('gives the answer as it came, with unsafe characters as JSON escapes, for the raw view', async () => {
    const server = await serve((request, response) =>
      request.url?.endsWith('page')
        ? response.end('<html>\x1b[2J\n<p>')
        : response.end('\ufeff{"a": "\u202e\u009b2J\u{e0041}é",\r\n "extra": 1e0}'),
    );
    const client = createGasClient({ url: server.url });
    const text = await client.raw('/gas/current');
    expect(text).toBe('{"a": "\\u202e\\u009b2J\\udb40\\udc41é",\n "extra": 1e0}');
    expect(JSON.parse(text)).toEqual({ a: '\u202e\u009b2J\u{e0041}é', extra: 1 });
    expect(server.requests[0]?.path).toBe('/be/api/v1/gas/current');
    expect(await client.raw('/page')).toBe('<html>\n<p>');
  });

  it.each(['gas', '/../../app/keys', '/..', '//evil.example/x', 'https://evil.example/'])(
    'never leaves the service for the path %j',
    async (path) => {
      const server = await serve((_, response) => sendJson(response, {}));
      const outcome = createGasClient({ url: server.url, apiKey: KEY }).raw(path);
      if (path.startsWith('//')) {
        await outcome;
        expect(server.requests[0]?.path).toBe('/be/api/v1//evil.example/x');
      } else {
        expect(await failureOf(outcome)).toMatchObject({ code: 'invalid' });
        expect(server.requests).toEqual([]);
      }
    },
  );

  it('ends with the signal of its client as with its own, and none is sent after that', async () => {
    const asked: AbortSignal[] = [];
    const stop = new AbortController();
    const client = createGasClient({
      url: 'http://gastop.internal',
      fetch: ({ signal }) => {
        asked.push(signal);
        return new Promise(() => {});
      },
      signal: stop.signal,
    });
    const own = new AbortController();
    const first = failureOf(client.gasCurrent({ signal: own.signal }));
    const second = failureOf(client.gasTrend());
    await waitFor(() => asked.length === 2);
    own.abort();
    expect((await first).message).toBe('the request to gastop.internal was aborted');
    expect(asked.map(({ aborted }) => aborted)).toEqual([true, false]);
    stop.abort();
    expect((await second).code).toBe('unreachable');
    expect((await failureOf(client.gasCurrent())).code).toBe('unreachable');
    expect(asked).toHaveLength(2);
  });
});

describe('a refusal', () => {
  const v1 = (errorCode: string, message?: string) => ({ errorCode, message });
  const [INVALID, REVOKED, QUOTA] = ['api_key_invalid', 'api_key_revoked', 'rate_limit_exceeded'];
  it.each([
    [401, v1(INVALID), 'key', 'refused the key: pass a key as apiKey'],
    [401, v1(INVALID, 'too\x1b[2J short'), 'key', 'refused the key: too short; pass a key as apiKey'],
    [401, v1(INVALID, `what is ${KEY}?`), 'key', 'refused the key: what is (key)?;'],
    [401, v1(REVOKED, 'it was rotated.'), 'key', 'this key has been revoked: it was rotated; pass a key'],
    [429, v1(QUOTA, 'the 8 requests per day are used up'), 'quota', /^the 8 requests per day are used up$/],
    [429, v1(QUOTA, 'more than 2 times per second'), 'quota', /^more than 2 times per second$/],
    [429, v1(QUOTA, '2 per second'), 'quota', /^more requests at once than this key may make: 2 per second$/],
    [429, v1(QUOTA, 'until midnight'), 'quota', 'used up: until midnight'],
    [403, v1('plan_forbidden', 'no API access'), 'plan', '/gas/current: no API access'],
    [403, '<!doctype html>\u001b[2J', 'server', 'a proxy or firewall before the service refuses'],
    [404, 'Not Found', 'not-found', 'has no /gas/current; check the URL'],
    ...[405, 410, 501].map((status) => [status, {}, 'not-found', 'has no /gas/current'] as const),
    [400, v1('validation_failed', 'from is bad'), 'invalid', 'request: from is bad'],
    [400, { data: [{ error: 'from must be before to' }] }, 'invalid', 'from must be before to'],
    [503, v1('upstream_unavailable', 'node down'), 'unavailable', 'node down'],
    [503, '<html>', 'unavailable', 'cannot answer now (503)'],
    [500, { error: { message: 'oops\x1b[2J' } }, 'server', 'failed (500): oops'],
    [502, '<html>bad gateway', 'server', 'the service failed (502)'],
    [418, {}, 'server', 'failed (418)'],
  ] as const)('%i with %j is typed and says what to do', async (status, body, code, words) => {
    const server = await serve((_, response) =>
      typeof body === 'string' ? response.writeHead(status).end(body) : sendJson(response, body, status),
    );
    const failure = await failureOf(createGasClient({ url: server.url, apiKey: KEY }).gasCurrent());
    expect(failure).toMatchObject({ code, status, endpoint: '/gas/current' });
    if (typeof words === 'string') expect(failure.message).toContain(words);
    else expect(failure.message).toMatch(words);
    expect(`${failure.message}${failure.raw}`).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  });

  it.each([
    [{ message: 'Daily quota used up' }, {}, 'daily'],
    [{ message: 'x', errorCode: QUOTA }, { 'retry-after': '40000' }, 'daily'],
    [{ message: '10 requests per second; 400 left today' }, {}, 'rate'],
    [{ errorCode: 'too_many_requests', message: '' }, {}, 'rate'],
    [{}, { 'retry-after': '2' }, 'rate'],
    [{}, {}, null],
  ])('429 with %j and %j is a limit of kind %j', async (body, headers, limit) => {
    const server = await serve((_, response) => sendJson(response, body, 429, headers));
    const failure = await failureOf(createGasClient({ url: server.url, apiKey: KEY }).gasCurrent());
    expect(failure).toMatchObject({ code: 'quota', limit });
  });

  it('for want of a key asks for one', async () => {
    const server = await serve((_, response) => sendJson(response, {}, 401));
    const failure = await failureOf(createGasClient({ url: server.url }).gasCurrent());
    expect(failure.message).toBe('the service asks for a key: pass a key as apiKey');
  });

  it('carries the details and the wait that the service asks for', async () => {
    const server = await serve((_, response) =>
      sendJson(
        response,
        { message: 'm', details: [{ path: 'node\x07', message: 'a: down' }, { path: 'x' }, 'y'] },
        503,
        { 'retry-after': '30' },
      ),
    );
    expect(await failureOf(createGasClient({ url: server.url }).gasCurrent())).toMatchObject({
      retryAfterSec: 30,
      details: [{ path: 'node', message: 'a: down' }],
    });
  });

  it('never repeats the key, even if the service does', async () => {
    const server = await serve((request, response) => {
      const status = Number(/\d+/.exec(request.url?.split('/').at(-1) ?? '')?.[0] ?? 200);
      sendJson(response, { message: `your key ${KEY} is bad`, lowPrice: KEY }, status);
    });
    const client = createGasClient({ url: server.url, apiKey: KEY });
    const failures = [
      await failureOf(client.raw('/500')),
      await failureOf(client.raw('/403')),
      await failureOf(client.gasCurrent()),
    ];
    await server.close();
    failures.push(await failureOf(client.gasCurrent()));
    for (const failure of failures) expect(inspect(failure, { depth: 10 })).not.toContain(KEY);
    expect(failures[0]?.message).toContain('your key (key) is bad');
  });

  it('of a key that no header can carry comes before anything is sent', async () => {
    const server = await serve((_, response) => sendJson(response, OWN_SNAPSHOT));
    const failure = await failureOf(
      createGasClient({ url: server.url, apiKey: `${KEY}\r\nx-evil: 1` }).gasCurrent(),
    );
    expect(failure.code).toBe('key');
    expect(inspect(failure)).not.toContain(KEY);
    expect(server.requests).toEqual([]);
  });
});

it.each(['/again', '', 'http://[', 'file:///etc/passwd'])('a redirect to %j ends', async (location) => {
  const server = await serve((_, response) => response.writeHead(301, { location }).end());
  expect(await failureOf(createGasClient({ url: server.url }).gasCurrent())).toMatchObject({
    code: 'server',
  });
  expect(server.requests).toHaveLength(1);
});

describe('an answer that is no good', () => {
  it('of 100 MB is cut off long before it is held', async () => {
    let sent = 0;
    const piece = Buffer.alloc(1_000_000, ' ');
    const server = await serve((_, response) => {
      const more = () => {
        while (sent < 100 && !response.destroyed) {
          sent++;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
        if (!response.destroyed) response.end();
      };
      more();
    });
    const failure = await failureOf(createGasClient({ url: server.url, maxBytes: 2_000_000 }).gasCurrent());
    expect(failure).toMatchObject({ code: 'unreadable' });
    expect(failure.message).toContain('larger than 2 MB');
    expect(sent).toBeLessThan(60);
  });

  it('that unpacks to 100 MB is cut off by the same measure', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      for (let piece = 0; piece < 100; piece++) gzip.write(Buffer.alloc(1_000_000));
      gzip.end();
    });
    const failure = await failureOf(createGasClient({ url: server.url, timeoutMs: 60_000 }).gasCurrent());
    expect(failure.message).toContain('larger than 8 MB');
  });

  it('that breaks off with its connection is unreachable', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '5000' });
      response.write('{"lowPrice":', () => response.destroy());
    });
    const failure = await failureOf(createGasClient({ url: server.url }).gasCurrent());
    expect(failure).toMatchObject({ code: 'unreachable' });
    expect(failure.message).toContain('closed the connection');
  });
});

describe('a service that cannot be reached', () => {
  it.each(['head', 'body'])('because it hangs in the %s is given up in time', async (part) => {
    const server = await serve((_, response) => {
      if (part === 'body') response.writeHead(200).write('{');
    });
    const failure = await failureOf(createGasClient({ url: server.url, timeoutMs: 150 }).gasCurrent());
    expect(failure).toMatchObject({
      code: 'unreachable',
      message: `${server.host} did not respond within 0.15 s`,
    });
  });

  it('names the time that passed when the caller’s clock runs out first', async () => {
    const client = createGasClient({ url: 'http://gastop.internal', fetch: () => new Promise(() => {}) });
    const failure = await failureOf(client.gasCurrent({ signal: AbortSignal.timeout(100) }));
    expect(failure.message).toMatch(/^gastop.internal did not respond within [\d.]+ s$/);
  });

  it('says so when nothing listens', async () => {
    const server = await serve(() => {});
    await server.close();
    const failure = await failureOf(createGasClient({ url: server.url }).gasCurrent());
    expect(failure).toMatchObject({
      code: 'unreachable',
      message: `nothing listens at ${server.host}: is the service running there?`,
    });
  });

  it('says so when the name is unknown, or something else speaks there', async () => {
    const unknown = await failureOf(createGasClient({ url: 'http://gastop.invalid' }).gasCurrent());
    expect(unknown.code).toBe('unreachable');
    expect(unknown.message).toContain('gastop.invalid');

    const server = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const { origin, stop } = await listen(server);
    const mail = await failureOf(createGasClient({ url: origin }).gasCurrent());
    void stop();
    expect(mail).toMatchObject({ code: 'unreachable' });
    expect(mail.message).toContain('not as a web service does');
  });

  it('says so when it does not speak https', async () => {
    const server = await serve((_, response) => sendJson(response, {}));
    const client = createGasClient({ url: server.url.replace('http:', 'https:') });
    expect((await failureOf(client.gasCurrent())).message).toBe(
      `${server.host} does not speak https; try http://`,
    );
  });
});
