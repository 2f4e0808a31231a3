import { EncodedAnswer } from './encoded-answer.ts';

/** More questions are not asked again and again. */
const MOST_ANSWERS = 64;
/** A few megabytes: lists of many pages are asked for seldom. */
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
  readonly answer: EncodedAnswer;
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
    return () => (kept.holds() ? kept.answer : this.#findAgain(target, kept));
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
    this.#kept.set(target, { answer, holds, find });
    this.#bytes += answer.bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= MOST_BYTES && this.#kept.size <= MOST_ANSWERS) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(target: string, { answer }: Kept): void {
    this.#kept.delete(target);
    this.#bytes -= answer.bytes;
  }
}
