import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';
import type { ExplorerFlags } from './explorer-flags.ts';

/** `gastop tx` */
export async function tx(_context: CommandContext, _hash: string, _flags: ExplorerFlags): Promise<ExitCode> {
  throw usageError('gastop tx is not part of this version yet');
}
