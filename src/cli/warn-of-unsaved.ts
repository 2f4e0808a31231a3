import { cleanLine } from './clean-line.ts';
import type { Io } from './io.ts';
import type { OpenedClient } from './open-client.ts';
import { dataFolder } from './paths.ts';
import { tildePath } from './tilde-path.ts';

/** The prices are right, but the next start will have to read the past again: worth a line, and no failure. */
export function warnOfUnsaved(io: Io, { unsaved }: Pick<OpenedClient, 'unsaved'>): void {
  if (unsaved === null) return;
  const folder = cleanLine(tildePath(dataFolder(io), io.home));
  io.stderr.write(`gastop: no history is kept in ${folder}: ${cleanLine(unsaved)}\n`);
}
