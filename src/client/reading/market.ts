import type { CostView, MarketView, StatsView } from '../views/dashboard.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';
import { readFee } from './values.ts';

const DAYS = 7;
const HOURS = 24;
const LEAST_GAS = 21_000;

/** `GET /dashboard/stats/market`. Required: any of its figures. */
export function readMarket(answer: Answer, timeFrame: string): MarketView {
  const fields = new Fields(
    answer,
    answer.record(
      ['base', 'average', 'volatility', 'heatmap', 'actions', 'nativeUsd', 'cheapestHourUtc'],
      'base',
    ),
  );
  const cheapest = fields.count('cheapestHourUtc');
  return {
    timeFrame: fields.text('timeFrame') ?? timeFrame,
    from: fields.time('from'),
    base: readStats(fields.child('base')),
    average: readStats(fields.child('average')),
    volatility: fields.amount('volatility'),
    cheapestHourUtc: cheapest !== null && cheapest < HOURS ? cheapest : null,
    heatmap: readHeatmap(fields.list('heatmap'), answer.exact),
    nativeUsd: fields.amount('nativeUsd'),
    nativeUsdChangeRatio: fields.number('nativeUsdChangeRatio'),
    actions: fields.children('actions').flatMap((row) => {
      const name = row.text('name');
      const gas = row.count('gas');
      if (name === null || gas === null || gas < LEAST_GAS) return [];
      return [
        {
          name,
          gas,
          slow: readCost(row.child('slow')),
          average: readCost(row.child('average')),
          fast: readCost(row.child('fast')),
        },
      ];
    }),
  };
}

function readCost(fields: Fields | null): CostView | null {
  const wei = fields?.wei('wei', 'cost', 'costWei') ?? null;
  return fields === null || wei === null ? null : { wei, usd: fields.amount('usd', 'costUsd') };
}

function readStats(fields: Fields | null): StatsView | null {
  if (fields === null) return null;
  const now = fields.feeNumber('now', 'current');
  const min = fields.feeNumber('min');
  const max = fields.feeNumber('max');
  if (now === null || min === null || max === null) return null;
  return {
    now,
    min,
    p10: fields.feeNumber('p10'),
    median: fields.feeNumber('median', 'p50'),
    mean: fields.feeNumber('mean', 'average'),
    p90: fields.feeNumber('p90'),
    max,
    changeRatio: fields.number('changeRatio'),
  };
}

/** A week of hours or nothing: a grid of another shape has other axes. */
function readHeatmap(rows: readonly unknown[], exact: boolean): MarketView['heatmap'] {
  const grid = rows.map((row) => (Array.isArray(row) ? row : []));
  if (grid.length !== DAYS || grid.some((row) => row.length !== HOURS)) return [];
  return grid.map((row) =>
    row.map((cell: unknown) => {
      const fee = readFee(cell, exact ? 'wei' : 'guess');
      return fee === null ? null : Number(fee);
    }),
  );
}
