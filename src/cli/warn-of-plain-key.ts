import { isPlain } from '../client/service-url.ts';
import { cleanLine } from './clean-line.ts';
import type { Io } from './io.ts';
import type { SourceChoice } from './settings.ts';

/** A key that crosses a network unencrypted can be read on the way. */
export function warnOfPlainKey(io: Io, source: SourceChoice): void {
  if (source.kind !== 'hosted' || source.apiKey === null) return;
  const { url } = source;
  if (!isPlain(url)) return;
  io.stderr.write(`gastop: the key travels unencrypted to ${cleanLine(url.host)}; use https:// if it can\n`);
}
