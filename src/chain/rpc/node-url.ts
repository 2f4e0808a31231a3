import { ChainError } from '../errors.ts';

const EXAMPLE = 'for example http://127.0.0.1:8545';
const SCHEMES = new Set(['http:', 'https:', 'ws:', 'wss:']);

/**
 * Reads the address of a node as a person writes it.
 *
 * Throws a `ChainError` (`unsupported`) whose one line names what was wrong and what to write instead. It repeats
 * nothing of the text but its scheme: the rest often holds a key.
 */
export function parseNodeUrl(text: string): URL {
  const trimmed = text.trim();
  if (trimmed === '') throw wrong('is empty', `write its address, ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(trimmed)) throw wrong('holds a space or a control character', 'leave it out');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    throw wrong('does not say how to reach it', `begin with http://, https://, ws:// or wss://, ${EXAMPLE}`);
  }
  if (!SCHEMES.has(`${scheme}:`)) {
    throw wrong(`begins with ${scheme.slice(0, 20)}://`, 'use http://, https://, ws:// or wss://');
  }
  if (!URL.canParse(trimmed)) {
    throw wrong('has a host or port that cannot be', `write scheme, host and port, ${EXAMPLE}`);
  }
  const url = new URL(trimmed);
  if (url.port === '0') throw wrong('has port 0', 'write the port the node listens on');
  return url;
}

/** Host and port, the only part of a node's address that may be shown. */
export function hostOf(url: URL): string {
  return url.host;
}

function wrong(what: string, remedy: string): ChainError {
  return new ChainError('unsupported', `the node address ${what}: ${remedy}`);
}
