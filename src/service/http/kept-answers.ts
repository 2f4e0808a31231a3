import { EncodedAnswer } from './encoded-answer.ts';

/** More questions are not asked again and again. */
const MOST_ANSWERS = 64;
/** Of all answers together. Those beyond are found anew each time, so that the pages of a long list do not drive each other out. */
const MOST_BYTES = 2_000_000;

/** What a route answers to a question. */
export interface Found<Body extends object = object> {
  readonly body: Body;
  /** Whether it still is what would be answered; left out: it has to be found again each time. */
  readonly holds?: () => boolean;
}

/** How a question that was answered is answered again. */
export interface Again extends Pick<Found, 'holds'> {
  readonly find: () => Promise<Found>;
}

interface Kept extends Required<Again> {
  /** `null`: there was no room for it. */
  readonly answer: EncodedAnswer | null;
}

/** Gives an answer once it is called, which may take a while. */
export type Answering = () => EncodedAnswer | Promise<EncodedAnswer>;

const never = () => false;

/** What was asked, and how it is answered when it is asked again: with what was answered where that still holds. */
export class KeptAnswers {
  /** By path and query, the least recently answered first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The answer to `target`, once it is called; `null` where that was not asked before. */
  find(target: string): Answering | null {
    const kept = this.#kept.get(target);
    if (kept === undefined) return null;
    const { answer, holds } = kept;
    return () => (answer !== null && holds() ? answer : this.#findAgain(target, kept));
  }

  async #findAgain(target: string, { find }: Kept): Promise<EncodedAnswer> {
    const { body, holds } = await find();
    const answer = new EncodedAnswer(JSON.stringify(body));
    this.keep(target, answer, holds === undefined ? { find } : { find, holds });
    return answer;
  }

  /** Keeps `answer` to `target`, and how to `find` the next one. */
  keep(target: string, answer: EncodedAnswer, { find, holds = never }: Again): void {
    const before = this.#kept.get(target);
    if (before !== undefined) this.#drop(target, before);
    const [oldest] = this.#kept;
    if (this.#kept.size >= MOST_ANSWERS && oldest !== undefined) this.#drop(...oldest);
    const fits = holds !== never && this.#bytes + answer.bytes <= MOST_BYTES;
    this.#kept.set(target, { answer: fits ? answer : null, holds, find });
    if (fits) this.#bytes += answer.bytes;
  }

  #drop(target: string, { answer }: Kept): void {
    this.#kept.delete(target);
    this.#bytes -= answer?.bytes ?? 0;
  }
}
