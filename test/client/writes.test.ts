import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { failureOf } from './answering.ts';
import { sendJson, serve } from './http-server.ts';
import { WANTED } from './own-answers.ts';

const KEY = 'key-that-must-stay-secret-0123456789';
const MADE = { id: 'a1', ...WANTED, status: 'PENDING' };
const MAYBE = 'it may have been done all the same: look before trying again';

describe('what changes something', () => {
  it('is sent as JSON with the key, by the method and path of v1', async () => {
    const listing = { openapi: '3.1.0', paths: { '/be/api/v1/alerts/{id}/redeliver': { post: {} } } };
    const server = await serve(
      (request, response) =>
        request.method === 'DELETE' ? response.writeHead(204).end() : sendJson(response, MADE, 201),
      listing,
    );
    const client = createGasClient({ url: server.url, apiKey: KEY });
    await client.createAlert(WANTED);
    await client.setAlertStatus('a1', 'DISABLED');
    await client.redeliver('a1', 'a1.1.email');
    await client.deleteAlert('a1');
    expect(server.requests.map(({ method, path, body }) => [method, path.slice(10), body])).toEqual([
      [
        'POST',
        '/alerts',
        JSON.stringify({ ...WANTED, cooldownMs: 3_600_000, disableOnce: false, method: 'EMAIL' }),
      ],
      ['PUT', '/alerts/a1/status', '{"status":"DISABLED"}'],
      ['POST', '/alerts/a1/redeliver', '{"deliveryId":"a1.1.email"}'],
      ['DELETE', '/alerts/a1', ''],
    ]);
    for (const { headers, body } of server.requests) {
      expect(headers).toMatchObject({ 'x-api-key': KEY, accept: 'application/json' });
      expect(headers['content-type']).toBe(body === '' ? undefined : 'application/json');
    }
  });

  it.each([
    ['slash/and space', '/alerts/slash%2Fand%20space'],
    ['77', '/alerts/77'],
    ['ключ?#%', '/alerts/%D0%BA%D0%BB%D1%8E%D1%87%3F%23%25'],
    ['../../keys', '/alerts/..%2F..%2Fkeys'],
  ])('names the alert %j in the path, whatever its id holds', async (id, path) => {
    const server = await serve((_, response) => response.writeHead(204).end());
    await createGasClient({ url: server.url }).deleteAlert(id);
    expect(server.requests.map((request) => request.path)).toEqual([`/be/api/v1${path}`]);
  });

  it.each(['', ' ', '.', '..', '\ud800'])('asks nothing for the id %j, which names nothing', async (id) => {
    const server = await serve((_, response) => response.writeHead(204).end());
    const client = createGasClient({ url: server.url });
    expect(await failureOf(client.deleteAlert(id))).toMatchObject({ code: 'invalid', mayBeDone: false });
    for (const call of [client.alert(id), client.autoTx(id), client.updateAutoTx(id, {})])
      expect(await failureOf(call)).toMatchObject({ code: 'invalid' });
    expect(server.requests).toEqual([]);
  });

  it('never goes to another origin by a redirect, neither its key nor its body', async () => {
    const stranger = await serve((_, response) => sendJson(response, MADE));
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await serve((_, response) =>
        response.writeHead(status, { location: `${stranger.url}/be/api/v1/alerts` }).end(),
      );
      const client = createGasClient({ url: server.url, apiKey: KEY });
      const failure = await failureOf(client.createAlert(WANTED));
      expect(failure).toMatchObject({ code: 'server', status, mayBeDone: [302, 303].includes(status) });
      expect(failure.message).toContain(`redirects to ${stranger.url}; if that is right, use it as the URL`);
      expect(JSON.stringify({ ...failure, message: failure.message })).not.toContain(KEY);
      expect(server.requests).toHaveLength(1);
    }
    const server = await serve((_, response) => response.writeHead(303, { location: '/alerts/a1' }).end());
    const failure = await failureOf(createGasClient({ url: server.url }).createAlert(WANTED));
    expect(failure.message).toBe(`${server.host} redirects to another path (303); check the URL; ${MAYBE}`);
    expect(stranger.requests).toEqual([]);
  });
});

describe('a change that is refused', () => {
  const WRONG = [
    { path: 'thresholdGwei', message: 'must be above 0' },
    { path: 'to', message: 'is no address' },
  ];
  const validation = {
    message: 'two are wrong',
    details: [WRONG[0], { path: 'to', message: 'is \x1b[31mno address' }],
  };
  const UNKNOWN = { message: 'unknown channel' };
  const titled = { title: 'Unprocessable', errors: [{ field: 'channels', ...UNKNOWN }] };
  it.each([
    [400, validation, 'invalid', 'the service did not accept this: two are wrong', WRONG],
    [
      422,
      titled,
      'invalid',
      'the service did not accept this: Unprocessable',
      [{ path: 'channels', ...UNKNOWN }],
    ],
    [409, { errorCode: 'conflict', message: '10,000 already' }, 'conflict', '10,000 already', []],
    [413, '', 'invalid', 'this is more than the service takes at once', []],
    [405, '', 'not-found', 'the service does not offer POST /alerts', []],
    [404, { message: 'no such alert' }, 'not-found', 'the service has no /alerts: no such alert', []],
    [403, { message: 'upgrade' }, 'plan', 'the plan of this key does not allow /alerts: upgrade', []],
    [503, '', 'unavailable', 'the service cannot answer now (503)', []],
  ])('by %i says why, field by field: %j', async (status, body, code, message, details) => {
    const server = await serve((_, response) => sendJson(response, body, status));
    const failure = await failureOf(createGasClient({ url: server.url, apiKey: KEY }).createAlert(WANTED));
    expect(failure).toMatchObject({ code, status, details, mayBeDone: false });
    expect(failure.message).toBe(message);
    expect(server.requests).toHaveLength(1);
  });

  it.each([500, 502, 504])('by %i may have been done, and says so', async (status) => {
    const server = await serve((_, response) => sendJson(response, { message: 'oops.' }, status));
    const failure = await failureOf(createGasClient({ url: server.url }).deleteAlert('a1'));
    expect(failure).toMatchObject({ code: 'server', status, mayBeDone: true });
    expect(failure.message).toBe(`the service failed (${status}): oops; ${MAYBE}`);
    expect(server.requests).toHaveLength(1);
  });

  it('with status 200 and an error inside is refused all the same', async () => {
    const server = await serve((_, response) =>
      sendJson(response, { errorCode: 'conflict', message: 'not now' }),
    );
    const client = createGasClient({ url: server.url });
    for (const call of [
      () => client.createAlert(WANTED),
      () => client.setAlertStatus('a1', 'PENDING'),
      () => client.deleteAlert('a1'),
    ]) {
      expect(await failureOf(call())).toMatchObject({
        code: 'server',
        message: 'the service responded with an error: not now',
      });
    }
  });
});

describe('a change whose answer does not come', () => {
  it('says that it may have been done, and is not asked again', async () => {
    const server = await serve(() => {});
    const client = createGasClient({ url: server.url, timeoutMs: 100 });
    const failure = await failureOf(client.createAlert(WANTED));
    expect(failure).toMatchObject({ code: 'unreachable', mayBeDone: true });
    expect(failure.message).toBe(`${server.host} did not respond within 0.1 s; ${MAYBE}`);
    // On a busy machine the time is up before it has left.
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it('because the connection broke may have been done', async () => {
    const server = await serve((request) => request.socket.destroy());
    for (const status of ['PENDING', 'DISABLED']) {
      const client = createGasClient({ url: server.url });
      const failure = await failureOf(client.setAlertStatus('a1', status));
      expect(failure).toMatchObject({ code: 'unreachable', mayBeDone: true });
    }
    expect(server.requests).toHaveLength(2);
  });

  it('because nobody listens was not done', async () => {
    const server = await serve(() => {});
    await server.close();
    const failure = await failureOf(createGasClient({ url: server.url }).createAlert(WANTED));
    expect(failure).toMatchObject({ code: 'unreachable', mayBeDone: false });
    expect(failure.message).not.toContain(MAYBE);
  });

  it('because it was called off before it left was not done; later it may have been', async () => {
    const server = await serve(() => {});
    const client = createGasClient({ url: server.url });
    const before = await failureOf(client.deleteAlert('a1', { signal: AbortSignal.abort() }));
    expect(before).toMatchObject({ code: 'unreachable', mayBeDone: false });
    expect(server.requests).toEqual([]);
    const controller = new AbortController();
    const call = failureOf(client.deleteAlert('a1', { signal: controller.signal }));
    while (server.requests.length === 0) await sleep(5);
    controller.abort();
    expect(await call).toMatchObject({ code: 'unreachable', mayBeDone: true });
  });

  it('whole says what is wrong with it, and that it may have been done', async () => {
    const server = await serve((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(100_000, '[');
      const more = () => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const failure = await failureOf(createGasClient({ url: server.url }).createAlert(WANTED));
    expect(failure).toMatchObject({ code: 'unreadable', mayBeDone: true });
    expect(failure.message).toContain('is larger than 8 MB and was cut off');
  });
});
