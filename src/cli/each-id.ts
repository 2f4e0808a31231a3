import { ClientError, type ClientErrorCode } from '../client/errors.ts';
import { CliError } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';
import { reportError } from './error-report.ts';
import { EXIT } from './exit-code.ts';

/** What is wrong with one thing alone; anything else would come of the others too. */
const OF_ONE: readonly ClientErrorCode[] = ['invalid', 'conflict', 'not-found', 'server', 'unreadable'];

/** One after the other, each once; one that fails does not keep the others from it. Answers the exit code. */
export async function eachId(
  { io }: CommandContext,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<number> {
  let exitCode: number = EXIT.ok;
  for (const id of new Set(ids)) {
    try {
      await work(id);
    } catch (error) {
      const isOfOne =
        error instanceof CliError || (error instanceof ClientError && OF_ONE.includes(error.code));
      if (!isOfOne || ids.length === 1) throw error;
      const report = reportError(error, false);
      exitCode = report.exitCode;
      for (const line of report.lines) io.stderr.write(`gastop: ${line}\n`);
    }
  }
  return exitCode;
}
