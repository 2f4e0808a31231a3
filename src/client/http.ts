import { EventSourceParserStream } from 'eventsource-parser/stream';
import ky, { isHTTPError, isTimeoutError, type KyInstance } from 'ky';
import type * as z from 'zod';
import { valueAt } from '../contract/field-problems.ts';
import { API_KEY_HEADER, BASE_PATH, PATHS } from '../contract/routes.ts';
import { retryAfterSec } from '../core/retry-after.ts';
import { cleanText } from '../core/text.ts';
import { bareHex, isSignedShape } from '../core/transactions/signed-text.ts';
import { ClientError, errorWords, LONGEST_RAW } from './errors.ts';
import { abortion, mayBeDone, networkFailure, refusal, type SentRequest } from './http-errors.ts';
import type { RateLimit } from './rate-limit.ts';
import type { ResponseSchemas } from './routes.ts';
import { harmless, isRecord, isWebPage, parseJson } from './values.ts';
import { inWireForm, normalKey, type Renaming } from './wire-form.ts';

const TIMEOUT_MS = 10_000;
/** A service of ours says at least every 15 s that it is there. */
const SILENCE_MS = 45_000;
const MAX_BYTES = 8_000_000;
const LONGEST_EVENT = 1_000_000;
const EVENT_STREAM = 'text/event-stream';
/** A per-second limit is waited for within the request; a longer one pauses all requests (rate-limit.ts). */
const LONGEST_RETRY_SEC = 2;
/** `.` and `..` change the path of a URL, encoded or not (WHATWG URL §4.1). */
const DOTTED = /(^|\/)(\.|%2e){1,2}(\/|$)/i;
export type Fetch = (request: Request) => Response | Promise<Response>;

export interface HttpOptions {
  /** Of the service, with or without the v1 base path. */
  readonly url: string;
  readonly apiKey?: string | null;
  /** Sends the requests, such as the embedded service's request handler; default: the platform's own. */
  readonly fetch?: Fetch;
  /** Aborts each request, present and future. */
  readonly signal?: AbortSignal;
  /** For the whole response, head and body, retries included. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Of a response body, decompressed. Default: 8 MB. */
  readonly maxBytes?: number;
  /** Default: the platform's own. */
  readonly userAgent?: string;
  /** How the user sets a key, for errors. @internal */
  readonly keyAdvice?: string;
}

export interface HttpRequest {
  /** Below the v1 base path, or below `root` if given. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Default: `get`. Any other method is a write and is sent once. */
  readonly method?: 'get' | 'post' | 'put' | 'delete';
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly root?: string;
}

/** HTTP with one service, by ky: all requests of the client, the doctor and the OpenAPI search. */
export class Http {
  readonly host: string;
  readonly service: URL;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  readonly #root: string;
  readonly #options: HttpOptions;
  readonly #ky: KyInstance;
  readonly #rateLimit: RateLimit | null;

  constructor(options: HttpOptions, rateLimit: RateLimit | null = null) {
    this.service = parseServiceUrl(options.url);
    this.host = this.service.host;
    this.apiKey = options.apiKey?.trim() || null;
    this.#options = options;
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const { origin, pathname } = this.service;
    this.#root = `${origin}${pathname.replace(/\/+$/, '')}${BASE_PATH}`;
    this.#rateLimit = rateLimit;
    this.#ky = ky.create({
      headers: {
        ...{ accept: 'application/json', 'user-agent': options.userAgent },
        [API_KEY_HEADER]: this.apiKey ?? undefined,
      },
      fetch: boundedFetch(options.fetch, options.maxBytes ?? MAX_BYTES),
      // fetch keeps x-api-key when it follows a redirect to another origin, so none is followed.
      redirect: 'manual',
      timeout: false,
      retry: {
        limit: 1,
        // A write is sent once: only its caller knows whether to repeat it.
        methods: ['get'],
        statusCodes: [429],
        shouldRetry: ({ error }) => {
          if (!isHTTPError(error)) return false;
          const waitSec = retryAfterSec(error.response.headers.get('retry-after'), Date.now());
          return waitSec !== null && waitSec <= LONGEST_RETRY_SEC ? undefined : false;
        },
      },
    });
  }

  /** The text has neither key nor signed bytes. Everything but a success is a ClientError, without key and query. */
  async send(request: HttpRequest) {
    const { path, method = 'get', body } = request;
    this.#rateLimit?.check(path);
    const sent = this.#target(request);
    const signal = this.#signalOf(request);
    const began = performance.now();
    let isBegun = false;
    try {
      signal.throwIfAborted();
      isBegun = true;
      const response = this.#ky(sent.url, { method, json: body, signal, totalTimeout: this.timeoutMs });
      const { status, headers } = await response;
      const text = withoutSecrets(await response.text(), sent.endpoint, this.apiKey, body);
      this.#rateLimit?.succeeded();
      return { status, headers, text };
    } catch (error) {
      const passedMs = isTimeoutError(error) ? this.timeoutMs : performance.now() - began;
      const failure = this.#failure(error, sent, signal, passedMs, body);
      if (!signal.aborted) this.#rateLimit?.failed(failure);
      throw sent.write !== null && isBegun && mayBeDone(error) ? failure.unsettled() : failure;
    }
  }

  /** The data of each Server-Sent Event, until the stream ends. Throws as {@link send}, also when it is silent. */
  async *events(request: Pick<HttpRequest, 'path' | 'signal'>): AsyncGenerator<string> {
    this.#rateLimit?.check(request.path);
    const sent = this.#target(request);
    const { apiKey, host } = this;
    const { endpoint } = sent;
    const signal = this.#signalOf(request);
    const stop = new AbortController();
    const silent = new ClientError('unreachable', `${host} sends nothing any more`, { endpoint });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waitFor = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(silent), ms);
    };
    waitFor(this.timeoutMs);
    try {
      const ended = AbortSignal.any([stop.signal, signal]);
      const response = await this.#ky(sent.url, {
        headers: { accept: EVENT_STREAM },
        signal: ended,
        retry: 0,
        // Of a stream no more is bounded than each event.
        fetch: boundedFetch(this.#options.fetch, Number.POSITIVE_INFINITY),
      });
      if (response.body === null || !response.headers.get('content-type')?.startsWith(EVENT_STREAM)) {
        const message = `${host} responded to ${endpoint} with something that is no stream`;
        throw new ClientError('unreadable', message, { endpoint });
      }
      const parser = new EventSourceParserStream({
        maxBufferSize: LONGEST_EVENT,
        onComment: () => waitFor(SILENCE_MS),
      });
      // The embedded service's stream does not listen to the signal.
      const text = response.body.pipeThrough(new TextDecoderStream(), { signal: ended });
      const reader = text.pipeThrough(parser).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        clearTimeout(timer);
        if (done) return;
        yield withoutSecrets(value.data, endpoint, apiKey, undefined);
        waitFor(SILENCE_MS);
      }
    } catch (error) {
      if (stop.signal.aborted) throw silent;
      throw this.#failure(error, sent, signal, this.timeoutMs);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  #signalOf({ signal }: Pick<HttpRequest, 'signal'>): AbortSignal {
    return AbortSignal.any([this.#options.signal, signal].filter((each) => each !== undefined));
  }

  /** @throws ClientError (`invalid`, `key`) for what must not be sent. */
  #target({ path, query = {}, root = this.#root, method = 'get' }: HttpRequest): SentRequest {
    const url = new URL(root + path);
    // A dotted or absolute path would leave the service.
    if (!path.startsWith('/') || !url.href.startsWith(`${root}/`) || DOTTED.test(path)) {
      const message = 'a v1 path begins with / and stays below the service';
      throw new ClientError('invalid', message, { endpoint: '/' });
    }
    const endpoint = cleanText(path, 200);
    if (this.apiKey !== null && !/^[\x21-\x7e]+$/.test(this.apiKey)) {
      const message = 'a key has no spaces, line breaks or letters beyond ASCII; copy it again';
      throw new ClientError('key', message, { endpoint });
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
    const { keyAdvice = 'pass a key as apiKey' } = this.#options;
    return {
      url,
      endpoint,
      keyAdvice,
      withKey: this.apiKey !== null,
      write: method === 'get' ? null : method,
    };
  }

  #failure(error: unknown, sent: SentRequest, signal: AbortSignal, passedMs: number, body?: unknown) {
    if (error instanceof ClientError) return error;
    const { endpoint } = sent;
    if (isHTTPError(error)) {
      const { data = '' } = error;
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return refusal(error.response, withoutSecrets(text, endpoint, this.apiKey, body), sent);
    }
    if (error instanceof TooLarge) {
      const message = `the response of ${this.host} is larger than ${error.message} and was cut off; check the URL`;
      return new ClientError('unreadable', message, { endpoint });
    }
    return abortion(error, signal, sent, passedMs) ?? networkFailure(error, endpoint, this.host);
  }
}

class TooLarge extends Error {}

/** A `fetch` whose body fails as soon as it exceeds `maxBytes`; ky itself bounds the body of a refusal. */
function boundedFetch(embedded: Fetch | undefined, maxBytes: number): typeof fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const response = await (embedded === undefined
      ? fetch(request)
      : unlessAborted(request.signal, async () => embedded(request)));
    if (response.body === null || !response.ok) return response;
    // Decompressed it is at least as large as announced: the first piece of one that is too large is too much.
    let bytes = Number(response.headers.get('content-length')) > maxBytes ? maxBytes : 0;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength;
        if (bytes <= maxBytes) controller.enqueue(piece);
        else controller.error(new TooLarge(`${Number((maxBytes / 1e6).toPrecision(2))} MB`));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}

/** The embedded service may ignore the signal. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work(), aborted]);
}

/** Services' names for a signed transaction, or the signature alone. */
const SECRET_NAME = /^(raw|signed|serialized|txhex$|sig(natures?)?$|[rs]$)/;
/** These fields are no secret, though the signed bytes contain them too. */
const PLAIN_NAME = /^(to|from|data|input|calldata|value|hash)$/;
const HEX_RUN = /(?:0x)?[\da-f]{48,}/gi;
const SHORTEST_SIGNED = 70;
const HIDDEN = '(signed bytes)';

/** Without the key and signed transactions; on routes of auto-txs also without signatures and pieces of the sent one. */
function withoutSecrets(text: string, endpoint: string, apiKey: string | null, body: unknown): string {
  let shown = apiKey === null || apiKey.length < 8 ? text : text.replaceAll(apiKey, '(key)');
  const signed = isRecord(body) ? body.signedTransaction : null;
  const sent = typeof signed === 'string' ? bareHex(signed) : null;
  if (endpoint.startsWith(PATHS.autoTxs)) {
    const json = parseJson(shown);
    const safe = JSON.stringify(json, (name, value: unknown) => shownValue(normalKey(name), value, sent));
    if (safe !== JSON.stringify(json)) shown = safe;
  }
  return shown.replace(HEX_RUN, (run) => (holdsSigned(run, sent) ? HIDDEN : run));
}

function shownValue(name: string, value: unknown, sent: string | null): unknown {
  const isText = typeof value === 'string';
  if (SECRET_NAME.test(name) && ((isText && value !== '') || Array.isArray(value))) return HIDDEN;
  if (isByteList(value)) return HIDDEN;
  if (!isText || PLAIN_NAME.test(name)) return value;
  return value.replace(HEX_RUN, (run) => (sent?.includes(bareHex(run)) ? HIDDEN : run));
}

const isByteList = (value: unknown) =>
  Array.isArray(value) && value.length >= SHORTEST_SIGNED && value.every((one) => typeof one === 'number');

function holdsSigned(run: string, sent: string | null): boolean {
  const hex = bareHex(run);
  return (sent !== null && sent !== '' && hex.includes(sent)) || isSignedShape(hex);
}

const EXAMPLE = 'https://gas.example.org';

/**
 * The URL of a v1 service without the base path, which the text may have.
 * @param hint Advice when the text is more than a URL: the user may have put the key into it.
 * @throws RangeError with one line of advice. It never repeats the text, which may contain a key.
 */
export function parseServiceUrl(text: string, hint = 'the key goes into apiKey'): URL {
  const trimmed = text.trim();
  if (/^[\w.-]+(:\d+)?(\/|$)/.test(trimmed)) {
    throw new RangeError(`not a URL; begin it with https:// or http://, for example ${EXAMPLE}`);
  }
  if (!URL.canParse(trimmed)) throw new RangeError(`not a URL; for example ${EXAMPLE}`);
  const url = new URL(trimmed);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RangeError(`${cleanText(url.protocol, 40)}// cannot be asked; use http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new RangeError(`a URL must not hold a user or password; ${hint}`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new RangeError(`a service URL has no ? or # part; ${hint}`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(BASE_PATH) ? path.slice(0, -BASE_PATH.length) : path;
  return url;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** Whether others can intercept requests to this URL. */
export const isPlain = (url: URL): boolean => url.protocol !== 'https:' && !LOOPBACK.test(url.hostname);

const SUCCESS_CODE = /^(ok|success|succeeded|0|2\d\d)$/i;
/** Returned once, to the alert's creator, and never shown otherwise. */
const SIGNING_SECRET = /whsec_[\w+/=-]+/g;

export interface ResponseContext {
  readonly endpoint: string;
  readonly host: string;
  readonly isOwn?: boolean;
  readonly renaming?: Renaming;
}

export type WireResponse = ReturnType<typeof parseResponse>;

export function parseResponse(text: string, schema: z.ZodObject, context: ResponseContext) {
  const parsed = parseJson(text);
  if (parsed === undefined) throw unreadable(notJson(text, context), null, text, context);
  const body = harmless(parsed);
  // Further fields are a newer release's: every price is still in wei, however small.
  const isExact =
    context.isOwn === true ||
    (schema.safeParse(body).error?.issues ?? []).every(({ code }) => code === 'unrecognized_keys');
  return { body, isExact, wire: isExact ? body : inWireForm(schema, body, context.renaming) };
}

/** @throws ClientError `unreadable`; `server` or `invalid` for an error despite its status */
export function readResponse<View>(
  text: string,
  { schema, view }: ResponseSchemas<View>,
  context: ResponseContext,
): View {
  return viewOf(parseResponse(text, schema, context), view, text, context);
}

export function viewOf<View>(
  { body, isExact, wire }: WireResponse,
  view: z.ZodType<View>,
  text: string,
  context: ResponseContext,
): View {
  // An error with an empty list is an error.
  const lists = isRecord(wire) ? [wire.items, wire.data, wire.points] : [];
  if (!isExact && lists.some((list) => Array.isArray(list) && list.length === 0))
    throwIfRefused(body, context);
  const { data, error } = view.safeParse(wire);
  if (error === undefined) return data;
  throwIfRefused(body, context);
  const path = error.issues[0]?.path ?? [];
  const field = pathText(path);
  const fault = valueAt(wire, path) == null ? `has no ${field}` : `has a ${field} that makes no sense`;
  const message = `the response of ${context.host} to ${context.endpoint} ${fault}`;
  throw unreadable(message, field, text, context);
}

/** `lanes.slow.price`, `points[0].timestamp` */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** Some services send errors with status 200, and refuse a window with `data: [{ error }]`. */
export function throwIfRefused(body: unknown, { endpoint }: Pick<ResponseContext, 'endpoint'>): void {
  if (!isRecord(body)) return;
  const { errorCode, message } = errorWords(body);
  const { error, success, data } = body;
  if (Array.isArray(data) && data.length === 1 && isRecord(data[0]) && typeof data[0].error === 'string') {
    throw new ClientError('invalid', `the service did not accept the request: ${message}`, {
      endpoint,
      details: [{ path: '', message }],
    });
  }
  const isDone = success === true || SUCCESS_CODE.test(errorCode);
  const isRefused = errorCode !== '' || (error ?? false) !== false || success === false;
  if (message === '' || isDone || !isRefused) return;
  throw new ClientError('server', `the service responded with an error: ${message}`, { endpoint });
}

function unreadable(
  message: string,
  field: string | null,
  text: string,
  { endpoint }: ResponseContext,
): ClientError {
  const raw = cleanText(text, LONGEST_RAW).replace(SIGNING_SECRET, '(secret)');
  return new ClientError('unreadable', message, { endpoint, field, raw });
}

function notJson(text: string, { endpoint, host }: ResponseContext): string {
  if (/^\s*[[{]/.test(text)) return `the response of ${host} to ${endpoint} is broken off or not JSON`;
  const what = isWebPage(text)
    ? 'a web page: a login or proxy, or not the address of a v1 service'
    : `${text.trim() === '' ? 'nothing' : 'something that is not JSON'}; check the URL`;
  return `${host} responded to ${endpoint} with ${what}`;
}
