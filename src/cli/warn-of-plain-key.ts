import { cleanLine } from './clean-line.ts';
import type { Io } from './io.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** A key that crosses a network unencrypted can be read on the way. */
export function warnOfPlainKey(io: Io, url: URL, apiKey: string | null): void {
  if (apiKey === null || url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return;
  io.stderr.write(`gastop: the key travels unencrypted to ${cleanLine(url.host)}; use https:// if it can\n`);
}
