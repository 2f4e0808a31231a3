import { EXIT, type ExitCode } from './exit-code.ts';

/** Something the user can act on: one line that says what to do, and perhaps one more per node or per field. */
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

export function usageError(message: string, details: readonly string[] = []): CliError {
  return new CliError(EXIT.usage, message, details);
}
