import * as z from 'zod';
import { GasRecommendation, GasTrend, PriceSummary } from '../../contract/advice.ts';
import { lenient } from '../lenient.ts';

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
