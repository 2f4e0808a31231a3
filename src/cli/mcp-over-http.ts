import { createGasClient } from '../client/client.ts';
import { ClientError, errorWords } from '../client/errors.ts';
import { parseJson } from '../client/values.ts';
import { API_KEY_HEADER, MCP_PATH, VERSION } from '../contract/routes.ts';
import { BODY_BYTES, SIGNED_BODY_BYTES } from '../service/http/body.ts';
import { ApiFailure } from '../service/http/errors.ts';
import type { RequestRecord, Served } from '../service/http/server.ts';
import type { KeyGate } from '../service/keys/key-gate.ts';
import { reportError } from './errors.ts';
import { INTERNAL_ORIGIN } from './open-source.ts';

const MOST_AT_ONCE = 16;
/** A body with a signed transaction counts as this many, so that a key has two at once, as on the routes. */
const WEIGHT_OF_LARGE = 8;
const MOST_LARGE = 8;

/** Mounts MCP beside v1. Without a key lists succeed: many clients answer a 401 with a login that does not exist here. */
export function withMcp(served: Served, gate: Pick<KeyGate, 'identify'>, baseUrl: URL | null = null): Served {
  const atOnce = new Map<string, number>();
  let largeAtOnce = 0;
  const respond = async (request: Request, record: RequestRecord): Promise<Response> => {
    record.route = MCP_PATH;
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: ALLOW });
    if (request.method !== 'POST') {
      throw new ApiFailure('method_not_allowed', 'MCP clients send POST here', { headers: ALLOW });
    }
    refuseOtherPages(request, baseUrl);
    const apiKey = request.headers.get(API_KEY_HEADER);
    const caller = await gate.identify(apiKey);
    record.keyId = caller?.keyId ?? null;
    const who = caller?.keyId ?? '';
    // Without a valid key a body can only be a call that will be refused.
    const isLarge = caller !== null && Number(request.headers.get('content-length') ?? 0) > BODY_BYTES;
    const weight = isLarge ? WEIGHT_OF_LARGE : 1;
    const before = atOnce.get(who) ?? 0;
    if (before + weight > MOST_AT_ONCE || (isLarge && largeAtOnce === MOST_LARGE)) {
      throw new ApiFailure('rate_limit_exceeded', 'too many MCP requests at once; wait for their responses', {
        headers: { 'Retry-After': '1', Connection: 'close' },
      });
    }
    atOnce.set(who, before + weight);
    if (isLarge) largeAtOnce += 1;
    const routes: RequestRecord = {};
    try {
      const { respondOverHttp } = await import('../mcp/server.ts');
      const client = createGasClient({
        url: INTERNAL_ORIGIN,
        apiKey,
        fetch: async (inner) => {
          const response = await served.fetch(inner, routes);
          if (routes.errorCode !== undefined) record.errorCode = routes.errorCode;
          return response;
        },
        isOwn: true,
      });
      return await respondOverHttp(request, {
        version: VERSION,
        allowWrites: caller?.plan.mcpWrites ?? false,
        writesNeed: 'a key whose plan has "mcpWrites": true; ask the operator of the service for one',
        open: async () => client,
        describeError: (error) => describeFailure(error, apiKey),
        maxBytes: isLarge ? SIGNED_BODY_BYTES : BODY_BYTES,
      });
    } finally {
      if (isLarge) largeAtOnce -= 1;
      const left = (atOnce.get(who) ?? 0) - weight;
      if (left > 0) atOnce.set(who, left);
      else atOnce.delete(who);
    }
  };
  const fetch: Served['fetch'] = (request, record) =>
    new URL(request.url).pathname === MCP_PATH ? respond(request, record) : served.fetch(request, record);
  return Object.create(served, { fetch: { value: fetch } });
}

const ALLOW = { Allow: 'POST, OPTIONS' };

/** A browser names the origin of a request; a page of another origin must not use the user's services. */
function refuseOtherPages(request: Request, baseUrl: URL | null): void {
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const host = URL.parse(origin)?.host;
  if (host !== undefined && (host === new URL(request.url).host || host === baseUrl?.host)) return;
  throw new ApiFailure('validation_failed', 'pages of other origins may not use MCP here', { status: 403 });
}

/** The service's own message: the client's messages are for users with a config file. */
function describeFailure(error: unknown, apiKey: string | null): string {
  const { message } = errorWords(error instanceof ClientError ? parseJson(error.raw ?? '') : null);
  const known = message === '' ? error : new ClientError('server', message, { endpoint: '' });
  return reportError(known, false, apiKey === null ? [] : [apiKey]).lines.join('; ');
}
