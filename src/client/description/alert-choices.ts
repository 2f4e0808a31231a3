import { ALERT_CHANNELS, ALERT_CONDITIONS, ALERT_STATUSES, GAS_SPEEDS } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { describedRoute, type ServiceDescription } from './service-description.ts';

/** What an alert may be made of, in the service's own words where it names them. */
export interface AlertChoices {
  readonly gasSpeeds: readonly string[];
  readonly conditions: readonly string[];
  readonly channels: readonly string[];
  /** What `PUT /alerts/{id}/status` takes. */
  readonly statuses: readonly string[];
  /** Fields that v1 was given without, and this service does not know either: they must not be asked for. */
  readonly unknown: readonly ExtraField[];
}

/** What our own service adds to the payload that v1 was given with. */
export const EXTRA_FIELDS = ['hysteresisGwei', 'confirmBlocks', 'targets'] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];

/** Reads the choices out of a service's description; where it says nothing, or is none, they are the contract's. */
export function alertChoices(description: ServiceDescription | null | undefined): AlertChoices {
  const body = describedRoute(description, PATHS.alerts, 'post')?.body ?? [];
  const status = describedRoute(description, PATHS.alertStatus, 'put')?.body ?? [];
  const values = (fields: typeof body, name: string, otherwise: readonly string[]) => {
    const named = fields.find((field) => field.name === name)?.values ?? [];
    return named.length === 0 ? otherwise : named;
  };
  return {
    gasSpeeds: values(body, 'gasSpeed', GAS_SPEEDS),
    conditions: values(body, 'condition', ALERT_CONDITIONS),
    channels: values(body, 'channels', values(body, 'method', ALERT_CHANNELS)),
    statuses: values(status, 'status', ALERT_STATUSES),
    unknown:
      body.length === 0 ? [] : EXTRA_FIELDS.filter((name) => !body.some((field) => field.name === name)),
  };
}
