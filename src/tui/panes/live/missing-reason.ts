import { ClientError } from '../../../client/errors.ts';

/**
 * Why a part of the pane is not there, with what matters first: narrow screens show no more than that.
 *
 * @param past the frame around says already why nothing is fresh
 * @param limit the limit that questions wait for, where it is known
 */
export function missingReason(
  error: Error,
  { past, limit }: { readonly past: boolean; readonly limit: string | null },
): string {
  if (!(error instanceof ClientError)) return error.message;
  const { code, endpoint, message } = error;
  if (code === 'not-found') return 'this service has none';
  if (code === 'quota' && error.limit === 'rate') return `waiting: ${limit ?? 'limit per second'}`;
  // The frame around says why, and until when.
  if (past && (code === 'key' || code === 'quota')) return 'nothing is asked for now';
  if (code !== 'plan') return message;
  // The service's own words come after the route that it refuses.
  const at = message.indexOf(`${endpoint}: `);
  const said = at < 0 ? '' : `: ${message.slice(at + endpoint.length + 2)}`;
  return `plan lacks ${endpoint}${said}`;
}
