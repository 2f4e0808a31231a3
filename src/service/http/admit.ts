import { ADDED_ROUTES, BASE_PATH, type RouteGroup, V1_ROUTES } from '../../contract/routes.ts';
import type { Admission, Gate } from './gate.ts';
import type { RequestRecord } from './request-record.ts';

/** A route as the router knows it, and what it is to gate, log and metrics. */
interface ServedRoute {
  readonly template: string;
  readonly group: RouteGroup;
}

/** A path as the router writes it: a parameter is `:name`. */
export const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** By their path, as the router writes it. */
export const SERVED_ROUTES: ReadonlyMap<string, ServedRoute> = new Map(
  [...V1_ROUTES, ...ADDED_ROUTES].map(({ path, group }) => [
    routerPath(BASE_PATH + path),
    { template: BASE_PATH + path, group },
  ]),
);

/** Asks the gate for a request that a route answers, and takes down who was let in. @throws like {@link Gate.admit} */
export async function admit(
  gate: Gate,
  { group }: ServedRoute,
  key: string | undefined,
  record: RequestRecord | null,
): Promise<Admission> {
  const admission = await gate.admit({ key: key ?? null, group });
  if (record !== null) record.keyId = admission.keyId;
  return admission;
}

/** The same for the v1 route at `path`, one without parameters, that is about to be answered without the router. */
export async function admitTo(
  gate: Gate,
  path: string,
  key: string | undefined,
  record: RequestRecord,
): Promise<void> {
  const route = SERVED_ROUTES.get(path);
  if (route === undefined) throw new Error(`${path} is no route of v1`);
  record.route = route.template;
  await admit(gate, route, key, record);
}
