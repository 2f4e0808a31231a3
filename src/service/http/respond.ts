import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import type { z } from 'zod';
import { isCompat, PATHS } from '../../contract/routes.ts';
import type { ChainPublisher } from '../published-chain.ts';
import type { ServiceOptions } from '../service.ts';
import { type Gate, keyOf, withoutKey } from './auth.ts';
import { createBodyReader, jsonOf } from './body.ts';
import { ApiFailure, requireAwaited, unavailable, wrongParameters } from './errors.ts';
import type { AdmittedRequest, Route } from './routes/route.ts';
import type { RequestRecord } from './server.ts';

const compress = promisify(gzip);
/** A smaller body fits into one packet anyway. */
const GZIP_MIN_BYTES = 1_024;
/** A higher level saves 2 % of JSON for twice the time. */
const GZIP_LEVEL = 5;
/** Recommendations for prices that callers choose are separate responses. */
const ENTRIES_MAX = 256;

/** The bytes of one response, its ETag, and its gzip once a client accepts that. */
export class EncodedResponse {
  readonly #text: string;
  readonly #tag: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #length: number;
  #gzip: Promise<Uint8Array<ArrayBuffer>> | null = null;

  constructor(text: string, type = 'application/json') {
    this.#text = text;
    this.#length = Buffer.byteLength(text);
    this.#tag = `"${hash('sha1', text, 'base64url')}"`;
    this.#headers = {
      // Keys have different limits, so no shared cache may store a response; a refetch costs a 304.
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept-Encoding',
      'Content-Type': type,
      // Weak: the content is the same whether compressed or not.
      ETag: `W/${this.#tag}`,
      'Content-Length': String(this.#length),
    };
  }

  /** 304 when the client has it, gzip when the client accepts it. */
  respond({ req }: Context): Response | Promise<Response> {
    const known = req.header('if-none-match')?.split(',') ?? [];
    if (known.some((tag) => ['*', this.#tag].includes(tag.trim().replace(/^W\//, '')))) {
      const { 'Content-Type': _, 'Content-Length': __, ...headers } = this.#headers;
      return new Response(null, { status: 304, headers });
    }
    if (this.#length < GZIP_MIN_BYTES || !GZIP_ACCEPTED.test(req.header('accept-encoding') ?? '')) {
      return new Response(this.#text, { headers: this.#headers });
    }
    return this.#compressed();
  }

  async #compressed(): Promise<Response> {
    this.#gzip ??= compress(this.#text, { level: GZIP_LEVEL }).then((bytes) => new Uint8Array(bytes));
    const bytes = await this.#gzip;
    const packed = { 'Content-Encoding': 'gzip', 'Content-Length': String(bytes.byteLength) };
    return new Response(bytes, { headers: { ...this.#headers, ...packed } });
  }
}

const GZIP_ACCEPTED = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** Caches responses while `version` returns the same object, so between two blocks. Concurrent requests share one. */
export function createResponseCache(version: () => object | null) {
  const cache = new Map<string, Promise<EncodedResponse>>();
  let cachedVersion: object | null = null;
  return (url: string, make: () => Promise<EncodedResponse>): Promise<EncodedResponse> => {
    const now = version();
    if (now !== cachedVersion || cache.size >= ENTRIES_MAX) cache.clear();
    cachedVersion = now;
    const cached = cache.get(url);
    if (cached !== undefined) return cached;
    const making = make();
    cache.set(url, making);
    making.catch(() => cache.delete(url));
    return making;
  };
}

/** Routes whose responses depend only on the present state and the query, not on the key. */
const SHARED: ReadonlySet<string> = new Set([
  PATHS.gasCurrent,
  PATHS.gasTrend,
  PATHS.gasRecommendation,
  PATHS.chainRules,
  PATHS.statsCurrent,
  PATHS.statsMarket,
  PATHS.compatBlocknative,
  PATHS.compatMetamask,
  PATHS.compatEtherscan,
  PATHS.compatEtherscanV2,
]);

export interface ResponderOptions extends Pick<ServiceOptions, 'keepsAlerts' | 'unsaved'> {
  readonly publisher: ChainPublisher;
  readonly gate: Gate;
}

/** Admits a request by its key, has its route handle it, and gives the response: a shared one from the cache. */
export function createResponder(options: ResponderOptions) {
  const { publisher, gate } = options;
  const readBody = createBodyReader();
  const cached = createResponseCache(() => publisher.publish());
  return async (c: Context<{ Bindings: RequestRecord }>, route: Route): Promise<Response> => {
    const { group, path } = route;
    const key = keyOf(c.req, isCompat(path));
    const isCounted = path !== PATHS.rateLimits;
    const { keyId, limits } = await (isCounted ? gate.admit({ key, group }) : gate.limits(key));
    c.env.keyId = keyId;
    const admitted = (): AdmittedRequest => {
      const { signal = c.req.raw.signal } = c.env;
      requireAwaited(signal);
      return { c, owner: keyId ?? '', limits, signal };
    };
    if (SHARED.has(path)) {
      c.env.isStream = false;
      const shared = await cached(withoutKey(c.req.url), () => encoded(handled(route, admitted())));
      return await shared.respond(c);
    }
    const request = admitted();
    if (group === 'alerts' || group === 'auto-txs') refuseUnsaved(group, options);
    const takesSigned = path === PATHS.autoTxs || path === PATHS.autoTx;
    const result = await (route.spec.body === undefined
      ? handled(route, request)
      : readBody(c.req.raw, { ...request, takesSigned }, (bytes) =>
          handled(route, { ...request, body: jsonOf(c.req.raw, bytes) }),
        ));
    c.env.isStream = route.spec.isStream ?? false;
    if (result instanceof Response) return result;
    if (route.method === 'get') return new EncodedResponse(JSON.stringify(result)).respond(c);
    if (result === undefined) return c.body(null, 204);
    const { status = 200 } = route.spec;
    const text = JSON.stringify(result);
    // Relative to the list, wherever a proxy has put it.
    if (status === 201 && 'id' in result) c.header('Location', `${path.slice(1)}/${result.id}`);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
    return c.body(text, status, headers);
  };
}

/** @throws {ApiFailure} `validation_failed` for wrong parameters, and as the route does */
async function handled({ spec }: Route, request: AdmittedRequest) {
  const { req } = request.c;
  // A parameter that is given more than once is a list, which no schema takes.
  const given = Object.entries(req.queries()).map(([name, all]) => [name, all.length > 1 ? all : all[0]]);
  const query = readParameters(spec.query, Object.fromEntries(given));
  const params = readParameters(spec.params, req.param());
  return spec.handle({ ...request, query, params });
}

/** @throws {ApiFailure} `validation_failed`, with each wrong and each unknown parameter by name. */
function readParameters(schema: z.ZodObject, given: Readonly<Record<string, unknown>>) {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw wrongParameters(parsed.error, given);
  return parsed.data;
}

const encoded = async (made: Promise<unknown>) => new EncodedResponse(JSON.stringify(await made));

/** Their data would be lost when the process ends: for the reason `unsaved`, else until the chain is known. */
function refuseUnsaved(what: string, { keepsAlerts, unsaved }: ResponderOptions): void {
  if (unsaved !== undefined) {
    const why = `no ${what} are kept here: ${unsaved}; then start gastop again`;
    throw new ApiFailure('upstream_unavailable', why);
  }
  if (keepsAlerts !== false) return;
  throw unavailable(
    `no ${what} are kept yet: no node has said which chain this is, or its history cannot be opened, see /readyz; try again in a moment`,
    5,
  );
}
