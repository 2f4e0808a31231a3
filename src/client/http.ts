import { EventSourceParserStream } from 'eventsource-parser/stream';
import ky, { isHTTPError, isTimeoutError, type KyInstance } from 'ky';
import { API_KEY_HEADER, BASE_PATH } from '../contract/routes.ts';
import { keyProblem } from '../core/key-text.ts';
import { retryAfterSec } from '../core/retry-after.ts';
import { cleanText } from '../core/text.ts';
import { ClientError } from './errors.ts';
import { abortion, mayBeDone, networkFailure, refusal, type SentRequest } from './http-errors.ts';
import type { RateLimit } from './rate-limit.ts';
import { redacted } from './redaction.ts';
import { parseServiceUrl } from './service-url.ts';

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
      const text = redacted(await response.text(), sent.endpoint, this.apiKey, body);
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
        yield redacted(value.data, endpoint, apiKey, undefined);
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
    const problem = this.apiKey === null ? null : keyProblem(this.apiKey);
    if (problem !== null) throw new ClientError('key', problem, { endpoint });
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
      return refusal(error.response, redacted(text, endpoint, this.apiKey, body), sent);
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
    const { status, statusText, headers } = response;
    return new Response(boundedBody(response.body, headers, maxBytes), { status, statusText, headers });
  };
}

/** Without a `TransformStream`, which takes Node as long to set up as the request. */
function boundedBody(body: NonNullable<Response['body']>, headers: Headers, maxBytes: number) {
  const reader = body.getReader();
  // Decompressed it is at least as large as announced: the first piece of one that is too large is too much.
  let bytes = Number(headers.get('content-length')) > maxBytes ? maxBytes : 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      bytes += value.byteLength;
      if (bytes <= maxBytes) return controller.enqueue(value);
      void reader.cancel().catch(() => {});
      throw new TooLarge(`${Number((maxBytes / 1e6).toPrecision(2))} MB`);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The embedded service may ignore the signal. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work(), aborted]);
}
