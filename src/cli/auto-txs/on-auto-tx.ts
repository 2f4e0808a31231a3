import type { GasClient } from '../../client/client.ts';
import { cleanLine } from '../clean-line.ts';
import { lookFor, sayMissing } from '../say-missing.ts';

interface Named {
  readonly client: Pick<GasClient, 'autoTx' | 'autoTxs'>;
  readonly id: string;
  readonly signal: AbortSignal;
}

/**
 * Waits for `work` on an auto-tx; that it is not there is said of it.
 *
 * @throws CliError (failed) where it is known not to be there; else whatever `work` throws.
 */
export function onAutoTx<Result>({ client, id, signal }: Named, work: Promise<Result>): Promise<Result> {
  return sayMissing(work, async () => {
    const autoTx = await lookFor(
      id,
      () => client.autoTx(id, { signal }),
      () => client.autoTxs({ signal }),
    );
    return autoTx === 'missing'
      ? `there is no auto-tx ${cleanLine(id)}; gastop auto-txs list shows them`
      : null;
  });
}
