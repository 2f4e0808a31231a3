import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as connectTls, type PeerCertificate, TLSSocket } from 'node:tls';
import { cleanText } from '../core/text.ts';
import { certificateFault, networkFailure } from './errors.ts';

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

/**
 * Looks at the way to a service, step by step: name, connection, certificate. A certificate that is not trusted is
 * looked at all the same; nothing is sent over it. Nothing is thrown but the signal's reason.
 */
export async function inspectConnection(
  url: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ConnectionFinding> {
  const encrypted = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (encrypted ? 443 : 80));
  const named = isIP(host) === 0;
  const step = async <Found>(look: (until: AbortSignal) => Promise<Found>): Promise<Step<Found>> => {
    const began = performance.now();
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const found = await look(AbortSignal.any([signal, deadline]));
      return { ok: true, ms: performance.now() - began, ...found };
    } catch (error) {
      signal.throwIfAborted();
      const seconds = Number((timeoutMs / 1_000).toPrecision(2));
      const late = `no answer within ${seconds} s`;
      return { ok: false, message: deadline.aborted ? late : networkFailure(error, '/', url.host).message };
    }
  };

  const dns = named ? await step((until) => addressesOf(host, until)) : null;
  if (dns?.ok === false) return { dns, tcp: null, tls: null, encrypted };
  const socket = encrypted
    ? connectTls({
        host,
        port,
        // What comes is judged here, not refused; the requests themselves go over a connection that refuses.
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
        ...(named ? { servername: host } : {}),
      })
    : connect({ host, port });
  try {
    const tcp = await step(async (until) => {
      await once(socket, 'connect', { signal: until });
      const { remoteAddress = '', remotePort = 0 } = socket;
      return { address: `${isIP(remoteAddress) === 6 ? `[${remoteAddress}]` : remoteAddress}:${remotePort}` };
    });
    if (!tcp.ok || !(socket instanceof TLSSocket)) return { dns, tcp, tls: null, encrypted };
    const tls = await step(async (until) => {
      await once(socket, 'secureConnect', { signal: until });
      return tlsFinding(socket);
    });
    return { dns, tcp, tls, encrypted };
  } finally {
    // What ends it from here on has been told already.
    socket.on('error', () => {}).destroy();
  }
}

async function addressesOf(host: string, until: AbortSignal): Promise<{ addresses: readonly string[] }> {
  const late = once(until, 'abort').then(() => Promise.reject(until.reason));
  const found = await Promise.race([lookup(host, { all: true }), late]);
  return { addresses: found.slice(0, MOST_ADDRESSES).map(({ address }) => cleanText(address, 60)) };
}

function tlsFinding(socket: TLSSocket): TlsFinding {
  const { subject, issuer, valid_from, valid_to, subjectaltname } = socket.getPeerCertificate();
  // Node gives the code as a string, whatever its types say.
  const error = String(socket.authorizationError);
  return {
    protocol: cleanText(socket.getProtocol() ?? 'unknown', 20),
    subject: nameOf(subject) ?? (cleanText(subjectaltname ?? '', 100) || 'nobody'),
    issuer: nameOf(issuer) ?? 'nobody',
    validFrom: timeOf(valid_from),
    validUntil: timeOf(valid_to),
    trusted: socket.authorized,
    reason: socket.authorized ? null : `it ${certificateFault(error) ?? cleanText(error, 100)}`,
  };
}

function nameOf(name: PeerCertificate['subject'] | undefined): string | null {
  const texts = [name?.CN, name?.O].flat().filter((text) => typeof text === 'string' && text !== '');
  return texts.length === 0 ? null : cleanText([...new Set(texts)].join(', '), 100);
}

function timeOf(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
