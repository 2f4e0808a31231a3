import { cleanText } from '../core/clean-text.ts';
import { refusal } from './errors.ts';
import { endpointOf, exchangeV1, isSuccess, type TransportOptions } from './transport.ts';

/** One answer as it came. A service that says `304` gives the very same object again. */
export interface Received {
  readonly text: string;
}

/** The pages of two long lists, and what else is asked: one page too few and each drives out the next in turn. */
const MOST_ANSWERS = 64;
const LARGEST_CHARACTERS = 1_000_000;
/** Of all that is kept. */
const MOST_CHARACTERS = 32_000_000;
const LONGEST_TAG = 200;

/**
 * Asks GETs and remembers answers that carry an `ETag`, so that the next question for the same thing can be
 * answered with `304 Not Modified` (RFC 9110 §13.1.2): nothing is sent, read and drawn again.
 */
export class AnswerMemory {
  readonly #transport: TransportOptions;
  /** By path and query, the least recently used first. */
  readonly #kept = new Map<string, { readonly tag: string; readonly received: Received }>();
  #characters = 0;

  constructor(transport: TransportOptions) {
    this.#transport = transport;
  }

  /** @throws ClientError for every answer that is no success. */
  async ask(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Received> {
    const key = `${path}?${new URLSearchParams(query)}`;
    const kept = this.#kept.get(key);
    const { status, headers, text } = await exchangeV1(this.#transport, path, query, {
      signal,
      headers: kept === undefined ? {} : { 'if-none-match': kept.tag },
    });
    if (status === 304 && kept !== undefined) {
      this.#keep(key, kept);
      return kept.received;
    }
    if (!isSuccess(status)) {
      throw refusal({ status, headers }, text, {
        endpoint: endpointOf(this.#transport, path),
        withKey: this.#transport.apiKey !== null,
        now: Date.now(),
      });
    }
    const received = { text };
    const tag = headers.get('etag');
    if (isTag(tag) && text.length <= LARGEST_CHARACTERS) this.#keep(key, { tag, received });
    else this.#drop(key);
    return received;
  }

  #keep(key: string, answer: { readonly tag: string; readonly received: Received }): void {
    this.#drop(key);
    this.#kept.set(key, answer);
    this.#characters += answer.received.text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_ANSWERS && this.#characters <= MOST_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#kept.get(key)?.received.text.length ?? 0;
    this.#kept.delete(key);
  }
}

/** `"…"` or `W/"…"`, short and harmless as a header. */
function isTag(tag: string | null): tag is string {
  return tag !== null && tag.length <= LONGEST_TAG && /^(W\/)?"[\x21\x23-\x7e]*"$/.test(cleanText(tag));
}
