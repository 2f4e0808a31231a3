import { ClientError } from '../../src/client/errors.ts';
import type { GasClient } from '../../src/client/gas-client.ts';
import type { AlertDetailsView, AlertSavingsView, NewAlert } from '../../src/client/views/alerts.ts';
import { ruleFromWire } from '../../src/core/threshold/rule-wire.ts';

const gwei = (value: number): bigint => BigInt(Math.round(value * 1e9));

export const ALERT: AlertDetailsView = {
  ...{ id: 'alr_7f3a1c90', status: 'PENDING', gasSpeed: 'AVERAGE', condition: 'LESS_THAN' },
  threshold: gwei(0.04),
  ...{ rule: null, effectiveSince: null, thresholdReason: null },
  ...{ hysteresis: 0n, confirmBlocks: 1, cooldownMs: 3_600_000, disableOnce: false, method: 'EMAIL' },
  channels: ['EMAIL'],
  to: 'gas@example.org',
  targets: {},
  note: 'deploy the registry',
  createdAt: Date.UTC(2026, 0, 4, 9, 0, 0),
  updatedAt: Date.UTC(2026, 0, 5, 11, 20, 0),
  lastTriggeredAt: Date.UTC(2026, 0, 5, 11, 20, 0),
  cooldownUntil: Date.UTC(2026, 0, 5, 12, 20, 0),
  ...{ triggerCount: 2, disabledReason: null, warnings: [], keyId: null, missed: null },
  deliveries: [
    {
      ...{ id: 'alr_7f3a1c90.2.email', eventId: 'alr_7f3a1c90.2', channel: 'EMAIL' },
      ...{ target: 'gas@example.org', status: 'DELIVERED' },
      createdAt: Date.UTC(2026, 0, 5, 11, 20, 0),
      nextAttemptAt: null,
      attempts: [{ at: Date.UTC(2026, 0, 5, 11, 20, 1), latencyMs: 183, ok: true, answer: '250 OK: queued' }],
    },
  ],
};

export const SAVINGS: AlertSavingsView = {
  ...{ events: 2, savedWei: 3_450_000_000_000n, savedUsd: 0.0111, best: null, gasAmount: 150_000 },
  entries: [],
};

type AlertMethods =
  | 'alerts'
  | 'alert'
  | 'createAlert'
  | 'updateAlert'
  | 'rotateSigningSecret'
  | 'setAlertStatus'
  | 'deleteAlert'
  | 'alertSavings'
  | 'redeliver';

const contentOf = (creation: NewAlert) => ({
  gasSpeed: creation.gasSpeed,
  condition: creation.condition,
  rule: creation.threshold == null ? null : ruleFromWire(creation.threshold),
  // The service prices a rule with its next block.
  threshold: creation.thresholdGwei == null ? null : gwei(creation.thresholdGwei),
  hysteresis: gwei(creation.hysteresisGwei ?? 0),
  confirmBlocks: creation.confirmBlocks ?? 1,
  cooldownMs: creation.cooldownMs ?? 3_600_000,
  disableOnce: creation.disableOnce ?? false,
  method: creation.method ?? creation.channels[0] ?? null,
  channels: creation.channels,
  to: creation.to ?? '',
  targets: creation.targets ?? {},
  note: creation.note ?? '',
});

export function fakeAlerts(alerts: readonly AlertDetailsView[] = [ALERT]): Pick<GasClient, AlertMethods> {
  let kept = [...alerts];
  const find = (id: string) => {
    const alert = kept.find((each) => each.id === id);
    if (alert === undefined) {
      throw new ClientError('not-found', 'there is no such alert', { endpoint: '/alerts/{id}', status: 404 });
    }
    return alert;
  };
  return {
    alerts: async () => ({ items: kept, total: kept.length, unreadable: 0 }),
    alert: async (id) => find(id),
    createAlert: async (creation) => {
      const alert: AlertDetailsView = {
        ...ALERT,
        id: `alr_${String(kept.length).padStart(8, '0')}`,
        ...contentOf(creation),
        lastTriggeredAt: null,
        cooldownUntil: null,
        triggerCount: 0,
        deliveries: [],
      };
      kept = [alert, ...kept];
      return { ...alert, signingSecret: null };
    },
    updateAlert: async (id, creation) => {
      const changed = { ...find(id), ...contentOf(creation) };
      kept = kept.map((each) => (each.id === id ? changed : each));
      return { ...changed, signingSecret: null };
    },
    rotateSigningSecret: async () => ({ signingSecret: 'whsec_new', previousUntil: null }),
    setAlertStatus: async (id, status) => {
      const changed = { ...find(id), status };
      kept = kept.map((each) => (each.id === id ? changed : each));
      return changed;
    },
    deleteAlert: async (id) => {
      find(id);
      kept = kept.filter((each) => each.id !== id);
    },
    alertSavings: async (id) => {
      find(id);
      return SAVINGS;
    },
    redeliver: async (id) => void find(id),
  };
}
