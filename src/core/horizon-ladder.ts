import type { AlikeBlocks } from './alike-blocks.ts';
import type { History } from './history.ts';
import { type Forecast, HorizonForecast } from './horizon-forecast.ts';

const HORIZONS_SEC = [300, 900, 3_600, 21_600, 86_400] as const;

/** All horizons, shortest first: none asks for more than a shorter one, whose target serves the longer as well. */
export class HorizonLadder {
  readonly horizons: readonly HorizonForecast[];

  constructor(history: History, alike: AlikeBlocks) {
    this.horizons = HORIZONS_SEC.map((horizonSec) => new HorizonForecast(history, alike, horizonSec));
  }

  push(): void {
    let ceiling = Number.POSITIVE_INFINITY;
    for (const horizon of this.horizons) ceiling = horizon.push(ceiling);
  }

  followHead(): void {
    for (const horizon of this.horizons) horizon.followHead();
  }

  /** Prices fall or stay from each to the next; of equal prices the longer horizon's is no less likely. */
  forecasts(): Forecast[] {
    const found: Forecast[] = [];
    for (const horizon of this.horizons) found.push(horizon.forecast(found.at(-1)));
    return found;
  }
}
