import type { AlertCreationInput } from '../../contract/alerts.ts';
import { COOLDOWN_DEFAULT_MS } from '../../contract/choices.ts';

/** An alert as it is sent to a service, which may offer further words than the contract's. */
export interface NewAlert extends Omit<AlertCreationInput, keyof Words>, Words {}

interface Words {
  readonly gasSpeed: string;
  readonly condition: string;
  readonly channels: readonly string[];
  /** Default: the first of `channels`. */
  readonly method?: string | undefined;
  readonly targets?: Readonly<Record<string, string>> | undefined;
}

/** The fields of a new alert that every v1 service was promised, with nothing left to its defaults. */
export function givenPayload(alert: NewAlert) {
  const { thresholdGwei, gasSpeed, condition, cooldownMs, disableOnce, method, channels, to, note } = alert;
  return {
    thresholdGwei,
    gasSpeed,
    condition,
    cooldownMs: cooldownMs ?? COOLDOWN_DEFAULT_MS,
    disableOnce: disableOnce ?? false,
    method: method ?? channels[0],
    channels,
    to: to ?? '',
    note: note ?? '',
  };
}

/** The fields that our own service knows beside those, where they differ from the default. */
export function extraPayload(
  alert: NewAlert,
): Partial<Pick<NewAlert, 'hysteresisGwei' | 'confirmBlocks' | 'targets'>> {
  const { hysteresisGwei = 0, confirmBlocks = 1, targets = {} } = alert;
  return {
    ...(hysteresisGwei === 0 ? {} : { hysteresisGwei }),
    ...(confirmBlocks === 1 ? {} : { confirmBlocks }),
    ...(Object.keys(targets).length === 0 ? {} : { targets }),
  };
}

/** An alert. `null`: the service does not say. Words a service uses that are none of the contract's stay as they are. */
export interface AlertView {
  readonly id: string;
  /** `PENDING` (armed), `DISABLED`, or a service's own word. */
  readonly status: string | null;
  readonly gasSpeed: string | null;
  readonly condition: string | null;
  /** Wei per gas. */
  readonly threshold: bigint | null;
  readonly hysteresis: bigint | null;
  readonly confirmBlocks: number | null;
  readonly cooldownMs: number | null;
  readonly disableOnce: boolean | null;
  readonly method: string | null;
  /** Empty where the service does not say. */
  readonly channels: readonly string[];
  /** The method's target. */
  readonly to: string | null;
  /** Targets of further channels. */
  readonly targets: Readonly<Record<string, string>>;
  /** As it is kept, harmless but of several lines perhaps: a screen draws it as one clean line. */
  readonly note: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly lastTriggeredAt: number | null;
  readonly cooldownUntil: number | null;
  readonly triggerCount: number | null;
  readonly disabledReason: string | null;
  /** The key that made it; `null`: one's own, or the service does not say. */
  readonly keyId: string | null;
  /** Firings that nobody was told of in time. */
  readonly missed: { readonly count: number; readonly lastAt: number | null } | null;
}

export interface DeliveryAttemptView {
  readonly at: number | null;
  readonly latencyMs: number | null;
  readonly ok: boolean | null;
  readonly answer: string | null;
}

export interface DeliveryView {
  readonly id: string;
  readonly eventId: string | null;
  readonly channel: string | null;
  readonly target: string | null;
  /** `PENDING`, `DELIVERED`, `FAILED`, `CANCELLED`, or a service's own word. */
  readonly status: string | null;
  readonly createdAt: number | null;
  readonly nextAttemptAt: number | null;
  /** Newest first. */
  readonly attempts: readonly DeliveryAttemptView[];
}

export interface AlertDetailsView extends AlertView {
  /** Newest first; `null` where the service keeps no log. */
  readonly deliveries: readonly DeliveryView[] | null;
}

export interface CreatedAlertView extends AlertView {
  /** What webhooks are signed with; said once. */
  readonly signingSecret: string | null;
}

export interface AlertListView {
  readonly items: readonly AlertView[];
  /** How many there are in all; `null` where the service does not say. */
  readonly total: number | null;
  /** Rows of the answer that could not be read; `items` are the others. */
  readonly unreadable: number;
}

export interface SavingsEntryView {
  readonly triggeredAt: number | null;
  readonly blockNumber: number | null;
  /** Wei per gas. */
  readonly price: bigint | null;
  readonly referencePrice: bigint | null;
  readonly savedWei: bigint | null;
  readonly savedUsd: number | null;
}

export interface AlertSavingsView {
  readonly events: number | null;
  readonly savedWei: bigint | null;
  readonly savedUsd: number | null;
  readonly best: SavingsEntryView | null;
  readonly gasAmount: number | null;
  readonly entries: readonly SavingsEntryView[];
}
