import type { V1Route } from '../../contract/routes.ts';

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
