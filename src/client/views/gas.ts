import { GAS_SPEEDS } from '../../contract/choices.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { chainProfile } from '../../core/chains.ts';
import type { Answer } from '../answer.ts';
import { Fields, readCount, readText } from '../fields.ts';

/**
 * What the screens and commands read: one shape, whichever service answered. Wei is `bigint`; times are ms
 * since epoch; what a service did not say is `null`. Statistics that are only drawn are plain numbers, in wei.
 */

export interface LaneView {
  readonly price: bigint;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly withinBlocks: number | null;
  readonly waitSec: { readonly p50: number; readonly p95: number } | null;
  readonly probability: number | null;
}

export interface SnapshotView {
  readonly chainId: number | null;
  readonly blockNumber: number | null;
  readonly blockTimestamp: number | null;
  readonly lanes: Readonly<Record<LaneName, LaneView>>;
  readonly baseFee: bigint;
  readonly nextBaseFee: bigint | null;
  readonly priorityFee: bigint | null;
  readonly blobBaseFee: bigint | null;
  readonly gasUsedRatio: number | null;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  readonly updatedAt: number | null;
  readonly updateFrequencySec: number | null;
  readonly stale: boolean;
  readonly source: {
    /** `service`: a service that does not say what stands behind it. */
    readonly kind: 'rpc' | 'replay' | 'simulated' | 'service';
    readonly name: string;
    readonly problem: { readonly message: string; readonly retryAt: number | null } | null;
    /** A recording that has been played to its end. */
    readonly ended: boolean;
    readonly chainName: string | null;
    /** When the chain began anew, so that what was known of it before is dropped. */
    readonly restartedAt: number | null;
  };
}

/** The chain's name as its service says it, else by its id; `null` where the service does not say which chain it is. */
export function chainNameOf({ chainId, source }: Pick<SnapshotView, 'chainId' | 'source'>): string | null {
  return source.chainName ?? (chainId === null ? null : chainProfile(chainId).name);
}

export interface SummaryView {
  readonly now: bigint;
  readonly min: bigint;
  readonly p25: bigint | null;
  readonly median: bigint | null;
  readonly p75: bigint | null;
  readonly max: bigint;
}

export interface TrendView {
  /** `RISING`, `FALLING`, `STABLE`, or the service's own word. */
  readonly direction: string;
  readonly changeRatio: number | null;
  readonly base: SummaryView | null;
  readonly priority: SummaryView | null;
  readonly percentileRank24h: number | null;
  readonly congestion: number | null;
  readonly baseFeeFan: readonly {
    readonly blocksAhead: number;
    readonly min: bigint;
    readonly expected: bigint;
    readonly max: bigint;
  }[];
  readonly updatedAt: number | null;
}

export interface HorizonView {
  readonly horizonSec: number;
  readonly price: bigint;
  readonly probability: number | null;
  readonly savingRatio: number | null;
}

/** How likely a price is reached within a time. */
export interface ReachView {
  readonly targetPrice: bigint | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  /** Why there is no probability. */
  readonly reason: string | null;
}

/** How advice of one kind has held. */
export interface WaitTrackView {
  readonly evaluated: number;
  readonly hitRatio: number | null;
  readonly statedProbability: number | null;
  /** When the oldest of them was given. */
  readonly since: number | null;
  readonly versions: readonly number[];
}

export interface RecommendationView {
  /** `SEND_NOW`, `WAIT`, `SET_ALERT`, or the service's own word. */
  readonly action: string;
  readonly lane: string | null;
  readonly targetPrice: bigint | null;
  readonly expectedWaitSec: number | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  readonly expectedSavingRatio: number | null;
  readonly confidence: number | null;
  readonly reasons: readonly string[];
  readonly alternatives: readonly HorizonView[];
  readonly track: {
    readonly evaluated: number;
    readonly hitRatio: number | null;
    readonly statedProbability: number | null;
    /** `said`: given by the service; `walked`: what its method would have said; or the service's own word. */
    readonly from: string | null;
    /** When the oldest of them was given. */
    readonly since: number | null;
    /** Versions of the method among them; empty where the service has no such thing. */
    readonly versions: readonly number[];
    readonly unjudged: number | null;
    /** Of advice to wait or to set an alert alone; `null` where the service does not count it apart. */
    readonly waits: WaitTrackView | null;
  } | null;
  /** Of the price that was asked about. */
  readonly reach: ReachView | null;
  readonly validUntil: number | null;
  readonly updatedAt: number | null;
}

/** Whether its source could not be reached since, so that nobody knows what the prices are now. A chain that makes no block stands still instead. */
export function isPast({ stale, source: { problem } }: Pick<SnapshotView, 'stale' | 'source'>): boolean {
  return stale && problem !== null && problem.retryAt !== null;
}

/** The names of a lane's price at the top of a snapshot, the contract's first. */
const PRICE_NAMES: Readonly<Record<LaneName, readonly string[]>> = {
  slow: ['lowPrice', 'low', 'slowPrice', 'slow'],
  average: ['averagePrice', 'average', 'avgPrice'],
  fast: ['highPrice', 'high', 'fastPrice', 'fast'],
};
const BASE_NAMES = ['basePrice', 'base', 'baseFee', 'baseFeePerGas'] as const;

/** `GET /gas/current`. Required: a price for each lane and the base fee; the rest is `null` where it is not said. */
export function readSnapshot(answer: Answer): SnapshotView {
  const fields = new Fields(
    answer,
    answer.record([...LANES.flatMap((lane) => withUnits(PRICE_NAMES[lane])), 'lanes'], 'lowPrice'),
  );
  const lanes = fields.child('lanes');
  return {
    chainId: fields.count('chainId'),
    blockNumber: fields.count('blockNumber', 'block'),
    blockTimestamp: fields.time('blockTimestamp', 'blockTime'),
    lanes: {
      slow: readLane(fields, lanes, 'slow'),
      average: readLane(fields, lanes, 'average'),
      fast: readLane(fields, lanes, 'fast'),
    },
    baseFee: fields.requiredFee(...BASE_NAMES),
    nextBaseFee: fields.fee('nextBasePrice', 'nextBaseFee'),
    priorityFee: fields.fee('priorityPrice', 'priorityFee', 'priority', 'tip'),
    blobBaseFee: fields.fee('blobBasePrice', 'blobBaseFee'),
    gasUsedRatio: fields.ratio('gasUsedRatio'),
    nativeUsd: fields.amount('nativeUsd'),
    updatedAt: fields.time('updatedAt', 'timestamp', 'lastUpdated'),
    updateFrequencySec: fields.amount('updateFrequencySec'),
    stale: fields.flag('stale') ?? false,
    source: readSource(fields.child('source'), answer.host),
  };
}

function withUnits(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [name, `${name}Gwei`, `${name}Wei`]);
}

function readLane(snapshot: Fields, lanes: Fields | null, name: LaneName): LaneView {
  const lane = lanes?.child(name) ?? null;
  const waitSec = lane?.child('waitSec') ?? null;
  const p50 = waitSec?.amount('p50') ?? null;
  const p95 = waitSec?.amount('p95') ?? null;
  return {
    price: lane?.fee('price') ?? snapshot.requiredFee(...PRICE_NAMES[name]),
    maxFeePerGas: lane?.fee('maxFeePerGas') ?? null,
    maxPriorityFeePerGas: lane?.fee('maxPriorityFeePerGas') ?? null,
    withinBlocks: lane?.count('withinBlocks') ?? null,
    waitSec: p50 === null || p95 === null ? null : { p50, p95 },
    probability: lane?.ratio('probability') ?? null,
  };
}

function readSource(source: Fields | null, host: string): SnapshotView['source'] {
  const kind = source?.text('kind');
  const problem = source?.child('problem') ?? null;
  return {
    kind: kind === 'rpc' || kind === 'replay' || kind === 'simulated' ? kind : 'service',
    name: source?.text('name') ?? host,
    problem:
      problem === null
        ? null
        : {
            message: problem.text('message') ?? 'the source gives nothing new',
            retryAt: problem.time('retryAt'),
          },
    ended: source?.flag('ended') ?? false,
    chainName: source?.text('chainName') ?? null,
    restartedAt: source?.time('restartedAt') ?? null,
  };
}

const DIRECTIONS = ['RISING', 'FALLING', 'STABLE'];
const DIRECTION_NAMES = ['direction', 'trendDirection', 'trend'] as const;

/** `GET /gas/trend`. Required: the direction. */
export function readTrend(answer: Answer): TrendView {
  const fields = new Fields(answer, answer.record(DIRECTION_NAMES, 'direction'));
  return {
    direction: fields.requiredWord(DIRECTIONS, ...DIRECTION_NAMES),
    changeRatio: fields.number('changeRatio'),
    base: readSummary(fields.child('base')),
    priority: readSummary(fields.child('priority')),
    percentileRank24h: fields.ratio('percentileRank24h'),
    congestion: fields.ratio('congestion'),
    baseFeeFan: fields.children('baseFeeFan').flatMap((step) => {
      const blocksAhead = step.count('blocksAhead');
      const [min, expected, max] = [step.fee('min'), step.fee('expected'), step.fee('max')];
      return blocksAhead === null || min === null || expected === null || max === null
        ? []
        : [{ blocksAhead, min, expected, max }];
    }),
    updatedAt: fields.time('updatedAt', 'timestamp'),
  };
}

function readSummary(fields: Fields | null): SummaryView | null {
  if (fields === null) return null;
  const [now, min, max] = [fields.fee('now', 'current'), fields.fee('min'), fields.fee('max')];
  if (now === null || min === null || max === null) return null;
  return {
    now,
    min,
    p25: fields.fee('p25'),
    median: fields.fee('median', 'p50'),
    p75: fields.fee('p75'),
    max,
  };
}

const ACTIONS = ['SEND_NOW', 'WAIT', 'SET_ALERT'];
const ACTION_NAMES = ['action', 'recommendation', 'recommendedAction'] as const;

/** `GET /gas/recommendation`. Required: the action. */
export function readRecommendation(answer: Answer): RecommendationView {
  const fields = outermostWithAction(new Fields(answer, answer.record(ACTION_NAMES, 'action')));
  const confidence = fields.amount('confidence');
  return {
    action: fields.requiredWord(ACTIONS, ...ACTION_NAMES),
    lane: fields.word(GAS_SPEEDS, 'lane', 'gasSpeed'),
    targetPrice: fields.fee('targetPrice'),
    expectedWaitSec: fields.amount('expectedWaitSec'),
    deadlineSec: fields.amount('deadlineSec'),
    probability: fields.ratio('probability'),
    expectedSavingRatio: fields.number('expectedSavingRatio'),
    confidence: confidence !== null && confidence <= 100 ? confidence : null,
    reasons: readReasons(fields),
    alternatives: fields.children('alternatives').flatMap((row) => {
      const horizonSec = row.amount('horizonSec');
      const price = row.fee('price');
      if (horizonSec === null || price === null) return [];
      return [
        { horizonSec, price, probability: row.ratio('probability'), savingRatio: row.number('savingRatio') },
      ];
    }),
    track: readTrack(fields.child('track')),
    reach: readReach(fields.child('reach')),
    validUntil: fields.time('validUntil'),
    updatedAt: fields.time('updatedAt', 'timestamp'),
  };
}

/** `{ recommendation: { action } }` is as usual as `{ recommendation: "WAIT" }`. */
function outermostWithAction(fields: Fields): Fields {
  return fields.text('action') === null ? (fields.inside('recommendation') ?? fields) : fields;
}

function readReasons(fields: Fields): readonly string[] {
  const one = fields.text('reason', 'message');
  const many = fields.list('reasons').map(readText);
  return [...many, many.length === 0 ? one : null].filter((reason) => reason !== null);
}

function readTrack(fields: Fields | null): RecommendationView['track'] {
  const counted = readCounted(fields);
  return fields === null || counted === null
    ? null
    : {
        ...counted,
        from: fields.text('from'),
        unjudged: fields.count('unjudged'),
        waits: readCounted(fields.child('waits')),
      };
}

function readCounted(fields: Fields | null): WaitTrackView | null {
  const evaluated = fields?.count('evaluated') ?? null;
  return fields === null || evaluated === null
    ? null
    : {
        evaluated,
        hitRatio: fields.ratio('hitRatio'),
        statedProbability: fields.ratio('statedProbability'),
        since: fields.time('since'),
        versions: fields
          .list('versions')
          .map(readCount)
          .filter((version) => version !== null),
      };
}

function readReach(fields: Fields | null): RecommendationView['reach'] {
  return fields === null
    ? null
    : {
        targetPrice: fields.fee('targetPrice', 'target'),
        deadlineSec: fields.amount('deadlineSec'),
        probability: fields.ratio('probability'),
        reason: fields.text('reason', 'message'),
      };
}
