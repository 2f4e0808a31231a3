import type { ChartPointView, ChartView } from '../views/dashboard.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';
import { isRecord } from './json.ts';
import { readRows } from './read-rows.ts';

const TIME_NAMES = ['timestamp', 'time', 'date', 'updatedAt', 't'] as const;

/** `GET /dashboard/stats/chart`. Required: the points, and of each its time and base fee. */
export function readChart(answer: Answer, timeFrame: string): ChartView {
  const rows = answer.rows(['points', 'chart', 'series']);
  if (rows === null) throw answer.noRows('points');
  // Where the points stand alone there is nothing beside them to read.
  const beside = new Fields(answer, Array.isArray(answer.body) ? {} : besidePoints(answer));
  return {
    timeFrame: beside.text('timeFrame') ?? timeFrame,
    bucketSec: beside.amount('bucketSec'),
    points: readRows(answer, rows, 'points', readPoint).sort((a, b) => a.timestamp - b.timestamp),
    anomalies: beside.children('anomalies').flatMap((row) => {
      const timestamp = row.time(...TIME_NAMES);
      const value = row.feeNumber('value');
      return timestamp === null || value === null
        ? []
        : [{ timestamp, kind: row.text('kind', 'type') ?? 'ANOMALY', value }];
    }),
    events: beside.children('events').flatMap((row) => {
      const timestamp = row.time(...TIME_NAMES);
      return timestamp === null
        ? []
        : [{ timestamp, kind: row.text('kind', 'type') ?? 'EVENT', id: row.id() ?? '' }];
    }),
  };
}

function besidePoints(answer: Answer) {
  try {
    return answer.record(['points', 'chart', 'series', 'timeFrame', 'bucketSec'], 'points');
  } catch {
    return isRecord(answer.body) ? answer.body : {};
  }
}

function readPoint(fields: Fields): ChartPointView {
  const timestamp = fields.time(...TIME_NAMES);
  if (timestamp === null) throw fields.missing('timestamp');
  return {
    timestamp,
    base: Number(fields.requiredFee('base', 'basePrice', 'baseFee', 'baseFeePerGas')),
    priority: fields.feeNumber('priority', 'priorityPrice', 'priorityFee'),
    low: fields.feeNumber('low', 'lowPrice', 'slow'),
    average: fields.feeNumber('average', 'averagePrice'),
    high: fields.feeNumber('high', 'highPrice', 'fast'),
    gasUsedRatio: fields.ratio('gasUsedRatio'),
  };
}
