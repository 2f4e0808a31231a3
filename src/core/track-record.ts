import type { Recommendation } from './advice.ts';
import type { Decision } from './decision.ts';
import type { Column, History } from './history.ts';
import type { HorizonForecast } from './horizon-forecast.ts';
import type { LaneScorer } from './lane-scorer.ts';

/** Recommendations that are scored, and how far back they are looked for while younger ones are still running. */
const SCORED = 100;
const LOOK_BACK_BLOCKS = 8_192;
const SEND_NOW = -1;

/** Remembers what was recommended at each block and scores those whose time is over. */
export class TrackRecord {
  readonly #history: History;
  readonly #sent: LaneScorer;
  readonly #horizons: readonly HorizonForecast[];
  /** Index of the horizon that was to be waited for, -1 for sending now. */
  readonly #choice: Column;
  /** Probability that was stated, `NaN` for none. */
  readonly #stated: Column;

  constructor(history: History, sent: LaneScorer, horizons: readonly HorizonForecast[]) {
    this.#history = history;
    this.#sent = sent;
    this.#horizons = horizons;
    this.#choice = history.column(LOOK_BACK_BLOCKS);
    this.#stated = history.column(LOOK_BACK_BLOCKS);
  }

  /** Remembers the head's recommendation. */
  record({ forecast }: Decision): void {
    const { head } = this.#history;
    const choice = this.#horizons.findIndex(({ horizonSec }) => horizonSec === forecast?.horizonSec);
    const stated = forecast === null ? this.#sent.chance.probability : forecast.waitProbability;
    this.#choice.put(head, forecast === null ? SEND_NOW : choice);
    this.#stated.put(head, stated ?? Number.NaN);
  }

  /** The last hundred that stated a probability and have ended: what was stated and what was kept. */
  score(): Recommendation['track'] {
    const { head, oldest } = this.#history;
    const until = Math.max(head - LOOK_BACK_BLOCKS + 1, oldest);
    let evaluated = 0;
    let kept = 0;
    let stated = 0;
    for (let block = head; block >= until && evaluated < SCORED; block -= 1) {
      const probability = this.#stated.at(block);
      if (Number.isNaN(probability)) continue;
      const outcome = this.#outcome(block);
      if (outcome === null) continue;
      evaluated += 1;
      kept += outcome ? 1 : 0;
      stated += probability;
    }
    if (evaluated === 0) return { evaluated, hitRatio: null, statedProbability: null };
    return { evaluated, hitRatio: kept / evaluated, statedProbability: stated / evaluated };
  }

  #outcome(block: number): boolean | null {
    const choice = this.#choice.at(block);
    if (choice !== SEND_NOW) return this.#horizons[choice]?.reachedAt(block) ?? null;
    if (block + this.#sent.withinBlocks > this.#history.head) return null;
    return this.#sent.keptAt(block) === 1;
  }
}
