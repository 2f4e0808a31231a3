import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';

export interface KeysFlags {
  /** Where the keys are kept. */
  readonly keys?: string;
}

export interface ListKeysFlags extends KeysFlags {
  readonly json?: boolean;
}

export interface CreateKeyFlags extends ListKeysFlags {
  readonly name?: string;
  readonly plan?: string;
}

const notYet = () => usageError('gastop keys is not part of this version yet');

/** `gastop keys create` */
export async function createKey(_context: CommandContext, _flags: CreateKeyFlags): Promise<ExitCode> {
  throw notYet();
}

/** `gastop keys list` */
export async function listKeys(_context: CommandContext, _flags: ListKeysFlags): Promise<ExitCode> {
  throw notYet();
}

/** `gastop keys rotate` */
export async function rotateKey(
  _context: CommandContext,
  _id: string,
  _flags: CreateKeyFlags,
): Promise<ExitCode> {
  throw notYet();
}

/** `gastop keys revoke` */
export async function revokeKey(_context: CommandContext, _id: string, _flags: KeysFlags): Promise<ExitCode> {
  throw notYet();
}
