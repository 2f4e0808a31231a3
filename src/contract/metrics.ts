import * as z from 'zod';
import * as choices from './choices.ts';
import { BlockNumber, ChainId, object, Ratio, Timestamp, Wei, whole } from './primitives.ts';

const Bucket = z
  .enum(choices.BUCKETS)
  .meta({ id: 'Bucket', description: 'What a row stands for: one block, or a stretch of time' });

export const envelope = <Row extends z.ZodType, Span extends z.ZodType>(row: Row, bucket: Span) =>
  z.strictObject({
    chainId: ChainId,
    from: Timestamp.describe('Where the window begins'),
    to: Timestamp.describe('Where the window ends'),
    bucket,
    page: whole(0).describe('Page, from 0'),
    size: whole(1, choices.METRICS_ROWS_MAX).describe('Rows per page'),
    total: whole(0).describe('Rows of the whole window'),
    data: z.array(row),
  });

const ROW = {
  timestamp: Timestamp.describe('Where the bucket begins, or the time of the block'),
  blockNumber: BlockNumber.describe('The last block of the bucket'),
};

export const BaseFeeRow = object('BaseFeeRow', 'Base fees of one bucket, in wei per gas', {
  ...ROW,
  open: Wei.describe("The first block's base fee"),
  min: Wei,
  mean: Wei,
  max: Wei,
  close: Wei.describe("The last block's base fee"),
});
export const BaseFeeMetrics = envelope(BaseFeeRow, Bucket).meta({ id: 'BaseFeeMetrics' });

/** `GET /metrics/priority-fee`: the tip at one percentile, wei per gas; buckets hold the mean over their blocks. */
export const PriorityFeeRow = object('PriorityFeeRow', 'Tip of one bucket: the mean over its blocks', {
  ...ROW,
  value: Wei.describe('The tip at the percentile, in wei per gas'),
});
export const PriorityFeeMetrics = envelope(PriorityFeeRow, Bucket).meta({ id: 'PriorityFeeMetrics' });

export const GasUsedRatioRow = object('GasUsedRatioRow', 'How full the blocks of one bucket were', {
  ...ROW,
  mean: Ratio,
  max: Ratio,
});
export const GasUsedRatioMetrics = envelope(GasUsedRatioRow, Bucket).meta({ id: 'GasUsedRatioMetrics' });
