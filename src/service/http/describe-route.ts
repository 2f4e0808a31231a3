import { ADDED_ROUTES, PATHS, V1_ROUTES, type V1Route } from '../../contract/routes.ts';

/** Name of the security scheme: the key in its header. */
export const KEY_SCHEME = 'apiKey';

/**
 * What the OpenAPI document says of every route alike. A route that reads is called like its path (`gasCurrent`);
 * others put what they do first.
 */
export function describeRoute<const Path extends V1Route['path'], const Method extends V1Route['method']>(
  method: Method,
  path: Path,
  summary: string,
) {
  return {
    method,
    path,
    operationId: operationId(method, path),
    tags: [groupOf(method, path)],
    summary,
    security: [{ [KEY_SCHEME]: [] }],
  };
}

const VERB = { get: '', post: 'post', put: 'put', delete: 'delete' } as const;

function operationId(method: V1Route['method'], path: V1Route['path']): string {
  const name = Object.entries(PATHS).find(([, each]) => each === path)?.[0] ?? path;
  const verb = VERB[method];
  return verb === '' ? name : `${verb}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function groupOf(method: V1Route['method'], path: V1Route['path']): string {
  const route = [...V1_ROUTES, ...ADDED_ROUTES].find((each) => each.method === method && each.path === path);
  if (route === undefined) throw new Error(`${method} ${path} is no route of ours`);
  return route.group;
}
