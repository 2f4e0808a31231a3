import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import type { Present } from '../answers/gas-answers.ts';
import type { EncodedAnswer } from './encoded-answer.ts';
import type { ServiceState } from './service-state.ts';

/** Routes without parameters that are answered from what is known now and from nothing else. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(
  [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.statsCurrent].map(
    (path) => BASE_PATH + path,
  ),
);

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

  /** What an answer to `path` would be made of now; `null` where it is made of more, or there is nothing yet. */
  moment(path: string): Present | null {
    return OF_THE_MOMENT.has(path) ? this.#state.moment() : null;
  }

  /** The answer that was given before, if nothing has changed since. */
  find(path: string): EncodedAnswer | null {
    const moment = this.moment(path);
    const known = this.#remembered.get(path);
    return moment !== null && known !== undefined && isSameMoment(known.moment, moment) ? known.answer : null;
  }

  /** Keeps what was made of `moment`, unless something changed meanwhile. */
  keep(path: string, moment: Present, answer: EncodedAnswer): void {
    const after = this.moment(path);
    if (after !== null && isSameMoment(moment, after)) this.#remembered.set(path, { moment, answer });
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
