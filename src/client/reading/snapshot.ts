import { LANES, type LaneName } from '../../core/advice.ts';
import type { LaneView, SnapshotView } from '../views/gas.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';

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
