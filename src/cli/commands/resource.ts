import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import type { CommandContext } from '../context.ts';
import { CliError, EXIT, reportError } from '../errors.ts';

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

/**
 * Waits for `work` on one thing of a service. Where that fails because the service finds nothing, `missing` is asked
 * what is not there; `null` leaves the failure as it is. A service that lacks the route says so in its own words.
 *
 * @throws CliError (failed) with what `missing` says; else whatever `work` throws.
 */
export async function sayMissing<Result>(
  work: Promise<Result>,
  missing: () => Promise<string | null>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const isElsewhere = error instanceof ClientError && (error.status === 405 || error.status === 501);
    if (!(error instanceof ClientError) || error.code !== 'not-found' || error.mayBeDone || isElsewhere) {
      throw error;
    }
    const what = await missing();
    if (what === null) throw error;
    throw new CliError(EXIT.failed, what, [], { cause: error });
  }
}

/**
 * One thing of a service by the service's own account: the thing itself, or that it is missing. Not every service
 * answers for a single one, so the list is asked, too; `unknown`: it is in the list, or nobody can say.
 */
export async function lookFor<One>(
  id: string,
  one: () => Promise<One>,
  list: () => Promise<{ readonly items: readonly { readonly id: string }[] }>,
): Promise<One | 'missing' | 'unknown'> {
  try {
    return await one();
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'not-found') return 'unknown';
  }
  try {
    const { items } = await list();
    return items.some((item) => item.id === id) ? 'unknown' : 'missing';
  } catch {
    return 'unknown';
  }
}
