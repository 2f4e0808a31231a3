import { fileURLToPath } from 'node:url';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

/** The bundled program, as users get it; `npm test` builds it first. */
export const GASTOP = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));

export function gastop(args: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  return openTerminal({ ...options, args: [GASTOP, ...args] });
}
