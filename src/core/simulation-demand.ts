import { exponential, NOISE, normal, remembering, smoothNoise, uniform } from './simulation-noise.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const WEEK = 7 * DAY;

/** Gwei around which everything happens: the sub-gwei mainnet of 2026. */
const TYPICAL_GWEI = 0.11;

/** A regime lasts about so long; then demand settles at another level within minutes. */
const REGIME_SEC = 40 * HOUR;
const SHIFT_SEC = 30 * MINUTE;

/** A kind of event that multiplies demand at once and fades: at most one per cell of time. */
interface BurstKind {
  readonly purpose: typeof NOISE.burst | typeof NOISE.flurry;
  readonly cellSec: number;
  readonly probability: number;
  /** Logarithms of the height: the least, the mean above it, the most. */
  readonly least: number;
  readonly mean: number;
  readonly most: number;
  /** Shortest and longest time to fall to a third. */
  readonly fadeSec: readonly [number, number];
}

/** A mint, a launch, a crash: rare, up to fifty times the usual price. */
const BURST: BurstKind = {
  purpose: NOISE.burst,
  cellSec: 6 * HOUR,
  probability: 0.4,
  least: 0.9,
  mean: 0.75,
  most: 3.9,
  fadeSec: [4 * MINUTE, 40 * MINUTE],
};
/** Liquidations, a popular trade: all the time, small. */
const FLURRY: BurstKind = {
  purpose: NOISE.flurry,
  cellSec: 30 * MINUTE,
  probability: 0.35,
  least: 0.2,
  mean: 0.25,
  most: 1.2,
  fadeSec: [1 * MINUTE, 4 * MINUTE],
};

/** How many cells a burst may outlast its own. */
const CELLS_BACK = 2;

/** No burst begins so late in a UTC day that its height could not be reached before the day ends. */
const QUIET_BEFORE_MIDNIGHT_SEC = 20 * MINUTE;

/**
 * The base fee at which blocks would be exactly at their target at a time (Unix seconds), in gwei: daily and
 * weekly cycles, regimes, drift and bursts. The answers are a function of seed and time alone.
 */
export function createFairGwei(seed: number): (time: number) => number {
  const regime = regimes(seed, NOISE.regime);
  const restlessness = regimes(seed, NOISE.restlessness);
  const tide = smoothNoise(seed, NOISE.tide);
  const swell = smoothNoise(seed, NOISE.swell);
  const ripple = smoothNoise(seed, NOISE.ripple);
  const burst = bursts(seed, BURST);
  const flurry = bursts(seed, FLURRY);
  return (time) => {
    const restless = Math.exp(0.5 * restlessness(time));
    const level =
      dailyCycle(time) +
      weeklyCycle(time) +
      0.4 * regime(time) +
      0.3 * tide(time / (8 * HOUR)) +
      0.16 * restless * swell(time / (45 * MINUTE)) +
      0.07 * restless * ripple(time / (5 * MINUTE));
    return TYPICAL_GWEI * Math.exp(level + burst(time) + flurry(time));
  };
}

/** Highest in the American afternoon, lowest in the European early morning. */
function dailyCycle(time: number): number {
  const angle = (2 * Math.PI * ((time % DAY) - 17 * HOUR)) / DAY;
  return 0.3 * Math.cos(angle) + 0.08 * Math.cos(2 * angle);
}

/** Highest on Wednesdays, lowest around Sunday. Unix time began on a Thursday. */
function weeklyCycle(time: number): number {
  return 0.16 * Math.cos((2 * Math.PI * ((time % WEEK) - 6.5 * DAY)) / WEEK);
}

/** Normal, the same for a day or two, then another within minutes. */
function regimes(seed: number, purpose: typeof NOISE.regime | typeof NOISE.restlessness) {
  const regime = remembering((cell) => ({
    before: normal(seed, purpose, cell - 1),
    after: normal(seed, purpose, cell),
    // Level and restlessness change together.
    shiftAt: (cell + 0.1 + 0.8 * uniform(seed, NOISE.regime, cell, 3)) * REGIME_SEC,
  }));
  return (time: number): number => {
    const { before, after, shiftAt } = regime(Math.floor(time / REGIME_SEC));
    const shifted = Math.min(Math.max((time - shiftAt) / SHIFT_SEC, 0), 1);
    return before * (1 - shifted) + after * shifted;
  };
}

interface Burst {
  readonly start: number;
  /** What it adds to the factor on demand at its start. */
  readonly height: number;
  readonly fadeSec: number;
}

/** Logarithm of the factor that bursts of one kind put on demand. */
function bursts(seed: number, kind: BurstKind) {
  const inCell = (cell: number): Burst | null => {
    const { purpose, cellSec, fadeSec } = kind;
    if (uniform(seed, purpose, cell, 0) > kind.probability) return null;
    let start = (cell + uniform(seed, purpose, cell, 1)) * cellSec;
    const beforeMidnight = DAY - (start % DAY);
    if (beforeMidnight < QUIET_BEFORE_MIDNIGHT_SEC) start -= QUIET_BEFORE_MIDNIGHT_SEC - beforeMidnight;
    const log = Math.min(kind.least + kind.mean * exponential(seed, purpose, cell, 2), kind.most);
    const fade = fadeSec[0] * (fadeSec[1] / fadeSec[0]) ** uniform(seed, purpose, cell, 3);
    return { start, height: Math.expm1(log), fadeSec: fade };
  };
  // The last cells from `cell` back: an older burst has faded.
  const around = remembering((cell) =>
    Array.from({ length: CELLS_BACK + 1 }, (_, i) => inCell(cell - i)).filter((burst) => burst !== null),
  );
  return (time: number): number => {
    let height = 0;
    for (const burst of around(Math.floor(time / kind.cellSec))) {
      if (time >= burst.start) height += burst.height * Math.exp((burst.start - time) / burst.fadeSec);
    }
    return Math.log1p(height);
  };
}
