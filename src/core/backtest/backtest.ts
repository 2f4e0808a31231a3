import { type Advice, eachLane, LANES, type LaneName } from '../advice.ts';
import type { Block, BlockTips } from '../block.ts';
import { type FeeRule, gasUsedRatioFromBaseFees } from '../eip1559.ts';
import { FeeEngine } from '../engine/fee-engine.ts';
import { NaiveRule, PEERS } from './baselines.ts';
import {
  AdviceColumns,
  type HorizonScore,
  judgeHorizon,
  judgeWaits,
  type LaneOffering,
  type LaneReport,
  reportLane,
  type WaitScore,
} from './judge.ts';
import { OfferColumn, Past } from './past.ts';

export interface BacktestReport {
  readonly stretch: StretchFacts;
  /** Range of the judged advice; the engine learns from the blocks before it, and blocks after it only judge. */
  readonly judged: { readonly from: number; readonly to: number; readonly blocks: number };
  /** Fast, Average, Slow. */
  readonly lanes: readonly LaneReport[];
  /** Shortest first. */
  readonly horizons: readonly HorizonScore[];
  /** Horizons in seconds that could not be judged: nothing was stated, or none ended within the recording. */
  readonly unjudgedHorizons: readonly number[];
  /** Scores of each kind of waiting advice that was given and could be judged. */
  readonly waits: readonly WaitScore[];
}

/** The advice at one block, to be scored by the caller. */
export interface Prediction {
  readonly block: number;
  readonly advice: Advice;
}

interface BacktestStep {
  /** Share of the work done, 0 to 1. */
  readonly done: number;
  /** The advice at the current block, if that block is judged. */
  readonly prediction: Prediction | null;
}

export interface BacktestOptions {
  /** In order. A gap counts as an interruption: the engine starts anew after it. */
  readonly blocks: readonly Block[];
  readonly feeRule: FeeRule;
  /** First and last block number whose advice is judged. */
  readonly from?: number;
  readonly to?: number;
}

const NO_TIPS: BlockTips = [0n, 0n, 0n, 0n, 0n, 0n, 0n];
/** Share of the work that is the walk; the rest is judging. */
const WALK_SHARE = 0.9;

/**
 * Walks a recording block by block: the engine and all other rules see each block and advise before they see the
 * next; then all advice is judged. Yields after every block, and while it judges.
 * @throws RangeError for no blocks.
 */
export function* backtest(options: BacktestOptions): Generator<BacktestStep, BacktestReport> {
  const { blocks, feeRule, from = 0, to = Number.POSITIVE_INFINITY } = options;
  const stretch = stretchFacts(blocks, feeRule);
  const engine = new FeeEngine({ feeRule });
  const isTipless = stretch.withTips === 0;
  const past = new Past(blocks.length);
  const advised = new AdviceColumns(blocks.length);
  const others = new Offerings(blocks.length);
  const given: number[] = [];
  for (const run of runsOf(blocks)) {
    engine.rewindTo(-1);
    others.begin(run.length);
    const known = new Past(run.length);
    for (const block of run) {
      // A recording of base fees alone is judged as if every block accepted a tip of 0.
      engine.push(isTipless ? { ...block, tips: NO_TIPS } : block);
      const advice = engine.advice();
      const at = past.length;
      const next = Number(advice?.nextBaseFee ?? block.baseFeePerGas);
      past.push(block, next);
      known.push(block, next);
      others.ask(known, at);
      const isJudged = advice !== null && block.number >= from && block.number <= to;
      if (isJudged) {
        given.push(at);
        advised.put(at, advice);
      }
      const prediction = isJudged ? { block: block.number, advice } : null;
      yield { done: (WALK_SHARE * (at + 1)) / blocks.length, prediction };
    }
  }
  const lanes: LaneReport[] = [];
  for (const lane of LANES.toReversed()) {
    lanes.push(reportLane(past, advised, given, others.of(lane), lane));
    yield { done: WALK_SHARE + ((1 - WALK_SHARE) * lanes.length) / (LANES.length + 1), prediction: null };
  }
  const horizons = advised.horizons.flatMap(
    (sec) => judgeHorizon(past, (at) => advised.target(sec, at), given, sec) ?? [],
  );
  return {
    stretch,
    judged: {
      from: Math.max(from, stretch.firstBlock),
      to: Math.min(to, stretch.lastBlock),
      blocks: given.length,
    },
    lanes,
    horizons,
    unjudgedHorizons: advised.horizons.filter(
      (sec) => !horizons.some(({ horizonSec }) => horizonSec === sec),
    ),
    waits: judgeWaits(past, advised.waits, given.length),
  };
}

function runsOf(blocks: readonly Block[]): Block[][] {
  const runs: Block[][] = [];
  let newest = Number.NaN;
  for (const block of blocks) {
    if (block.number === newest + 1) runs.at(-1)?.push(block);
    else runs.push([block]);
    newest = block.number;
  }
  return runs;
}

/** The figures of a recording. Wei per gas; Unix seconds. */
export interface StretchFacts {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly blocks: number;
  /** Number of gaps between blocks. */
  readonly gaps: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly baseFee: { readonly lowest: bigint; readonly median: bigint; readonly highest: bigint };
  readonly withTips: number;
  /** `counted`: gas and limit; `ratio`: their ratio only; `derived`: from the base fees, by inverting EIP-1559. */
  readonly gasUsed: 'counted' | 'ratio' | 'derived';
}

/** @throws RangeError for no blocks. */
function stretchFacts(blocks: readonly Block[], rule: FeeRule): StretchFacts {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a stretch has blocks');
  const fees = blocks.map((block) => block.baseFeePerGas).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    firstBlock: first.number,
    lastBlock: last.number,
    blocks: blocks.length,
    gaps: runsOf(blocks).length - 1,
    firstTime: first.timestamp,
    lastTime: last.timestamp,
    baseFee: {
      lowest: fees[0] ?? 0n,
      median: fees[fees.length >> 1] ?? 0n,
      highest: fees.at(-1) ?? 0n,
    },
    withTips: blocks.filter((block) => block.tips !== null).length,
    gasUsed: gasUsedOf(blocks, rule),
  };
}

function gasUsedOf(blocks: readonly Block[], rule: FeeRule): StretchFacts['gasUsed'] {
  if (blocks.every((block) => block.gasUsed !== null)) return 'counted';
  // Exact equality: no measured ratio has that.
  const isDerived = blocks.every((block, index) => {
    const next = blocks[index + 1];
    if (next?.number !== block.number + 1 || block.gasUsed !== null) return true;
    return block.gasUsedRatio === gasUsedRatioFromBaseFees(block.baseFeePerGas, next.baseFeePerGas, rule);
  });
  return isDerived ? 'derived' : 'ratio';
}

/** The offers of every peer and the naive rule at every block. */
export class Offerings {
  #naiveRule: NaiveRule;
  readonly #naive: OfferColumn;
  readonly #peers: ReadonlyMap<string, Readonly<Record<LaneName, OfferColumn>>>;

  /** @param length number of blocks to walk. */
  constructor(length: number) {
    this.#naiveRule = new NaiveRule(length);
    this.#naive = new OfferColumn(length);
    this.#peers = new Map(PEERS.map(({ name }) => [name, eachLane(() => new OfferColumn(length))]));
  }

  /** Resets the rules after a gap. @param length number of blocks up to the next gap. */
  begin(length: number): void {
    this.#naiveRule = new NaiveRule(length);
  }

  /** Records the offer of each rule at the newest block of `past`, whose index is `at`; blocks come in sequence. */
  ask(past: Past, at = past.length - 1): void {
    for (const peer of PEERS) {
      const offers = peer.offers(past);
      for (const lane of LANES) this.#peers.get(peer.name)?.[lane].put(at, offers[lane]);
    }
    this.#naive.put(at, this.#naiveRule.offer(past));
  }

  /** Only Slow waits, so the naive rule applies to Slow alone. */
  of(lane: LaneName): LaneOffering[] {
    const peers = [...this.#peers].map(([rule, columns]) => ({
      rule,
      kind: 'peer' as const,
      offers: columns[lane],
    }));
    return lane === 'slow' ? [...peers, { rule: 'naive rule', kind: 'naive', offers: this.#naive }] : peers;
  }
}
