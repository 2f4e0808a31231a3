/** The headers of an answer, by lower-case name. */
export interface AnswerHeaders extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | null;
}

/** The head of an answer, with its body still to be read. */
export interface Answered {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Unpacked, as it comes. Who leaves off in the middle ends it. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** For a body that nobody wants. */
  cancel(): Promise<void>;
}

/** One question, as it goes out. */
export interface Asked {
  readonly url: URL;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Ends the question, and its answer's body. */
  readonly signal: AbortSignal;
}

/** Gives the head of the answer, whatever its status, and follows no redirect. It throws what the connection threw. */
export type Ask = (asked: Asked) => Promise<Answered>;
