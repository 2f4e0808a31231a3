import { writeSync } from 'node:fs';
import { ChainError, type ChainErrorCode } from '../chain/chain-source.ts';
import { ClientError, type ClientErrorCode } from '../client/errors.ts';
import { ownValue } from '../core/own-value.ts';
import { systemCode } from '../core/system-code.ts';
import { formatDuration } from '../core/units.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import { cleanLine } from './output.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  key: 4,
  quota: 5,
  timedOut: 124,
  notExecutable: 126,
  notFound: 127,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that the user can act on: one line that says what to do, and perhaps one per node or field. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly details: readonly string[];

  constructor(exitCode: ExitCode, message: string, details: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.details = details;
  }
}

/** The reason of `Io.interruption`; a command that cannot end normally exits with `exitCode`. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

export function usageError(message: string, details: readonly string[] = []): CliError {
  return new CliError(EXIT.usage, message, details);
}

export function usageErrors(lines: readonly string[], what: string): CliError {
  const [only = ''] = lines;
  return lines.length === 1
    ? usageError(only)
    : usageError(`${lines.length} things are wrong with ${what}`, lines);
}

export function failure(message: string, cause?: unknown): CliError {
  return new CliError(EXIT.failed, message, [], { cause });
}

export function fileFailureReason(error: unknown): string {
  const code = systemCode(error);
  return ownValue(FILE_FAILURES, code) ?? `cannot be written (${code || 'unknown reason'})`;
}

const NO_RIGHTS = 'may not be written; check the rights on it and its folder';
const FILE_FAILURES: Readonly<Record<string, string>> = {
  EEXIST: 'exists already; choose another name, or replace it with --force',
  ENOENT: 'cannot be made: its folder does not exist',
  ENOTDIR: 'cannot be made: its folder is a file',
  EISDIR: 'is a folder; name a file',
  EACCES: NO_RIGHTS,
  EPERM: NO_RIGHTS,
  EROFS: 'is on a read-only disk; choose another place',
  ENOSPC: 'cannot grow: the disk is full',
  EPIPE: 'was closed by its reader',
  ENAMETOOLONG: 'has too long a name',
};

export function reportOutputFailure(error: unknown): number {
  try {
    writeSync(process.stderr.fd, `gastop: the output ${fileFailureReason(error)}\n`);
  } catch {
    // Nothing is left to write to.
  }
  return EXIT.failed;
}

const CLIENT_EXIT: Partial<Record<ClientErrorCode, ExitCode>> = {
  key: EXIT.key,
  plan: EXIT.key,
  quota: EXIT.quota,
  invalid: EXIT.usage,
  conflict: EXIT.failed,
};
const CHAIN_EXIT: Partial<Record<ChainErrorCode, ExitCode>> = {
  'bad-file': EXIT.usage,
  unsupported: EXIT.usage,
  rejected: EXIT.failed,
  pruned: EXIT.failed,
};
/** An unusable database was named wrongly, unless its disk or another program is the reason. */
const STORE_FAILS: readonly StoreErrorCode[] = ['full', 'busy', 'closed', 'not-holder', 'failed'];

/** The output and exit code of an error, without `secrets`. `debug` adds the stack, for a bug report. */
export function reportError(error: unknown, debug: boolean, secrets: readonly string[] = []) {
  if (error instanceof Interruption) return { exitCode: error.exitCode, lines: [] };
  const message = error instanceof Error ? error.message : String(error);
  const more = debug ? '' : ' (GASTOP_DEBUG=1 prints the details)';
  const unexpected = { exitCode: EXIT.failed, lines: [`something went wrong: ${message}${more}`] };
  const { exitCode, lines } = knownReport(error) ?? unexpected;
  const all = debug ? [...lines, ...stackOf(error)] : lines;
  return { exitCode, lines: all.map((line) => cleanLine(line, secrets)) };
}

function knownReport(error: unknown): (Pick<CliError, 'exitCode'> & { lines: readonly string[] }) | null {
  if (error instanceof CliError) {
    return { exitCode: error.exitCode, lines: [error.message, ...error.details] };
  }
  if (error instanceof ClientError) {
    // A service with one detail often has it in its message too.
    const news = error.details.filter(({ message }) => !error.message.includes(message));
    const details = news.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    const lines = [error.message + whenAgain(error), ...details];
    return { exitCode: CLIENT_EXIT[error.code] ?? EXIT.unreachable, lines };
  }
  if (error instanceof StoreError) {
    const fails = STORE_FAILS.includes(error.code) ? EXIT.failed : EXIT.usage;
    return { exitCode: error.code === 'unreachable' ? EXIT.unreachable : fails, lines: [error.message] };
  }
  if (!(error instanceof ChainError)) return null;
  return { exitCode: CHAIN_EXIT[error.code] ?? EXIT.unreachable, lines: [error.message] };
}

function whenAgain({ code, retryAfterSec, message }: ClientError): string {
  const waits = code === 'quota' || code === 'unavailable' || code === 'server';
  // Services may already end their message with the time of a retry.
  if (!waits || !retryAfterSec || /\bagain\b/i.test(message)) return '';
  return `; it may be asked again in ${formatDuration(retryAfterSec)}`;
}

const stackOf = (error: unknown): readonly string[] =>
  error instanceof Error
    ? [...`${error.stack}`.split('\n').map((line) => `  ${line.trim()}`), ...stackOf(error.cause)]
    : [];
