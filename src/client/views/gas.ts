import * as z from 'zod';
import { GasCurrent } from '../../contract/gas.ts';
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
