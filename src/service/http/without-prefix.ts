import { BASE_PATH } from '../../contract/routes.ts';

/**
 * A request's path as this service knows it. `prefix` is the path of the base URL, which a proxy may pass on or have
 * taken away; one that is the beginning of v1's own path (`/be`) must not be taken for the other.
 */
export function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(`${prefix}/`)) return url;
  const isV1 = url.startsWith(`${BASE_PATH}/`) && !url.startsWith(`${prefix}${BASE_PATH}/`);
  return isV1 ? url : url.slice(prefix.length);
}
