export interface BaseFeeRowView {
  readonly timestamp: number;
  readonly blockNumber: number | null;
  readonly open: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly close: number;
}

export interface PriorityFeeRowView {
  readonly timestamp: number;
  readonly blockNumber: number | null;
  readonly value: number;
}

export interface GasUsedRatioRowView {
  readonly timestamp: number;
  readonly blockNumber: number | null;
  readonly mean: number;
  readonly max: number | null;
}

/** One page of a metrics answer. */
export interface MetricsView<Row> {
  readonly chainId: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly bucket: string | null;
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly rows: readonly Row[];
}
