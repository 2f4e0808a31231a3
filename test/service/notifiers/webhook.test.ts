import { createHmac, timingSafeEqual } from 'node:crypto';
import net from 'node:net';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { Attempt, Notifier } from '../../../src/service/alerts/notifiers/notifier.ts';
import { createNotifiers } from '../../../src/service/alerts/notifiers/notifiers.ts';
import { isForbiddenAddress } from '../../../src/service/alerts/target-rules.ts';
import { messageOf } from '../../helpers/fired-alert.ts';
import { listen } from '../../helpers/listen.ts';
import { answering, type Behaviour, certificate, closedPort, startReceiver } from '../../helpers/receiver.ts';

const NOW = Date.UTC(2026, 0, 15, 12, 0, 3);
const SECRET = 'whsec_c2VjcmV0';

interface Setting {
  readonly allowPrivateTargets?: boolean;
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  readonly isForbidden?: (address: string) => boolean;
  readonly ca?: string;
}

function webhook({ allowPrivateTargets = true, ...surroundings }: Setting = {}): Notifier {
  const notifiers = createNotifiers(
    { smtp: null, telegram: null, allowPrivateTargets },
    { now: () => NOW, ...surroundings },
  );
  if (notifiers.WEBHOOK === undefined) throw new Error('no notifier for webhooks');
  return notifiers.WEBHOOK;
}

function deliver(notifier: Notifier, target: string, signal = AbortSignal.timeout(30_000)): Promise<Attempt> {
  return notifier.deliver(
    { id: 'alr_1.1.webhook', target, message: messageOf('alr_1'), signingSecrets: [SECRET] },
    signal,
  );
}

const later = (answer: unknown) => ({ kind: 'later', answer, retryAfterSec: null });

describe('a webhook', () => {
  it('is posted what fired, signed, with a key that tells it apart', async () => {
    const receiver = await startReceiver();
    const notifier = webhook();
    expect(await deliver(notifier, `${receiver.url}?a=b`)).toEqual({
      kind: 'delivered',
      answer: '200 OK: ok',
      retryAfterSec: null,
    });
    const [got] = receiver.received;
    expect(got?.path).toBe('/hook?a=b');
    expect(JSON.parse(got?.body ?? '')).toEqual({
      type: 'alert.fired',
      eventId: 'alr_1.1',
      alertId: 'alr_1',
      triggerCount: 1,
      chainId: 1,
      chainName: 'Ethereum',
      source: 'rpc',
      gasSpeed: 'AVERAGE',
      condition: 'LESS_THAN',
      thresholdGwei: 5,
      priceGwei: 4.321,
      rule: null,
      thresholdWei: '5000000000',
      priceWei: '4321000000',
      blockNumber: 24_337_604,
      blockTimestamp: '2026-01-15T12:00:00.000Z',
      note: '',
    });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'alr_1.1.webhook',
      'user-agent': expect.stringMatching(/^gastop\//),
    });
    const [, t, v1 = ''] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(got?.headers['x-gastop-signature'])) ?? [];
    const expected = createHmac('sha256', SECRET).update(`${t}.${got?.body}`).digest();
    expect(Number(t)).toBe(NOW / 1_000);
    expect(timingSafeEqual(Buffer.from(v1, 'hex'), expected)).toBe(true);
  });

  it.each([200, 201, 202, 204, 299])('is delivered by %d', async (status) => {
    const receiver = await startReceiver(answering(status));
    expect(await deliver(webhook(), receiver.url)).toMatchObject({ kind: 'delivered' });
  });

  it('that answers and then never ends is delivered all the same, without waiting for the deadline', async () => {
    const receiver = await startReceiver((response) => {
      response.writeHead(200);
      response.write('so far');
    });
    const deadline = new AbortController();
    expect(await deliver(webhook(), receiver.url, deadline.signal)).toMatchObject({
      kind: 'delivered',
      answer: '200 OK: so far',
    });
  });

  it('whose answer repeats its path and query has them taken out', async () => {
    const receiver = await startReceiver((response, { path }) =>
      response.writeHead(404).end(`no hook at ${path}; token TOP%SECRET, hook s3cretpath`),
    );
    const url = new URL('/hooks/s3cretpath?token=TOP%25SECRET', receiver.url).href;
    const { answer } = await deliver(webhook(), url);
    expect(answer).toBe('404 Not Found: no hook at …; token …, hook …');
  });

  it('is gone by 410', async () => {
    const receiver = await startReceiver(answering(410, '<h1>Gone</h1>'));
    expect(await deliver(webhook(), receiver.url)).toMatchObject({ kind: 'gone', answer: '410 Gone' });
  });

  it.each([
    [400, 'bad', '400 Bad Request: bad'],
    [401, '', '401 Unauthorized'],
    [404, '<html>no</html>', '404 Not Found'],
    [500, 'out of\nmemory\u001b[2J', '500 Internal Server Error: out of memory'],
    [503, '', '503 Service Unavailable'],
    [599, '', '599'],
    [304, '', '304 Not Modified without a Location'],
  ])('is tried again after %d', async (status, body, answer) => {
    const receiver = await startReceiver(answering(status, body));
    expect(await deliver(webhook(), receiver.url)).toEqual(later(answer));
  });

  it.each([
    ['120', 120],
    ['Thu, 15 Jan 2026 12:05:03 GMT', 300],
    ['soon', null],
  ])('may ask for time: Retry-After %s', async (value, seconds) => {
    const receiver = await startReceiver(answering(429, '', { 'Retry-After': value }));
    expect(await deliver(webhook(), receiver.url)).toMatchObject({
      kind: 'later',
      retryAfterSec: seconds,
    });
  });
});

describe('a webhook that does not work is tried again, and the log says why', () => {
  it('when nothing listens', async () => {
    const answer = await deliver(webhook(), `http://127.0.0.1:${await closedPort()}/`);
    expect(answer).toEqual(later('connection refused'));
  });

  it.each<[string, Behaviour, string]>([
    ['cuts the connection off', (response) => response.socket?.resetAndDestroy(), 'connection closed early'],
    [
      'switches protocols',
      (response) => response.socket?.end('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      'connection closed early',
    ],
    [
      'sends headers without end',
      (response) => response.socket?.write(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}`),
      'response headers too large',
    ],
  ])('when it %s', async (_, behaviour, answer) => {
    const receiver = await startReceiver(behaviour);
    expect(await deliver(webhook(), receiver.url)).toEqual(later(answer));
  });

  it('when its name is unknown', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await deliver(webhook({ resolve }), 'https://receiver.test/')).toEqual(later('host not found'));
    expect(await deliver(webhook({ resolve: async () => [] }), 'https://receiver.test/')).toEqual(
      later('host not found'),
    );
  });

  it('when it does not speak HTTP', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.resume().end('220 mail.test ESMTP\r\n');
    });
    const { port, stop } = await listen(server);
    onTestFinished(stop);
    expect(await deliver(webhook(), `http://127.0.0.1:${port}/`)).toEqual(later('the response is not HTTP'));
    expect(await deliver(webhook(), `https://127.0.0.1:${port}/`)).toEqual(
      later('TLS failed: is that an https server?'),
    );
  });

  it('when it does not answer before time is up', async () => {
    const stop = new AbortController();
    const receiver = await startReceiver(() => stop.abort());
    expect(await deliver(webhook(), receiver.url, stop.signal)).toEqual(later('no response in time'));
  });

  it.each([
    ['self-signed', 'its TLS certificate is self-signed'],
    ['expired', 'its TLS certificate has expired'],
    ['other-host', 'its TLS certificate is for another host'],
    ['good', 'its TLS certificate is signed by an unknown authority'],
  ] as const)('when its TLS is broken: %s; nothing is sent over it', async (tls, answer) => {
    const receiver = await startReceiver(undefined, { tls });
    const trusted = tls === 'good' ? {} : { ca: certificate('ca') };
    expect(await deliver(webhook(trusted), receiver.url)).toEqual(later(answer));
    expect(receiver.received).toEqual([]);
  });
});

test('a receiver with a certificate that holds is reached by its name', async () => {
  const receiver = await startReceiver(undefined, { tls: 'good' });
  const notifier = webhook({ ca: certificate('ca'), resolve: async () => ['127.0.0.1'] });
  expect(await deliver(notifier, `https://receiver.test:${receiver.port}/`)).toMatchObject({
    kind: 'delivered',
  });
  expect(receiver.received[0]?.headers.host).toBe(`receiver.test:${receiver.port}`);
});

it('an answer of 100 MB is cut off early', async () => {
  let sent = 0;
  const receiver = await startReceiver((response) => {
    const chunk = Buffer.alloc(65_536, 'x');
    response.writeHead(500, { 'Content-Length': String(100 * 2 ** 20) });
    const write = () => {
      for (let hasRoom = true; hasRoom && !response.destroyed && sent < 100 * 2 ** 20; ) {
        sent += chunk.length;
        hasRoom = response.write(chunk);
      }
    };
    response.on('drain', write);
    write();
  });
  const attempt = await deliver(webhook(), receiver.url);
  expect(attempt).toEqual(later(`500 Internal Server Error: ${'x'.repeat(119)}…`));
  // What the sockets on both sides hold, at most.
  expect(sent).toBeLessThan(20 * 2 ** 20);
});

it.each([301, 302, 303, 307, 308])('a %d is not followed: the log says where it leads', async (status) => {
  const elsewhere = await startReceiver();
  const receiver = await startReceiver(answering(status, '', { Location: elsewhere.url }));
  const attempt = await deliver(webhook(), receiver.url);
  expect(attempt).toMatchObject({
    kind: 'later',
    answer: expect.stringContaining(`: moved to 127.0.0.1:${elsewhere.port}`),
  });
  expect(elsewhere.received).toEqual([]);
});

describe('private addresses', () => {
  /** Where a public receiver would be, beside a private address: only the guard stands between. */
  const publicName = async () => ['93.184.215.14', '::ffff:127.0.0.1'];

  it('are not sent to: neither by their number nor by a name', async () => {
    const receiver = await startReceiver(undefined, { tls: 'good' });
    const notifier = webhook({ allowPrivateTargets: false, ca: certificate('ca'), resolve: publicName });
    const refused = [
      [receiver.url, 'refused: the target must not be on this machine'],
      [`https://2130706433:${receiver.port}/`, 'refused: the target must not be on this machine'],
      [`https://receiver.test:${receiver.port}/`, 'refused: receiver.test leads to a private address'],
      [`http://receiver.test:${receiver.port}/`, 'refused: the target must begin with https://'],
    ] as const;
    for (const [url, answer] of refused) {
      expect(await deliver(notifier, url)).toEqual(later(expect.stringContaining(answer)));
    }
    expect(receiver.received).toEqual([]);
  });

  // A receiver on 127.0.0.2 stands for one that everybody may reach; all other addresses are what they are.
  const isForbidden = (address: string) => address !== '127.0.0.2' && isForbiddenAddress(address);
  const PUBLIC = '127.0.0.2';

  it('are not reached by a name that changes its meaning between the check and the connection', async () => {
    const victim = await startReceiver(undefined, { tls: 'good' });
    const receiver = await startReceiver(undefined, { tls: 'good', host: PUBLIC, port: victim.port });
    const answers: string[] = [PUBLIC];
    let asked = 0;
    const notifier = webhook({
      allowPrivateTargets: false,
      ca: certificate('ca'),
      isForbidden,
      // Public when it is asked for the first time, private ever after.
      resolve: async () => {
        asked += 1;
        return [answers.shift() ?? '127.0.0.1'];
      },
    });
    const url = `https://receiver.test:${victim.port}/`;
    expect(await deliver(notifier, url)).toMatchObject({ kind: 'delivered' });
    expect(asked).toBe(1);
    expect(await deliver(notifier, url)).toEqual(later('refused: receiver.test leads to a private address'));
    expect(receiver.received).toHaveLength(1);
    expect(victim.received).toEqual([]);
  });
});
