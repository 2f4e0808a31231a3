import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import {
  gasCurrent,
  gasRecommendation,
  gasTrend,
  type Present,
  statsCurrent,
} from '../answers/gas-answers.ts';
import { EncodedAnswer } from './encoded-answer.ts';
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

  constructor(state: Pick<ServiceState, 'moment'>) {
    this.#state = state;
  }

  /** The answer to `path`, made where anything has changed; `null` where it is made of more, or there is nothing yet. */
  find(path: string): EncodedAnswer | null {
    const make = OF_THE_MOMENT.get(path);
    const moment = make === undefined ? null : this.#state.moment();
    if (make === undefined || moment === null) return null;
    const known = this.#remembered.get(path);
    if (known !== undefined && isSameMoment(known.moment, moment)) return known.answer;
    const answer = new EncodedAnswer(JSON.stringify(make(moment)));
    this.#remembered.set(path, { moment, answer });
    return answer;
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
