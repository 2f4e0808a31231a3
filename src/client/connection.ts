import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { ownValue } from '../core/own-value.ts';
import { cleanText } from '../core/text.ts';
import { networkFailure } from './errors.ts';

const MOST_ADDRESSES = 8;

export interface ConnectionFinding {
  /** `null`: the URL names an address. */
  readonly dns: Step<{ readonly addresses: readonly string[] }> | null;
  /** `null`: not tried, the step before failed. */
  readonly tcp: Step<{ readonly address: string }> | null;
  /** `null`: not tried, or plain http. */
  readonly tls: Step<TlsFinding> | null;
  readonly encrypted: boolean;
}

export type Step<Found> =
  | ({ readonly ok: true; readonly ms: number } & Found)
  | { readonly ok: false; readonly message: string };

export interface TlsFinding {
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  /** ms since epoch */
  readonly validFrom: number | null;
  readonly validUntil: number | null;
  readonly trusted: boolean;
  /** Why not, in words; `null`: it is trusted. */
  readonly reason: string | null;
}

/** What Node and OpenSSL call it, in words. */
const DISTRUST: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet; is the clock right?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed; NODE_EXTRA_CA_CERTS can name it as trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root is not known here; NODE_EXTRA_CA_CERTS can name it as trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known, or the service sends an incomplete chain',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known, or the service sends an incomplete chain',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  CERT_REVOKED: 'it has been revoked',
};

/**
 * Looks at the way to a service, step by step: name, connection, certificate. A certificate that is not trusted is
 * looked at all the same; nothing is sent over it. Nothing is thrown but the signal's reason.
 */
export async function inspectConnection(
  url: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ConnectionFinding> {
  const encrypted = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (encrypted ? 443 : 80));
  const named = isIP(hostname) === 0;
  const step = async <Found>(work: Promise<Found>): Promise<Step<Found>> => {
    const began = performance.now();
    try {
      const found = await within(work, timeoutMs, signal);
      return { ok: true, ms: performance.now() - began, ...found };
    } catch (error) {
      signal.throwIfAborted();
      const message =
        error instanceof TookTooLong
          ? `no answer within ${Number((timeoutMs / 1_000).toPrecision(2))} s`
          : networkFailure(error, '/', url.host).message;
      return { ok: false, message };
    }
  };

  const dns = named ? await step(addressesOf(hostname)) : null;
  if (dns?.ok === false) return { dns, tcp: null, tls: null, encrypted };
  // One socket for both steps: one put around another must not be destroyed with it, or Node itself crashes.
  const secure = encrypted ? openSecure(hostname, port, named) : null;
  const socket = secure ?? connect({ host: hostname, port });
  const lost = lostWhile(socket);
  try {
    const tcp = await step(Promise.race([lost, connected(socket)]));
    if (!tcp.ok || secure === null) return { dns, tcp, tls: null, encrypted };
    const tls = await step(Promise.race([lost, secured(secure)]));
    return { dns, tcp, tls, encrypted };
  } finally {
    socket.destroy();
  }
}

function openSecure(host: string, port: number, named: boolean): TLSSocket {
  return connectTls({
    host,
    port,
    // What comes is judged here, not refused; the requests themselves go over a connection that refuses.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(named ? { servername: host } : {}),
  });
}

/** Fails with what ends the socket. */
function lostWhile(socket: Socket): Promise<never> {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  socket.on('error', lost.reject);
  socket.once('close', () => lost.reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  return lost.promise;
}

async function addressesOf(hostname: string): Promise<{ addresses: readonly string[] }> {
  const found = await lookup(hostname, { all: true });
  return { addresses: found.slice(0, MOST_ADDRESSES).map(({ address }) => cleanText(address, 60)) };
}

function connected(socket: Socket): Promise<{ address: string }> {
  return new Promise((resolve) => {
    socket.once('connect', () => {
      const { remoteAddress = '', remotePort = 0 } = socket;
      const host = remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress;
      resolve({ address: `${host}:${remotePort}` });
    });
  });
}

function secured(socket: TLSSocket): Promise<TlsFinding> {
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(tlsFinding(socket)));
  });
}

function tlsFinding(socket: TLSSocket): TlsFinding {
  const certificate = socket.getPeerCertificate();
  return {
    protocol: cleanText(socket.getProtocol() ?? 'unknown', 20),
    subject: nameOf(certificate.subject) ?? alternativeName(certificate) ?? 'nobody',
    issuer: nameOf(certificate.issuer) ?? 'nobody',
    validFrom: timeOf(certificate.valid_from),
    validUntil: timeOf(certificate.valid_to),
    trusted: socket.authorized,
    reason: socket.authorized ? null : distrust(socket.authorizationError),
  };
}

/** Node gives the code as a string, whatever its types say. */
function distrust(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  const known = typeof code === 'string' ? ownValue(DISTRUST, code) : undefined;
  return known ?? cleanText(String(code), 100);
}

function nameOf(name: PeerCertificate['subject'] | undefined): string | null {
  const texts = [name?.CN, name?.O].flat().filter((text) => typeof text === 'string' && text !== '');
  return texts.length === 0 ? null : cleanText([...new Set(texts)].join(', '), 100);
}

function alternativeName({ subjectaltname }: PeerCertificate): string | null {
  const first = subjectaltname?.split(', ')[0]?.replace(/^(DNS|IP Address):/, '');
  return first === undefined || first === '' ? null : cleanText(first, 100);
}

function timeOf(text: string | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : ms;
}

class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

async function within<Found>(work: Promise<Found>, ms: number, signal: AbortSignal): Promise<Found> {
  const late = Promise.withResolvers<never>();
  const abort = () => late.reject(signal.reason);
  const timer = setTimeout(() => late.reject(new TookTooLong()), ms);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  // What loses the race may fail later.
  work.catch(() => {});
  late.promise.catch(() => {});
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
