import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';

export interface DoctorFlags {
  readonly json?: boolean;
}

/** `gastop doctor` */
export async function doctor(_context: CommandContext, _flags: DoctorFlags): Promise<ExitCode> {
  throw usageError('gastop doctor is not part of this version yet');
}
