import type { SummaryView, TrendView } from '../views/gas.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';

const DIRECTIONS = ['RISING', 'FALLING', 'STABLE'];
const DIRECTION_NAMES = ['direction', 'trendDirection', 'trend'] as const;

/** `GET /gas/trend`. Required: the direction. */
export function readTrend(answer: Answer): TrendView {
  const fields = new Fields(answer, answer.record(DIRECTION_NAMES, 'direction'));
  return {
    direction: fields.requiredWord(DIRECTIONS, ...DIRECTION_NAMES),
    changeRatio: fields.number('changeRatio'),
    base: readSummary(fields.child('base')),
    priority: readSummary(fields.child('priority')),
    percentileRank24h: fields.ratio('percentileRank24h'),
    congestion: fields.ratio('congestion'),
    baseFeeFan: fields.children('baseFeeFan').flatMap((step) => {
      const blocksAhead = step.count('blocksAhead');
      const [min, expected, max] = [step.fee('min'), step.fee('expected'), step.fee('max')];
      return blocksAhead === null || min === null || expected === null || max === null
        ? []
        : [{ blocksAhead, min, expected, max }];
    }),
    updatedAt: fields.time('updatedAt', 'timestamp'),
  };
}

function readSummary(fields: Fields | null): SummaryView | null {
  if (fields === null) return null;
  const [now, min, max] = [fields.fee('now', 'current'), fields.fee('min'), fields.fee('max')];
  if (now === null || min === null || max === null) return null;
  return {
    now,
    min,
    p25: fields.fee('p25'),
    median: fields.fee('median', 'p50'),
    p75: fields.fee('p75'),
    max,
  };
}
