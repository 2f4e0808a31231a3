import { ALERT_CONDITIONS, GAS_SPEEDS } from '../../contract/choices.ts';
import type { AlertRule } from '../../core/alerts/alert-rule.ts';
import { givenPayload } from '../alert-payload.ts';
import type { NewAlert } from '../views/alerts.ts';

const WEI_PER_GWEI = 1e9;
const LANES = { SLOW: 'slow', AVERAGE: 'average', FAST: 'fast' } as const;

/** The rule an alert would follow; `null` where a service's own words leave open what that is. */
export function alertRuleOf(alert: NewAlert): AlertRule | null {
  const speed = GAS_SPEEDS.find((word) => word === alert.gasSpeed);
  const condition = ALERT_CONDITIONS.find((word) => word === alert.condition);
  if (speed === undefined || condition === undefined) return null;
  const { cooldownMs, disableOnce } = givenPayload(alert);
  return {
    lane: LANES[speed],
    condition,
    threshold: wei(alert.thresholdGwei),
    hysteresis: wei(alert.hysteresisGwei ?? 0),
    confirmBlocks: alert.confirmBlocks ?? 1,
    cooldownMs,
    disableOnce,
  };
}

function wei(gwei: number): bigint {
  return BigInt(Math.round(gwei * WEI_PER_GWEI));
}
