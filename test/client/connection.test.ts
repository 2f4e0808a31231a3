import { createServer as createHttps } from 'node:https';
import type { Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inspectConnection } from '../../src/client/doctor.ts';
import { listen } from '../helpers/listen.ts';
import { type Certificate, HAS_OPENSSL, selfSigned } from './certificates.ts';

const inspect = (url: string, timeoutMs = 5_000) =>
  inspectConnection(new URL(url), { timeoutMs, signal: new AbortController().signal });

async function listening(server: Server): Promise<number> {
  const { port, stop } = await listen(server);
  onTestFinished(stop);
  return port;
}

async function httpsPort(certificate: Certificate): Promise<number> {
  return listening(createHttps({ ...certificate }, (_request, response) => response.end()));
}

function trust({ cert }: Certificate): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}

it.each([
  ['to a name that does not exist', 'https://gas.invalid', 'gas.invalid'],
  ['to a port where nothing listens', 'https://127.0.0.1:9', 'nothing listens at 127.0.0.1:9'],
])('the way to a service %s says so', async (_title, url, words) => {
  const { tls } = await inspect(url, 30_000);
  expect(tls).toEqual({ ok: false, message: expect.stringContaining(words) });
});

describe.skipIf(!HAS_OPENSSL)('a certificate (skipped: no openssl to make one, where it is skipped)', () => {
  it.each([
    ['that is untrusted', {}, false, 'it is self-signed'],
    ['that has expired', { from: '20200101', to: '20200201' }, true, 'it has expired'],
    ['that is not valid yet', { from: '20380101', to: '20400101' }, true, 'it is not valid yet'],
    ['for another host', { names: 'DNS:other.example.org' }, true, 'it is for another host'],
  ])('%s is looked at all the same, and told not to be trusted', async (_title, options, known, reason) => {
    const certificate = selfSigned(options);
    if (known) trust(certificate);
    const { tls } = await inspect(`https://127.0.0.1:${await httpsPort(certificate)}`);
    expect(tls).toMatchObject({ ok: true, trusted: false, subject: 'gas.example.org, Test of gastop' });
    expect(tls?.ok === true && tls.reason).toContain(reason);
  });

  it('with an escape sequence in its name is clean when told', async () => {
    const certificate = selfSigned({}, '/O=\u001b[31mred\u0007/CN=gas');
    const { tls } = await inspect(`https://127.0.0.1:${await httpsPort(certificate)}`);
    expect(tls).toMatchObject({ ok: true, subject: 'gas, red' });
  });
});
