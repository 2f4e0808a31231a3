import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';
import type { ExplorerFlags } from './explorer-flags.ts';

/** `gastop block` */
export async function block(
  _context: CommandContext,
  _number: string,
  _flags: ExplorerFlags,
): Promise<ExitCode> {
  throw usageError('gastop block is not part of this version yet');
}
