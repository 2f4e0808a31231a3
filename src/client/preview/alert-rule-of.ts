import { ALERT_CONDITIONS, GAS_SPEEDS, LANE_OF_SPEED } from '../../contract/choices.ts';
import type { AlertRule } from '../../core/alerts/alert-rule.ts';
import { weiOfGwei } from '../../core/wei-of-gwei.ts';
import { givenPayload } from '../alert-payload.ts';
import type { NewAlert } from '../views/alerts.ts';

/** The rule an alert would follow; `null` where a service's own words leave open what that is. */
export function alertRuleOf(alert: NewAlert): AlertRule | null {
  const speed = GAS_SPEEDS.find((word) => word === alert.gasSpeed);
  const condition = ALERT_CONDITIONS.find((word) => word === alert.condition);
  if (speed === undefined || condition === undefined) return null;
  const { cooldownMs, disableOnce } = givenPayload(alert);
  return {
    lane: LANE_OF_SPEED[speed],
    condition,
    threshold: weiOfGwei(alert.thresholdGwei),
    hysteresis: weiOfGwei(alert.hysteresisGwei ?? 0),
    confirmBlocks: alert.confirmBlocks ?? 1,
    cooldownMs,
    disableOnce,
  };
}
