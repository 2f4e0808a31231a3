import * as z from 'zod';
import { BlockNumber, Ratio, Seconds, Timestamp, Wei } from './primitives.ts';

export const Lane = z.strictObject({
  price: Wei,
  maxFeePerGas: Wei,
  maxPriorityFeePerGas: Wei,
  withinBlocks: z.int().min(1),
  waitSec: z.strictObject({ p50: Seconds, p95: Seconds }),
  probability: Ratio.nullable(),
});
export type Lane = z.infer<typeof Lane>;

export const SourceKind = z.enum(['rpc', 'replay', 'simulated']);
export type SourceKind = z.infer<typeof SourceKind>;

/** `GET /gas/current` */
export const GasCurrent = z.strictObject({
  chainId: z.int().min(0),
  blockNumber: BlockNumber,
  blockTimestamp: Timestamp,
  lowPrice: Wei,
  averagePrice: Wei,
  highPrice: Wei,
  basePrice: Wei,
  priorityPrice: Wei,
  nextBasePrice: Wei,
  blobBasePrice: Wei.nullable(),
  gasUsedRatio: Ratio,
  lanes: z.strictObject({ slow: Lane, average: Lane, fast: Lane }),
  nativeUsd: z.number().min(0).nullable(),
  /** Wall-clock time at which the service digested its last block. */
  updatedAt: Timestamp,
  updateFrequencySec: Seconds,
  stale: z.boolean(),
  source: z.strictObject({
    kind: SourceKind,
    /** Short, for people: `3 nodes agree`, `127.0.0.1:8545`, `blocks.csv`. Never a whole URL. */
    name: z.string(),
    /** Why the source gives nothing new, and when it is asked again; `null` while it is well. */
    problem: z.strictObject({ message: z.string(), retryAt: Timestamp.nullable() }).nullable(),
    /** A recording that has been played to its end: nothing new will come, and that is no fault. */
    ended: z.boolean(),
  }),
});
export type GasCurrent = z.infer<typeof GasCurrent>;

export const Summary = z.strictObject({ now: Wei, min: Wei, p25: Wei, median: Wei, p75: Wei, max: Wei });
export type Summary = z.infer<typeof Summary>;

/** `GET /gas/trend` */
export const GasTrend = z.strictObject({
  window: z.literal('1h'),
  direction: z.enum(['RISING', 'FALLING', 'STABLE']),
  changeRatio: z.number(),
  base: Summary,
  priority: Summary,
  percentileRank24h: Ratio,
  congestion: Ratio,
  baseFeeFan: z.array(
    z.strictObject({ blocksAhead: z.int().min(1).max(5), min: Wei, expected: Wei, max: Wei }),
  ),
  updatedAt: Timestamp,
});
export type GasTrend = z.infer<typeof GasTrend>;

/** `GET /gas/recommendation` */
export const GasRecommendation = z.strictObject({
  action: z.enum(['SEND_NOW', 'WAIT', 'SET_ALERT']),
  lane: z.enum(['SLOW', 'AVERAGE', 'FAST']),
  targetPrice: Wei,
  expectedWaitSec: Seconds,
  deadlineSec: Seconds,
  probability: Ratio.nullable(),
  expectedSavingRatio: z.number(),
  confidence: z.number().min(0).max(100),
  reasons: z.array(z.string()),
  alternatives: z.array(
    z.strictObject({
      horizonSec: Seconds,
      price: Wei,
      probability: Ratio.nullable(),
      savingRatio: z.number(),
    }),
  ),
  track: z.strictObject({
    evaluated: z.int().min(0),
    hitRatio: Ratio.nullable(),
    statedProbability: Ratio.nullable(),
  }),
  validUntil: Timestamp,
  updatedAt: Timestamp,
});
export type GasRecommendation = z.infer<typeof GasRecommendation>;
