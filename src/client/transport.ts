import { API_KEY_HEADER, PATHS } from '../contract/routes.ts';
import { cleanText } from '../core/clean-text.ts';
import type { AnswerHeaders, Ask } from '../http/answered.ts';
import { BodyNotText, BodyTooLarge, readBody } from '../http/read-body.ts';
import { ClientError, networkFailure, refusal, wasNeverSent } from './errors.ts';
import { isRecord } from './reading/json.ts';
import { withoutSigned, withoutWhole } from './reading/signed-bytes.ts';
import { isRedirect, redirected, SEE_OTHER } from './redirect.ts';

const MOST_REDIRECTS = 3;
/** An error body is read for its message only. */
const ERROR_BODY_MAX_BYTES = 65_536;
/** `.` and `..` name no thing in a URL, written out or not (WHATWG URL §4.1). */
const DOTTED = /(^|\/)(\.|%2e){1,2}(\/|$)/i;

export interface TransportOptions {
  /** What every path is appended to. */
  readonly root: string;
  /** `host:port`, for messages. */
  readonly host: string;
  readonly apiKey: string | null;
  readonly ask: Ask;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
}

/** An answer as it came: a refusal too. The key is taken out of its text, not of its headers. */
export interface Exchange {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** Of a write: it was done, and this answers the question what came of it (303). */
  readonly isDone: boolean;
  /** From the question to the answer's head, and to its last byte. */
  readonly headMs: number;
  readonly ms: number;
}

/** What changes something, beside the path. */
export interface Write {
  readonly method: 'post' | 'put' | 'delete';
  /** Sent as JSON; `undefined`: no body. */
  readonly body?: unknown;
}

export interface ExchangeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: a GET. */
  readonly write?: Write;
  /** Beside those that every question carries. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Asks one GET of a v1 service and gives the text of its answer. One try: the caller knows better when to ask
 * again. Every failure is a `ClientError`; none repeats the key or anything of the URL beyond host and port.
 */
export async function askV1(
  options: TransportOptions,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { status, headers, text } = await exchangeV1(options, path, query, { signal });
  if (isSuccess(status)) return text;
  throw refusal({ status, headers }, text, {
    endpoint: endpointOf(options, path),
    withKey: options.apiKey !== null,
    now: Date.now(),
  });
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The path as it was asked, for messages. */
export function endpointOf({ root }: TransportOptions, path: string): string {
  return cleanText(new URL(root + path).pathname.slice(new URL(root).pathname.length), 200);
}

/** Like {@link askV1}, but a refusal is an answer; only what brought none, or none that is text, is thrown. */
export async function exchangeV1(
  options: TransportOptions,
  path: string,
  query: Readonly<Record<string, string>>,
  { signal, headers = {}, write }: ExchangeOptions = {},
): Promise<Exchange> {
  const { apiKey, host } = options;
  const url = new URL(options.root + path);
  // What a dotted or absolute path would lead to is not the service, or not what was meant of it.
  if (!path.startsWith('/') || !url.href.startsWith(`${options.root}/`) || DOTTED.test(path)) {
    throw new ClientError('invalid', 'a v1 path begins with / and stays below the service', {
      endpoint: '/',
    });
  }
  const endpoint = endpointOf(options, path);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ClientError('key', 'a key has no spaces, line breaks or letters beyond ASCII; copy it again', {
      endpoint,
    });
  }

  const began = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), options.timeoutMs);
  const ended = AbortSignal.any(signal === undefined ? [timeout.signal] : [timeout.signal, signal]);
  const question = { url, endpoint, headers, signal: ended, write: write ?? null };
  let begun = false;
  const settled = (failure: ClientError, mayHaveArrived = begun) =>
    write !== undefined && mayHaveArrived ? failure.unsettled() : failure;
  try {
    signal?.throwIfAborted();
    begun = true;
    return await unlessAborted(ended, ask(options, question));
  } catch (error) {
    // Read before what follows counts as the clock's.
    const isLate = timeout.signal.aborted;
    // Ends what a lost race left behind: a body that still streams. An answer that was read leaves nothing.
    timeout.abort();
    if (error instanceof ClientError) throw error;
    // The caller's own clock may run out a moment before ours does: that is no calling off.
    const late = isLate || isTimeout(signal?.reason);
    if (late) {
      const ms = isLate ? options.timeoutMs : performance.now() - began;
      const seconds = Number((ms / 1_000).toPrecision(2));
      const failure = new ClientError('unreachable', `${host} gave no answer within ${seconds} s`, {
        endpoint,
      });
      throw settled(failure);
    }
    if (signal?.aborted) {
      const failure = new ClientError('unreachable', `the question to ${host} was called off`, { endpoint });
      throw settled(failure);
    }
    const failure = bodyFailure(error, endpoint, options) ?? networkFailure(error, endpoint, host);
    throw settled(failure, !wasNeverSent(error));
  } finally {
    clearTimeout(timer);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

interface Question {
  readonly url: URL;
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** `null`: a GET. */
  readonly write: Write | null;
}

async function ask(options: TransportOptions, question: Question): Promise<Exchange> {
  const { apiKey } = options;
  const { url, endpoint, signal } = question;
  const began = performance.now();
  let target = url;
  let { write } = question;
  let isDone = false;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const body = write?.body === undefined ? null : JSON.stringify(write.body);
    const answered = await options.ask({
      url: target,
      method: write?.method ?? 'get',
      body,
      headers: {
        accept: 'application/json',
        'user-agent': options.userAgent,
        ...question.headers,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === null ? {} : { [API_KEY_HEADER]: apiKey }),
      },
      signal,
    });
    const headMs = performance.now() - began;
    if (!isRedirect(answered.status)) {
      const text = isSuccess(answered.status)
        ? await readBody(answered, options.maxBytes)
        : await readBody(answered, ERROR_BODY_MAX_BYTES).catch(() => '');
      return {
        status: answered.status,
        headers: answered.headers,
        text: withoutSecrets(text, endpoint, options, question.write),
        isDone,
        headMs,
        ms: performance.now() - began,
      };
    }
    await answered.cancel();
    target = redirected(target, answered, { endpoint, isWrite: write !== null, isDone });
    // What is to be seen elsewhere was done here.
    if (write !== null && answered.status === SEE_OTHER) {
      write = null;
      isDone = true;
    }
  }
  const endless = new ClientError('server', `${options.host} redirects without end; check the URL`, {
    endpoint,
  });
  throw isDone ? endless.unsettled() : endless;
}

/** Neither the key nor, of what is signed, anything that could be broadcast. */
function withoutSecrets(
  text: string,
  endpoint: string,
  { apiKey }: TransportOptions,
  write: Write | null,
): string {
  const keyless = withoutKey(text, apiKey);
  return endpoint.startsWith(PATHS.autoTxs)
    ? withoutSigned(keyless, signedOf(write?.body))
    : withoutWhole(keyless);
}

/** What is signed of what is sent. */
function signedOf(body: unknown): string | null {
  return isRecord(body) && typeof body.signedTransaction === 'string' ? body.signedTransaction : null;
}

/** A service may repeat what it was sent; the key must not come to light that way. */
export function withoutKey(text: string, apiKey: string | null): string {
  return apiKey === null || apiKey.length < 8 ? text : text.replaceAll(apiKey, '(key)');
}

/** A fetch of the embedded service need not listen to the signal, so the wait itself does. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  work.catch(() => {});
  aborted.catch(() => {});
  return await Promise.race([work, aborted]);
}

function bodyFailure(error: unknown, endpoint: string, options: TransportOptions): ClientError | null {
  if (error instanceof BodyTooLarge) {
    const megabytes = Number((options.maxBytes / 1_000_000).toPrecision(2));
    return new ClientError(
      'unreadable',
      `the answer of ${options.host} is larger than ${megabytes} MB and was cut off; check the URL`,
      { endpoint },
    );
  }
  if (error instanceof BodyNotText) {
    return new ClientError('unreadable', `the answer of ${options.host} is not UTF-8 text; check the URL`, {
      endpoint,
    });
  }
  return null;
}
