import * as z from 'zod';
import { GasCurrent, GasRecommendation, GasTrend, Summary } from '../../contract/gas.ts';
import { LANES } from '../../core/advice.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatDuration, formatGwei } from '../../core/units.ts';
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
  const { nextBasePrice, floorPrice, blobBasePrice, ...wire } = rest;
  return {
    ...wire,
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

export function withSourceName(snapshot: SnapshotView, host: string): SnapshotView {
  const { source } = snapshot;
  return source.name === '' ? { ...snapshot, source: { ...source, name: host } } : snapshot;
}

/** The chain's name from its service, or else by its id; `null` when the service reports no chain. */
export function chainNameOf({ chainId, source }: Pick<SnapshotView, 'chainId' | 'source'>): string | null {
  return source.chainName ?? (chainId === null ? null : chainProfile(chainId).name);
}

const PriceSummary = lenient(Summary, 'now', 'min', 'max');
const FanStep = lenient(GasTrend.shape.baseFeeFan.element, 'blocksAhead', 'min', 'expected', 'max');

/** `GET /gas/trend`. Required: the direction, `RISING`, `FALLING`, `STABLE` or another value of the service. */
export const Trend = lenient(
  GasTrend.extend({ base: PriceSummary, priority: PriceSummary, baseFeeFan: z.array(FanStep) }),
  'direction',
).transform(({ window: _, ...wire }) => wire);
export type TrendView = z.infer<typeof Trend>;
const { alternatives, track, reach } = GasRecommendation.shape;

const Horizon = lenient(alternatives.element, 'horizonSec');
export type HorizonView = z.infer<typeof Horizon>;

const WaitTrack = lenient(track.shape.waits.unwrap(), 'evaluated');

const Track = lenient(track.extend({ waits: WaitTrack }), 'evaluated').transform((wire) => ({
  ...wire,
  /** Basis of the record; earlier versions wrote `said` for `given`. */
  basis: wire.basis === 'said' ? 'given' : wire.basis,
}));

const Reach = lenient(reach.unwrap());
export type ReachView = z.infer<typeof Reach>;
const Action = z.union([z.string().min(1), z.null()]);

export const Recommendation = lenient(
  GasRecommendation.extend({ action: Action, alternatives: z.array(Horizon), track: Track, reach: Reach }),
  'action',
);
export type RecommendationView = z.infer<typeof Recommendation>;

/** Whether the source has been unreachable since, so that present prices are unknown; not a standstill of the chain. */
export function isPast({ stale, source: { problem } }: Pick<SnapshotView, 'stale' | 'source'>): boolean {
  return stale === true && problem !== null && problem.retryAt !== null;
}

/** `given 50, kept 46`, or `tried 100, kept 94` for past blocks; `null` when unknown. */
export function keptWords(track: NonNullable<RecommendationView['track']>): string | null {
  const { evaluated, hitRatio, basis } = track;
  if (hitRatio === null || evaluated < 1) return null;
  const kept = Math.round(hitRatio * evaluated);
  if (basis === 'given') return `given ${evaluated}, kept ${kept}`;
  return basis === 'walked' ? `tried ${evaluated}, kept ${kept}` : `kept ${kept} of ${evaluated}`;
}

/** Age of the newest block by this machine's clock, in seconds; `null`: blocks of a recording or a simulation have none. */
export function headAgeSec({ source, blockTimestamp }: SnapshotView, now: number): number | null {
  const isLive = source.kind === 'rpc' || source.kind === 'service';
  return isLive && blockTimestamp !== null ? (now - blockTimestamp) / 1_000 : null;
}

/** From this age on a block is stale even if it has just arrived. */
export const oldAfterSec = (updateFrequencySec: number | null): number =>
  Math.max(5 * (updateFrequencySec ?? 0), 300);

/** Whether prices are the base fee alone, because tips are unknown: then no wait can be forecast either. */
export function lacksTips({ lanes, nextBaseFee }: SnapshotView): boolean {
  return LANES.every(
    (lane) =>
      lanes[lane].maxPriorityFeePerGas === null && nextBaseFee !== null && lanes[lane].price <= nextBaseFee,
  );
}

export const isAtFloor = ({ floor, nextBaseFee }: Pick<SnapshotView, 'floor' | 'nextBaseFee'>): boolean =>
  floor !== null && nextBaseFee !== null && nextBaseFee <= floor;

/** `WAIT` and `up to 15m for 0.0388 gwei`, `AT ITS FLOOR` and `send at 0.00510 gwei`; `target` may be empty. */
export function describeAdvice(
  { action, targetPrice, deadlineSec, expectedWaitSec }: RecommendationView,
  snapshot: Pick<SnapshotView, 'floor' | 'nextBaseFee'>,
): { readonly action: string; readonly target: string } {
  if (action === null) return { action: 'NO ADVICE YET', target: '' };
  const price = targetPrice === null ? null : `${formatGwei(targetPrice)} gwei`;
  if (action === 'WAIT' || action === 'SET_ALERT') {
    const expected = expectedWaitSec === null ? null : `~${formatDuration(expectedWaitSec)}`;
    const parts = [
      deadlineSec === null ? expected : `up to ${formatDuration(deadlineSec)}`,
      price === null ? null : `for ${price}`,
    ];
    return { action: 'WAIT', target: parts.filter((part) => part !== null).join(' ') };
  }
  const target = price === null ? '' : `at ${price}`;
  if (action === 'SEND_NOW' && isAtFloor(snapshot)) {
    return { action: 'AT ITS FLOOR', target: `send ${target}`.trim() };
  }
  return { action: action.replaceAll('_', ' '), target };
}
