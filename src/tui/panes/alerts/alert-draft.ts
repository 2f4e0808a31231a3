import type { AlertView } from '../../../client/views/alerts.ts';
import { COOLDOWN_DEFAULT_MS, COOLDOWN_PRESETS_MS } from '../../../contract/choices.ts';
import { cooldownText, parseCooldown } from '../../../core/alerts/cooldown-text.ts';
import { gweiString } from '../../../core/units.ts';
import type { AlertPrefill } from '../../alert-prefill.ts';

/** A new alert as it is typed. */
export interface AlertDraft {
  readonly gasSpeed: string;
  readonly condition: string;
  /** Gwei. */
  readonly threshold: string;
  readonly channels: readonly string[];
  /** What was typed for a channel; it stays while the channel is not ticked. */
  readonly targets: Readonly<Record<string, string>>;
  readonly cooldown: string;
  readonly once: boolean;
  readonly note: string;
  /** Gwei. */
  readonly hysteresis: string;
  readonly confirmBlocks: string;
}

/** Needs nothing but the monitor, so a first alert works as it is. */
const FIRST_CHANNEL = 'TERMINAL';

export function newDraft(prefill: Partial<AlertPrefill> = {}): AlertDraft {
  return {
    gasSpeed: 'AVERAGE',
    condition: 'LESS_THAN',
    threshold: '',
    channels: [FIRST_CHANNEL],
    targets: {},
    cooldown: cooldownText(COOLDOWN_DEFAULT_MS),
    once: false,
    note: '',
    hysteresis: '0',
    confirmBlocks: '1',
    ...prefill,
  };
}

/** Another alert like `alert`; what the service does not say is as in any new one. */
export function draftLike(alert: AlertView): AlertDraft {
  const fresh = newDraft();
  const main =
    alert.method === null || alert.to === null || alert.to === '' ? {} : { [alert.method]: alert.to };
  return {
    gasSpeed: alert.gasSpeed ?? fresh.gasSpeed,
    condition: alert.condition ?? fresh.condition,
    threshold: alert.threshold === null ? '' : gweiString(alert.threshold),
    channels: alert.channels.length === 0 ? fresh.channels : alert.channels,
    targets: { ...alert.targets, ...main },
    cooldown: alert.cooldownMs === null ? fresh.cooldown : cooldownText(alert.cooldownMs),
    once: alert.disableOnce ?? false,
    note: alert.note ?? '',
    hysteresis: alert.hysteresis === null ? fresh.hysteresis : gweiString(alert.hysteresis),
    confirmBlocks: String(alert.confirmBlocks ?? fresh.confirmBlocks),
  };
}

const COOLDOWN_PRESETS: readonly string[] = COOLDOWN_PRESETS_MS.map(cooldownText);

/** The preset after the one that stands there; the first where none does. */
export function nextCooldown(text: string): string {
  const place = COOLDOWN_PRESETS.indexOf(cooldownText(parseCooldown(text) ?? 0));
  return COOLDOWN_PRESETS[(place + 1) % COOLDOWN_PRESETS.length] ?? text;
}
