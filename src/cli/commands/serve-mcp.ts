import { abortable } from '../../chain/async.ts';
import { createGasClient } from '../../client/client.ts';
import { ClientError, errorWords } from '../../client/errors.ts';
import { parseJson } from '../../client/values.ts';
import { API_KEY_HEADER, MCP_PATH, VERSION } from '../../contract/routes.ts';
import { createBodyReader } from '../../service/http/body.ts';
import { networkOf } from '../../service/http/connections.ts';
import { ApiFailure } from '../../service/http/errors.ts';
import type { RequestRecord, Served } from '../../service/http/server.ts';
import type { KeyGate } from '../../service/keys/key-gate.ts';
import { type Rate, TokenBuckets } from '../../service/token-buckets.ts';
import { reportError } from '../errors.ts';
import { INTERNAL_ORIGIN } from '../open-service.ts';

/** Messages of one caller at once; a batch counts as its messages. */
const MOST_AT_ONCE = 16;
/** Of messages that no quota counts, such as lists and refused calls. A client connects with three. */
const UNCOUNTED: Rate = { perSecond: 20, burst: 100 };

/** Mounts MCP beside v1. Without a key lists succeed: many clients answer a 401 with a login that does not exist here. */
export function withMcp(served: Served, gate: Pick<KeyGate, 'identify'>, baseUrl: URL | null = null): Served {
  const slots = createSlots();
  const buckets = new TokenBuckets(() => performance.now());
  const readBody = createBodyReader();

  const respond = async (request: Request, record: RequestRecord): Promise<Response> => {
    const { signal = request.signal } = record;
    record.route = MCP_PATH;
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: ALLOW });
    if (request.method !== 'POST') {
      throw new ApiFailure('method_not_allowed', 'MCP clients send POST here', { headers: ALLOW });
    }
    refuseOtherPages(request, baseUrl);
    const apiKey = apiKeyOf(request);
    const caller = await gate.identify(apiKey);
    record.keyId = caller?.keyId ?? null;
    const owner = caller?.keyId ?? networkOf(record.address ?? '');
    return slots.hold(owner, 1, () =>
      // Without a valid key a body can only be a call that will be refused.
      readBody(request, { owner, takesSigned: caller !== null, signal }, async (bytes) => {
        const message = parseJson(bytes.toString());
        const count = Array.isArray(message) ? Math.max(1, message.length) : 1;
        if (count > MOST_AT_ONCE) {
          const words = `a batch has at most ${MOST_AT_ONCE} messages; send several`;
          throw new ApiFailure('payload_too_large', words);
        }
        const waitMs = buckets.take(owner, UNCOUNTED, count);
        if (waitMs > 0) {
          const words = 'too many MCP messages in a short time that count no request';
          throw tooMany(words, Math.ceil(waitMs / 1_000));
        }
        const routes: RequestRecord = {};
        let counted = 0;
        const client = createGasClient({
          url: INTERNAL_ORIGIN,
          apiKey,
          fetch: async (inner) => {
            const response = await served.fetch(inner, routes);
            if (!UNCOUNTED_STATUSES.has(response.status)) counted += 1;
            if (routes.errorCode !== undefined) record.errorCode = routes.errorCode;
            return response;
          },
          isOwn: true,
        });
        const { respondOverHttp } = await import('../../mcp/server.ts');
        const { method, headers, url } = request;
        return slots
          .hold(owner, count - 1, () =>
            abortable(
              respondOverHttp(new Request(url, { method, headers, signal, body: bytes }), message, {
                version: VERSION,
                allowWrites: caller?.plan.mcpWrites ?? false,
                writesNeed: 'a key whose plan has "mcpWrites": true; ask the operator of the service for one',
                open: async () => client,
                describeError: (error) => describeFailure(error, apiKey),
              }),
              signal,
            ),
          )
          .finally(() => buckets.giveBack(owner, UNCOUNTED, Math.min(counted, count)));
      }),
    );
  };
  const fetch: Served['fetch'] = (request, record) =>
    PATHS_OF_MCP.has(new URL(request.url).pathname)
      ? respond(request, record)
      : served.fetch(request, record);
  return Object.create(served, { fetch: { value: fetch } });
}

const PATHS_OF_MCP: ReadonlySet<string> = new Set([MCP_PATH, `${MCP_PATH}/`]);

/** Many MCP clients can be given no header but that of a token (RFC 6750). */
const apiKeyOf = ({ headers }: Request): string | null =>
  headers.get(API_KEY_HEADER) ?? /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;

/** Work under way by caller. */
function createSlots() {
  const taken = new Map<string, number>();
  return {
    /** Runs `work`, which takes `count` of the caller's slots until it settles. @throws {ApiFailure} when too few are free */
    async hold<T>(caller: string, count: number, work: () => Promise<T>): Promise<T> {
      const before = taken.get(caller) ?? 0;
      if (before + count > MOST_AT_ONCE) {
        throw tooMany('too many MCP requests at once; wait for their responses', 1);
      }
      taken.set(caller, before + count);
      try {
        return await work();
      } finally {
        const left = (taken.get(caller) ?? 0) - count;
        if (left > 0) taken.set(caller, left);
        else taken.delete(caller);
      }
    },
  };
}

/** Of requests that the gate refuses. */
const UNCOUNTED_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

const tooMany = (message: string, retrySec: number) =>
  new ApiFailure('rate_limit_exceeded', message, { retrySec, headers: { Connection: 'close' } });

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
