import type { GasClient, ReachQuery } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { formatLikelihood } from '../../core/units.ts';
import { pastFor } from '../commands/now-reach.ts';
import { durationText } from '../duration.ts';
import type { WaitPlan } from './wait-plan.ts';

const DEFAULT_WITHIN_SEC = 3_600;
/** Further ahead takes days of past, which nobody loads for a line of progress. */
const FURTHEST_SEC = 6 * 3_600;
const ASK_AGAIN_MS = 30_000;
/** While the service still reads its past. */
const UNKNOWN_ASK_AGAIN_MS = 3_000;
const LEAST_SEC = 60;

/** How likely the price is reached in the time that is left, as far as the service says. */
export class WaitLikelihood {
  readonly #plan: WaitPlan;
  #askAt = 0;
  #text = '';
  /** A service that does not say it once never will. */
  #isOffered = true;

  constructor(plan: WaitPlan) {
    this.#plan = plan;
  }

  /** How much past the answer needs, seconds. */
  get pastSec(): number {
    return pastFor(this.#question(0));
  }

  text(): string {
    return this.#text;
  }

  /** Asks now and then; a failure leaves it unsaid. */
  async ask(
    client: GasClient,
    { source }: SnapshotView,
    elapsedSec: number,
    signal: AbortSignal,
  ): Promise<void> {
    const now = performance.now();
    // The service counts how often a price came down to one, not how often it went up.
    const isAsked = this.#plan.side === 'below' && source.kind !== 'replay';
    if (!isAsked || !this.#isOffered || now < this.#askAt) return;
    const reach = this.#question(elapsedSec);
    try {
      const said = (await client.gasRecommendation({ reach, signal })).reach;
      if (said === null) this.#isOffered = false;
      const within = durationText(Math.ceil(reach.deadlineSec / LEAST_SEC) * LEAST_SEC);
      this.#text =
        said === null || said.probability === null
          ? ''
          : `${formatLikelihood(said.probability)} likely within ${within}`;
      this.#askAt = now + (this.#text === '' ? UNKNOWN_ASK_AGAIN_MS : ASK_AGAIN_MS);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      this.#text = '';
      this.#askAt = now + ASK_AGAIN_MS;
      this.#isOffered = error.code === 'unreachable' || error.code === 'unavailable';
    }
  }

  #question(elapsedSec: number): ReachQuery {
    const leftSec = (this.#plan.timeoutSec ?? elapsedSec + DEFAULT_WITHIN_SEC) - elapsedSec;
    const deadlineSec = Math.ceil(Math.min(Math.max(leftSec, LEAST_SEC), FURTHEST_SEC));
    return { targetPrice: this.#plan.target, deadlineSec };
  }
}
