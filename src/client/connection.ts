import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { cleanText } from '../core/text.ts';
import { certificateFault, networkFailure } from './errors.ts';

export interface ConnectionFinding {
  readonly encrypted: boolean;
  readonly tls: TlsFinding | { readonly ok: false; readonly message: string } | null;
}

export type TlsFinding = { readonly ok: true; readonly ms: number } & ReturnType<typeof tlsFinding>;

/** Inspects the TLS of a service, even with an untrusted certificate; throws only the signal's reason. */
export async function inspectConnection(
  url: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ConnectionFinding> {
  if (url.protocol !== 'https:') return { encrypted: false, tls: null };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const began = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // The certificate is judged here; the requests themselves use a connection that rejects it.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.any([signal, late]) });
    const tls = { ok: true as const, ms: performance.now() - began, ...tlsFinding(socket) };
    return { encrypted: true, tls };
  } catch (error) {
    signal.throwIfAborted();
    const seconds = Number((timeoutMs / 1_000).toPrecision(2));
    const failure = networkFailure(error, '/', url.host).message;
    const message = late.aborted ? `no answer within ${seconds} s` : failure;
    return { encrypted: true, tls: { ok: false, message } };
  } finally {
    // Later errors are irrelevant: the finding is complete.
    socket.on('error', () => {}).destroy();
  }
}

/** The peer's certificate; times in ms since epoch. `reason`: why it is not trusted. */
function tlsFinding(socket: TLSSocket) {
  const { subject, issuer, valid_from, valid_to, subjectaltname } = socket.getPeerCertificate();
  // Node's value is a string, unlike its type.
  const error = String(socket.authorizationError);
  return {
    protocol: cleanText(socket.getProtocol() ?? 'unknown', 20),
    subject: nameOf(subject) ?? (cleanText(subjectaltname ?? '', 100) || 'unnamed'),
    issuer: nameOf(issuer) ?? 'unnamed',
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
