import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';

export interface ServeFlags {
  readonly host: string;
  readonly port: string;
  readonly baseUrl?: string;
  /** Where the keys are kept. */
  readonly keys?: string;
}

/** `gastop serve` */
export async function serve(_context: CommandContext, _flags: ServeFlags): Promise<ExitCode> {
  throw usageError('gastop serve is not part of this version yet');
}
