import { ALERT_CHANNELS, ALERT_CONDITIONS, ALERT_STATUSES, GAS_SPEEDS } from '../contract/choices.ts';
import { PATHS, type V1Route } from '../contract/routes.ts';

/** What a service says about itself in its OpenAPI document. All texts are clean, single lines of bounded length. */
export interface ServiceDescription {
  readonly title: string | null;
  /** The service's own version, not OpenAPI's. */
  readonly version: string | null;
  /** The v1 routes it lists, in the contract's order. */
  readonly routes: readonly RouteDescription[];
}

export interface RouteDescription {
  readonly method: V1Route['method'];
  readonly path: V1Route['path'];
  readonly summary: string | null;
  /** Query parameters of which it names the values it takes. */
  readonly parameters: readonly ParameterDescription[];
  /** The fields of what is sent to it, with the values it names for each; empty where it says nothing of them. */
  readonly body: readonly ParameterDescription[];
  /** Fields of its answer that v1 does not have. */
  readonly beyond: readonly FieldDescription[];
}

export interface ParameterDescription {
  readonly name: string;
  readonly values: readonly string[];
}

export interface FieldDescription {
  /** As in `lanes.slow.etaSec` or `points[].median`, without the envelope around the answer. */
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
}

/** The route at a path of the contract; `null`: not listed. */
export function describedRoute(
  description: ServiceDescription | null | undefined,
  path: string,
  method: V1Route['method'] = 'get',
): RouteDescription | null {
  return description?.routes.find((route) => route.method === method && route.path === path) ?? null;
}

/** The values a service says a query parameter takes; `null` where it does not say. */
export function offeredValues(
  description: ServiceDescription | null | undefined,
  path: string,
  parameter: string,
): readonly string[] | null {
  const found = describedRoute(description, path)?.parameters.find(({ name }) => name === parameter);
  return found === undefined || found.values.length === 0 ? null : found.values;
}

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

/** What v1 was given without: a service that speaks it may not know them. */
const EXTRA_AUTO_TX_FIELDS = ['gasSpeed', 'strictTargetPrice', 'note', 'expiresAt'] as const;
export type ExtraAutoTxField = (typeof EXTRA_AUTO_TX_FIELDS)[number];

/**
 * Fields of a new auto-tx that a service does not know, by its description, so that they must not be sent; none where it
 * says nothing of them.
 */
export function unknownAutoTxFields(
  description: ServiceDescription | null | undefined,
): readonly ExtraAutoTxField[] {
  const body = describedRoute(description, PATHS.autoTxs, 'post')?.body ?? [];
  if (body.length === 0) return [];
  return EXTRA_AUTO_TX_FIELDS.filter((name) => !body.some((field) => field.name === name));
}
