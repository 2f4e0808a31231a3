import { ClientError } from '../client/client-error.ts';
import type { GasClient } from '../client/gas-client.ts';
import { cleanLine } from './clean-line.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';

interface Named {
  readonly client: Pick<GasClient, 'autoTx' | 'autoTxs'>;
  readonly id: string;
  readonly signal: AbortSignal;
}

/**
 * Does `work` on an auto-tx. Where the service finds nothing, because it is not there, that is said of it; a service that
 * lacks a route says so in its own words.
 *
 * @throws CliError (failed) where it is known not to be there; else whatever `work` throws.
 */
export async function onAutoTx<Result>(named: Named, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const isElsewhere = error instanceof ClientError && (error.status === 405 || error.status === 501);
    if (!(error instanceof ClientError) || error.code !== 'not-found' || error.mayBeDone || isElsewhere) {
      throw error;
    }
    if (!(await isMissing(named))) throw error;
    const message = `there is no auto-tx ${cleanLine(named.id)}; gastop auto-txs list shows them`;
    throw new CliError(EXIT.failed, message, [], { cause: error });
  }
}

/** By the service's own account: not every service answers for a single one. */
async function isMissing({ client, id, signal }: Named): Promise<boolean> {
  try {
    await client.autoTx(id, { signal });
    return false;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'not-found') return false;
  }
  try {
    return !(await client.autoTxs({ signal })).items.some((autoTx) => autoTx.id === id);
  } catch {
    return false;
  }
}
