import type { GasClient } from '../../client/client.ts';
import { cleanLine } from '../clean-line.ts';
import { lookFor, sayMissing } from '../say-missing.ts';

interface Named {
  readonly client: Pick<GasClient, 'alert' | 'alerts'>;
  readonly id: string;
  /** Where that is what may be missing. */
  readonly deliveryId?: string;
  readonly signal: AbortSignal;
}

/**
 * Waits for `work` on an alert; that the alert (or its delivery) is not there is said of it.
 *
 * @throws CliError (failed) where it is known not to be there; else whatever `work` throws.
 */
export function onAlert<Result>(named: Named, work: Promise<Result>): Promise<Result> {
  return sayMissing(work, () => missing(named));
}

async function missing({ client, id, deliveryId, signal }: Named): Promise<string | null> {
  const alert = await lookFor(
    id,
    () => client.alert(id, { signal }),
    () => client.alerts({ signal }),
  );
  if (alert === 'unknown') return null;
  if (alert === 'missing') return `there is no alert ${cleanLine(id)}; gastop alerts list shows them`;
  const { deliveries } = alert;
  if (deliveryId === undefined || deliveries === null || deliveries.some((one) => one.id === deliveryId)) {
    return null;
  }
  return `there is no delivery ${cleanLine(deliveryId)} of alert ${cleanLine(id)}; gastop alerts show lists them`;
}
