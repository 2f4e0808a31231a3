import { alertRuleOf } from '../../client/alert-preview.ts';
import type { ReachQuery } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { NewAlert } from '../../client/views/alerts.ts';
import type { ReachView } from '../../client/views/gas.ts';
import { formatLikelihood, gweiString } from '../../core/units.ts';
import { durationText } from '../duration.ts';

const TIMES_SEC = [3_600, 86_400] as const;

/**
 * `5 gwei or less: 45 % likely within 1h, 90 % within 24h`, as far as the service can say; `null`: it cannot, or the
 * alert waits for a price to rise, of which services say nothing. It is no reason to fail.
 *
 * @param ask What the service says of a price and a time.
 */
export async function alertLikelihood(
  ask: (asked: ReachQuery) => Promise<ReachView | null>,
  alert: NewAlert,
): Promise<string | null> {
  const rule = alertRuleOf(alert);
  if (rule === null || rule.condition !== 'LESS_THAN') return null;
  const parts: string[] = [];
  for (const deadlineSec of TIMES_SEC) {
    try {
      const reach = await ask({ targetPrice: rule.threshold, deadlineSec });
      if (reach === null) break;
      if (reach.probability === null) continue;
      const likely = parts.length === 0 ? ' likely' : '';
      parts.push(`${formatLikelihood(reach.probability)}${likely} within ${durationText(deadlineSec)}`);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      break;
    }
  }
  return parts.length === 0 ? null : `${gweiString(rule.threshold)} gwei or less: ${parts.join(', ')}`;
}
