import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import {
  gasCurrent,
  gasRecommendation,
  gasTrend,
  type Present,
  statsCurrent,
} from '../answers/gas-answers.ts';
import { EncodedAnswer } from './encoded-answer.ts';
import { type Again, type Answering, KeptAnswers } from './kept-answers.ts';
import type { ServiceState } from './service-state.ts';

/** Routes without parameters that are answered from what is known now and from nothing else. */
const OF_THE_MOMENT = new Map<string, (present: Present) => object>([
  [BASE_PATH + PATHS.gasCurrent, gasCurrent],
  [BASE_PATH + PATHS.gasTrend, gasTrend],
  [BASE_PATH + PATHS.gasRecommendation, (present) => gasRecommendation(present)],
  [BASE_PATH + PATHS.statsCurrent, statsCurrent],
]);

interface Remembered {
  readonly moment: Present;
  readonly answer: EncodedAnswer;
}

/** Everybody asks for the same few answers between two blocks, so those are encoded once per block. */
export class RememberedAnswers {
  readonly #state: Pick<ServiceState, 'moment'>;
  readonly #remembered = new Map<string, Remembered>();
  readonly #kept = new KeptAnswers();

  constructor(state: Pick<ServiceState, 'moment'>) {
    this.#state = state;
  }

  /**
   * What answers `target`, a path with its query, once it is called; `null` where the router has to, or there is nothing
   * yet.
   */
  find(target: string): Answering | null {
    const make = OF_THE_MOMENT.get(target);
    if (make === undefined) return this.#kept.find(target);
    const moment = this.#state.moment();
    if (moment === null) return null;
    const answer = this.#of(moment, target, make);
    return () => answer;
  }

  #of(moment: Present, target: string, make: (present: Present) => object): EncodedAnswer {
    const known = this.#remembered.get(target);
    if (known !== undefined && isSameMoment(known.moment, moment)) return known.answer;
    const answer = new EncodedAnswer(JSON.stringify(make(moment)));
    this.#remembered.set(target, { moment, answer });
    return answer;
  }

  /** Keeps what was answered to whoever asked for `target` without a key, and how to find what is answered next. */
  keep(target: string, answer: EncodedAnswer, again: Again): void {
    this.#kept.keep(target, answer, again);
  }
}

function isSameMoment(one: Present, other: Present): boolean {
  return (
    one.advice === other.advice &&
    one.said === other.said &&
    one.head === other.head &&
    one.profile === other.profile &&
    one.updatedAt === other.updatedAt &&
    one.stale === other.stale &&
    one.ended === other.ended &&
    one.nativeUsd === other.nativeUsd &&
    one.source.name === other.source.name &&
    one.problem?.message === other.problem?.message &&
    one.problem?.retryAt === other.problem?.retryAt
  );
}
