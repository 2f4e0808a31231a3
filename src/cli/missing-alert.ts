import { ClientError } from '../client/client-error.ts';
import type { GasClient } from '../client/gas-client.ts';
import type { AlertDetailsView } from '../client/views/alerts.ts';
import { cleanLine } from './clean-line.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';

type Alerts = Pick<GasClient, 'alert' | 'alerts'>;

interface Named {
  readonly client: Alerts;
  readonly id: string;
  /** Where that is what may be missing. */
  readonly deliveryId?: string;
  readonly signal: AbortSignal;
}

/**
 * Does `work` on an alert. Where the service finds nothing, because the alert (or its delivery) is not there, that is
 * said of it; a service that lacks a route says so in its own words.
 *
 * @throws CliError (failed) where the alert is known not to be there; else whatever `work` throws.
 */
export async function onAlert<Result>(named: Named, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const isElsewhere = error instanceof ClientError && (error.status === 405 || error.status === 501);
    if (!(error instanceof ClientError) || error.code !== 'not-found' || error.mayBeDone || isElsewhere) {
      throw error;
    }
    const what = await missing(named);
    if (what === null) throw error;
    throw new CliError(EXIT.failed, what, [], { cause: error });
  }
}

/** That something is not there, by the service's own account; `null`: it is there, or nobody can say. */
async function missing({ client, id, deliveryId, signal }: Named): Promise<string | null> {
  const alert = await detailsOf(client, id, signal);
  if (alert === 'unknown') return null;
  if (alert === 'missing') return `there is no alert ${cleanLine(id)}; gastop alerts list shows them`;
  const { deliveries } = alert;
  if (deliveryId === undefined || deliveries === null || deliveries.some((one) => one.id === deliveryId)) {
    return null;
  }
  return `there is no delivery ${cleanLine(deliveryId)} of alert ${cleanLine(id)}; gastop alerts show lists them`;
}

async function detailsOf(
  client: Alerts,
  id: string,
  signal: AbortSignal,
): Promise<AlertDetailsView | 'missing' | 'unknown'> {
  try {
    return await client.alert(id, { signal });
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'not-found') return 'unknown';
  }
  try {
    // Not every service answers for a single alert.
    const { items } = await client.alerts({ signal });
    return items.some((alert) => alert.id === id) ? 'unknown' : 'missing';
  } catch {
    return 'unknown';
  }
}
