import { type Answer, readRows } from '../answer.ts';
import { ClientError, errorWords } from '../errors.ts';
import { Fields } from '../fields.ts';
import { isRecord } from '../json.ts';

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

const TIME_NAMES = ['timestamp', 'time', 'bucket', 'date', 't'] as const;
const BLOCK_NAMES = ['blockNumber', 'block', 'number'] as const;

/**
 * A metrics answer: the envelope `{ chainId, from, to, data: [...] }`, paged or not, or the bare rows. Services
 * that say `data: [{ error }]` refuse the question that way: `invalid`.
 */
export function readMetrics<Row>(answer: Answer, readRow: (fields: Fields) => Row): MetricsView<Row> {
  const rows = answer.rows(['data', 'items', 'content', 'rows', 'points']);
  if (rows === null) throw answer.noRows('data');
  const [first] = rows;
  if (rows.length === 1 && isRecord(first) && typeof first.error === 'string') {
    const { message } = errorWords({ data: rows });
    throw new ClientError('invalid', `the service did not accept the question: ${message}`, {
      endpoint: answer.endpoint,
      details: [{ path: '', message }],
    });
  }
  const envelope = new Fields(answer, envelopeRecord(answer));
  return {
    chainId: envelope.count('chainId'),
    from: envelope.time('from'),
    to: envelope.time('to'),
    bucket: envelope.text('bucket'),
    page: envelope.count('page', 'number') ?? 0,
    size: envelope.count('size', 'pageSize') ?? rows.length,
    total: envelope.count('total', 'totalElements', 'totalCount') ?? rows.length,
    rows: readRows(answer, rows, 'data', readRow),
  };
}

function envelopeRecord(answer: Answer) {
  try {
    return answer.record(['chainId', 'from', 'to', 'page', 'total', 'totalElements'], 'data');
  } catch {
    return {};
  }
}

function rowHead(fields: Fields): { readonly timestamp: number; readonly blockNumber: number | null } {
  const timestamp = fields.time(...TIME_NAMES);
  if (timestamp === null) throw fields.missing('timestamp');
  return { timestamp, blockNumber: fields.count(...BLOCK_NAMES) };
}

/** A row that knows a single base fee is open, lowest, mean, highest and last at once. */
export function readBaseFeeRow(fields: Fields): BaseFeeRowView {
  const head = rowHead(fields);
  const one =
    fields.feeNumber('mean', 'avg', 'average', 'close', 'baseFee', 'baseFeePerGas', 'base', 'value') ??
    Number(fields.requiredFee('mean'));
  return {
    ...head,
    open: fields.feeNumber('open') ?? one,
    min: fields.feeNumber('min', 'low') ?? one,
    mean: one,
    max: fields.feeNumber('max', 'high') ?? one,
    close: fields.feeNumber('close') ?? one,
  };
}

export function readPriorityFeeRow(fields: Fields): PriorityFeeRowView {
  return {
    ...rowHead(fields),
    value: Number(fields.requiredFee('value', 'priorityFee', 'maxPriorityFeePerGas', 'priority', 'tip')),
  };
}

export function readGasUsedRatioRow(fields: Fields): GasUsedRatioRowView {
  const head = rowHead(fields);
  const mean = fields.ratio('mean', 'gasUsedRatio', 'ratio', 'value', 'average', 'avg');
  if (mean === null) throw fields.missing('mean');
  return { ...head, mean, max: fields.ratio('max') };
}
