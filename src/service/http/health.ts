import type { Condition } from '../service-state.ts';
import { ApiFailure, errorResponse } from './errors.ts';

/** Outside v1: for whoever runs the service. No key is needed, and nothing secret is said. */
export const OPERATION_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

const ALLOW = 'GET, HEAD, OPTIONS';

/** Answers one of {@link OPERATION_PATHS}. */
export async function answerOperation(
  request: Request,
  path: string,
  condition: Condition,
  metricsPage: () => Promise<string>,
): Promise<Response> {
  const { method } = request;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: ALLOW } });
  if (method !== 'GET' && method !== 'HEAD') {
    const wrong = new ApiFailure('method_not_allowed', 'this path only answers GET', {
      headers: { Allow: ALLOW },
    });
    return errorResponse(wrong, request, null);
  }
  const send = (text: string, type: string) =>
    new Response(method === 'HEAD' ? null : text, {
      status: 200,
      headers: { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) },
    });
  if (path === '/metrics') return send(await metricsPage(), 'text/plain; version=0.0.4; charset=utf-8');
  if (path === '/readyz' && condition.failure !== null)
    return errorResponse(condition.failure, request, null);
  if (path === '/healthz') return send(JSON.stringify({ status: 'ok' }), 'application/json');
  // Ready is who can answer; alerts may well fire in another process.
  const alerts = condition.engine?.isHere ? 'here' : condition.engine ? 'elsewhere' : 'nowhere';
  return send(JSON.stringify({ status: 'ready', alerts }), 'application/json');
}
