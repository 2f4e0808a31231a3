import * as z from 'zod';
import { GasCurrent, GasRecommendation, GasTrend, PriceSummary } from '../../contract/gas.ts';
import { lenient, said } from '../lenient.ts';

/** Views: one shape for all services. Wei is `bigint`, times ms, absent fields `null`; drawn statistics are numbers. */

const { slow } = GasCurrent.shape.lanes.shape;
const Lane = lenient(
  slow.omit({ reason: true }).extend({ waitSec: lenient(slow.shape.waitSec, 'p50', 'p95') }),
);

const lane = (wire: z.infer<typeof Lane> | null | undefined, price: bigint) => {
  const known = wire ?? Lane.parse({});
  return { ...known, price: known.price ?? price };
};

const KINDS = ['rpc', 'replay', 'simulated'] as const;

/** `GET /gas/current`. Required: a price for each lane and the base fee. */
export const Snapshot = lenient(
  GasCurrent.extend({ lanes: lenient(z.object({ slow: Lane, average: Lane, fast: Lane })) }),
  ...(['lowPrice', 'averagePrice', 'highPrice', 'basePrice'] as const),
).transform(({ lanes, source, lowPrice, averagePrice, highPrice, basePrice, priorityPrice, ...rest }) => {
  const { nextBasePrice, floorPrice, blobBasePrice, gasUsedRatio, ...wire } = rest;
  return {
    ...wire,
    // Both tell of each other: where a recording ends without the next base fee, its fullness is a guess.
    gasUsedRatio: source?.ended === true && nextBasePrice === null ? null : gasUsedRatio,
    lanes: {
      slow: lane(lanes?.slow, lowPrice),
      average: lane(lanes?.average, averagePrice),
      fast: lane(lanes?.fast, highPrice),
    },
    baseFee: basePrice,
    nextBaseFee: nextBasePrice,
    priorityFee: priorityPrice,
    floor: floorPrice,
    blobBaseFee: blobBasePrice,
    source: {
      /** `service`: a service that does not name its own source. */
      kind: KINDS.find((kind) => kind === source?.kind) ?? ('service' as const),
      /** Empty when the service does not name it: its host is shown. */
      name: source?.name ?? '',
      problem: source?.problem
        ? {
            message: said(source.problem.message) ?? 'the source gives nothing new',
            retryAt: source.problem.retryAt,
          }
        : null,
      ended: source?.ended ?? false,
      chainName: said(source?.chainName),
      restartedAt: source?.restartedAt ?? null,
    },
  };
});
export type SnapshotView = z.infer<typeof Snapshot>;
export type LaneView = SnapshotView['lanes']['slow'];

const SummaryView = lenient(PriceSummary, 'now', 'min', 'max');
const FanStep = lenient(GasTrend.shape.baseFeeFan.element, 'blocksAhead', 'min', 'expected', 'max');

/** `GET /gas/trend`. Required: the direction, `RISING`, `FALLING`, `STABLE` or another value of the service. */
export const TrendView = lenient(
  GasTrend.extend({ base: SummaryView, priority: SummaryView, baseFeeFan: z.array(FanStep) }),
  'direction',
).transform(({ window: _, ...wire }) => wire);
export type TrendView = z.infer<typeof TrendView>;
const { alternatives, track, reach } = GasRecommendation.shape;

const Horizon = lenient(alternatives.element, 'horizonSec');
export type HorizonView = z.infer<typeof Horizon>;

const AdviceRecord = lenient(track.shape.waits.unwrap(), 'evaluated');
export type AdviceRecordView = z.infer<typeof AdviceRecord>;

const Track = lenient(track.extend({ waits: AdviceRecord, sends: AdviceRecord }), 'evaluated').transform(
  (wire) => ({
    ...wire,
    /** Basis of the record; earlier versions wrote `said` for `given`. */
    basis: wire.basis === 'said' ? 'given' : wire.basis,
  }),
);

const Reach = lenient(reach.unwrap());
export type ReachView = z.infer<typeof Reach>;
const Action = z.union([z.string().min(1), z.null()]);

export const RecommendationView = lenient(
  GasRecommendation.extend({ action: Action, alternatives: z.array(Horizon), track: Track, reach: Reach }),
  'action',
);
export type RecommendationView = z.infer<typeof RecommendationView>;
export type TrackView = NonNullable<RecommendationView['track']>;
