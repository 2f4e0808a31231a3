import { createParser } from 'eventsource-parser';
import ky, { isHTTPError, isTimeoutError, type KyInstance } from 'ky';
import { API_KEY_HEADER, BASE_PATH, PATHS } from '../contract/routes.ts';
import { retryAfterSec } from '../core/retry-after.ts';
import { cleanText } from '../core/text.ts';
import { bareHex, isSignedShape } from '../core/transactions/signed-text.ts';
import { normalKey } from './aliases.ts';
import { ClientError, networkFailure, refusal, wasNeverSent } from './errors.ts';
import type { RateLimit } from './rate-limit.ts';
import { isRecord, parseJson } from './values.ts';

const TIMEOUT_MS = 10_000;
/** A service of ours says at least every 15 s that it is there. */
const SILENCE_MS = 45_000;
const MAX_BYTES = 8_000_000;
const LONGEST_EVENT = 1_000_000;
const EVENT_STREAM = 'text/event-stream';
/** Only the message of an error body is read. */
const ERROR_BODY_MAX_BYTES = 65_536;
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

/** A successful response. Its text, which may be empty, contains neither the key nor signed bytes. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
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
  /** Of a stream no more is bounded than each event. */
  readonly #streamFetch: typeof fetch;
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
    this.#streamFetch = boundedFetch(options.fetch, Number.POSITIVE_INFINITY);
    this.#ky = ky.create({
      headers: { accept: 'application/json', 'user-agent': options.userAgent },
      fetch: boundedFetch(options.fetch, options.maxBytes ?? MAX_BYTES),
      // fetch keeps x-api-key when it follows a redirect to another origin, so none is followed.
      redirect: 'manual',
      retry: {
        limit: 1,
        methods: ['get'],
        statusCodes: [429],
        afterStatusCodes: [429],
        shouldRetry: ({ error }) => {
          if (!isHTTPError(error)) return false;
          const waitSec = retryAfterSec(error.response.headers.get('retry-after'), Date.now());
          return waitSec !== null && waitSec <= LONGEST_RETRY_SEC ? undefined : false;
        },
      },
      // ky retries only a 429; any other status is handled like a success.
      throwHttpErrors: (status) => status === 429,
    });
  }

  /** Everything but a success is a ClientError, without the key and the query. */
  async send(request: HttpRequest): Promise<HttpResponse> {
    this.#rateLimit?.check(request.path);
    const signal = this.#signalOf(request);
    try {
      const response = await this.#exchange({ ...request, signal });
      this.#rateLimit?.succeeded();
      return response;
    } catch (error) {
      if (!signal?.aborted) this.#rateLimit?.failed(error);
      throw error;
    }
  }

  /**
   * The data of each Server-Sent Event, until the service ends the stream. Throws as {@link send}, also when it is
   * silent.
   */
  async *events(request: Pick<HttpRequest, 'path' | 'signal'>): AsyncGenerator<string> {
    this.#rateLimit?.check(request.path);
    const { url, endpoint } = this.#target(request);
    const { apiKey, host } = this;
    const signal = this.#signalOf(request);
    const silence = new AbortController();
    const stop = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
    const broken = () =>
      silence.abort(new ClientError('unreachable', `${host} sends nothing any more`, { endpoint }));
    let timer = setTimeout(broken, this.timeoutMs);
    let reader: ReadableStreamDefaultReader<string> | null = null;
    const cancel = () => void reader?.cancel().catch(() => {});
    try {
      const response = await this.#ky(url, {
        headers: { [API_KEY_HEADER]: apiKey ?? undefined, accept: EVENT_STREAM },
        signal: stop,
        timeout: false,
        retry: 0,
        throwHttpErrors: false,
        fetch: this.#streamFetch,
      });
      if (!response.ok) {
        const text = withoutSecrets(await response.text(), endpoint, apiKey, undefined);
        throw this.#refused(url, response, text, { endpoint });
      }
      if (response.body === null || !response.headers.get('content-type')?.startsWith(EVENT_STREAM)) {
        void response.body?.cancel().catch(() => {});
        const message = `${host} responded to ${endpoint} with something that is no stream`;
        throw new ClientError('unreadable', message, { endpoint });
      }
      reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      // The embedded service's stream does not listen to the signal.
      stop.addEventListener('abort', cancel);
      const texts: string[] = [];
      const parser = createParser({
        maxBufferSize: LONGEST_EVENT,
        onEvent: ({ data }) => texts.push(data),
        onError: ({ type }) => {
          if (type !== 'max-buffer-size-exceeded') return;
          throw new ClientError('unreadable', `an event of ${host} is too long`, { endpoint });
        },
      });
      for (;;) {
        const { done, value } = await reader.read();
        clearTimeout(timer);
        if (silence.signal.aborted) throw silence.signal.reason;
        if (signal?.aborted) throw signal.reason;
        if (done) return;
        parser.feed(value);
        for (const text of texts.splice(0)) yield withoutSecrets(text, endpoint, apiKey, undefined);
        timer = setTimeout(broken, SILENCE_MS);
      }
    } catch (error) {
      if (error instanceof ClientError) throw error;
      if (silence.signal.aborted) throw silence.signal.reason;
      throw this.#failure(error, endpoint, signal, this.timeoutMs);
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', cancel);
      cancel();
    }
  }

  #signalOf(request: Pick<HttpRequest, 'signal'>): AbortSignal | undefined {
    const signals = [this.#options.signal, request.signal].filter((signal) => signal !== undefined);
    return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  }

  /** @throws ClientError (`invalid`, `key`) for what must not be sent. */
  #target({ path, query = {}, root = this.#root }: Pick<HttpRequest, 'path' | 'query' | 'root'>) {
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
    return { url, endpoint };
  }

  async #exchange(request: HttpRequest): Promise<HttpResponse> {
    const { method = 'get', body, signal } = request;
    const { apiKey, timeoutMs } = this;
    const { url, endpoint } = this.#target(request);
    const isWrite = method !== 'get';
    const began = performance.now();
    let isBegun = false;
    try {
      signal?.throwIfAborted();
      isBegun = true;
      const sent = this.#ky(url, {
        method,
        headers: { [API_KEY_HEADER]: apiKey ?? undefined },
        json: body,
        ...(signal && { signal }),
        timeout: false,
        totalTimeout: timeoutMs,
        // A write is sent once: only its caller knows whether to repeat it.
        ...(isWrite ? { retry: 0 } : {}),
      });
      const { response, received } = await sent.then(
        async (response) => ({
          response,
          received: await sent.text().catch((error: unknown) => (response.ok ? Promise.reject(error) : '')),
        }),
        (error: unknown) => {
          if (!isHTTPError(error)) throw error;
          const { response, data = '' } = error;
          return { response, received: typeof data === 'string' ? data : JSON.stringify(data) };
        },
      );
      const { status, headers } = response;
      const text = withoutSecrets(received, endpoint, apiKey, body);
      if (response.ok) return { status, headers, text };
      const failure = this.#refused(url, response, text, { endpoint, write: isWrite ? method : undefined });
      throw isWrite && mayBeDone(status) ? failure.unsettled() : failure;
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const passedMs = isTimeoutError(error) ? timeoutMs : performance.now() - began;
      const failure = this.#failure(error, endpoint, signal, passedMs);
      throw isWrite && isBegun && !wasNeverSent(error) ? failure.unsettled() : failure;
    }
  }

  #refused(
    url: URL,
    response: Response,
    text: string,
    said: { readonly endpoint: string; readonly write?: Exclude<HttpRequest['method'], 'get'> },
  ): ClientError {
    const isRedirect =
      (response.status >= 300 && response.status < 400) || response.type === 'opaqueredirect';
    if (isRedirect) return redirection(url, response, said.endpoint);
    const withKey = this.apiKey !== null;
    const { keyAdvice = 'pass a key as apiKey' } = this.#options;
    return refusal(response, text, { ...said, withKey, keyAdvice, now: Date.now() });
  }

  #failure(error: unknown, endpoint: string, signal: AbortSignal | undefined, passedMs: number): ClientError {
    const { host } = this;
    const reason: unknown = signal?.reason;
    // The caller's deadline may pass slightly before ours.
    if (isTimeoutError(error) || (reason instanceof Error && reason.name === 'TimeoutError')) {
      const seconds = Number((passedMs / 1_000).toPrecision(2));
      return new ClientError('unreachable', `${host} did not respond within ${seconds} s`, { endpoint });
    }
    if (signal?.aborted) {
      return new ClientError('unreachable', `the request to ${host} was aborted`, { endpoint });
    }
    if (error instanceof BodyTooLarge) {
      const megabytes = Number(((this.#options.maxBytes ?? MAX_BYTES) / 1_000_000).toPrecision(2));
      const message = `the response of ${host} is larger than ${megabytes} MB and was cut off; check the URL`;
      return new ClientError('unreadable', message, { endpoint });
    }
    return networkFailure(error, endpoint, host);
  }
}

/** 501 and 503 mean that it was not done; some services respond to a successful form with 302 or 303. */
const mayBeDone = (status: number) =>
  status === 302 || status === 303 || (status >= 500 && status !== 501 && status !== 503);

/** Names the target of a redirect: the user decides whether that is the service. */
function redirection(from: URL, { status, headers }: Response, endpoint: string): ClientError {
  const to = URL.parse(headers.get('location') ?? '', from.href);
  const isElsewhere = to !== null && to.host !== '' && to.origin !== from.origin;
  const message = isElsewhere
    ? `${from.host} redirects to ${cleanText(to.origin, 200)}; if that is right, use it as the URL`
    : // A browser reveals neither target nor status.
      `${from.host} redirects to another ${status === 0 ? 'address' : `path (${status})`}; check the URL`;
  return new ClientError('server', message, { endpoint, status });
}

class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** A `fetch` whose body fails as soon as it exceeds `maxBytes`; an error body is truncated instead. */
function boundedFetch(embedded: Fetch | undefined, maxBytes: number): typeof fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const response = await (embedded === undefined
      ? fetch(request)
      : unlessAborted(request.signal, async () => embedded(request)));
    if (response.body === null) return response;
    const most = response.ok ? maxBytes : ERROR_BODY_MAX_BYTES;
    // Decompressed it is at least as large as announced.
    if (response.ok && Number(response.headers.get('content-length') ?? 0) > most) {
      await response.body.cancel();
      throw new BodyTooLarge();
    }
    let bytes = 0;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength;
        if (bytes <= most) controller.enqueue(piece);
        else if (response.ok) controller.error(new BodyTooLarge());
        else controller.terminate();
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

/**
 * Without the key and any signed transaction; on routes of auto-txs also without signatures and pieces of the sent
 * one.
 */
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
 * Parses the URL of a v1 service, with or without the v1 base path or a slash at the end.
 * @param hint Advice when the text is more than a URL: the user may have put the key into it.
 * @returns The URL without the base path, so that `href` + a v1 path can be requested.
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
