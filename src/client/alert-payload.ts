import { COOLDOWN_DEFAULT_MS } from '../contract/choices.ts';
import { PATHS } from '../contract/routes.ts';
import { ClientError } from './errors.ts';
import type { ExtraField } from './openapi.ts';
import type { NewAlert } from './views/alerts.ts';

/** What every v1 service was promised, with nothing left to its defaults. */
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

/** What our own service knows beside that, as far as it says anything but the default. */
export function extraPayload(alert: NewAlert): Partial<Pick<NewAlert, ExtraField>> {
  const { hysteresisGwei = 0, confirmBlocks = 1, targets = {} } = alert;
  return {
    ...(hysteresisGwei === 0 ? {} : { hysteresisGwei }),
    ...(confirmBlocks === 1 ? {} : { confirmBlocks }),
    ...(Object.keys(targets).length === 0 ? {} : { targets }),
  };
}

const WITHOUT: Readonly<Record<ExtraField, string>> = {
  hysteresisGwei: 'this service knows no hysteresis; leave it at 0',
  confirmBlocks: 'this service does not wait for further blocks; leave it at 1',
  targets: 'this service takes one target, that of the method; leave out the further ones',
};

/** For fields that the service says it does not know: an alert without them would not be the one that was wanted. */
export function unknownFields(fields: readonly ExtraField[]): ClientError {
  const details = fields.map((path) => ({ path, message: WITHOUT[path] }));
  const message = details.map((detail) => detail.message).join('; ');
  return new ClientError('invalid', message, { endpoint: PATHS.alerts, details });
}
