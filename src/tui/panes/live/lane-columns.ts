import type { LaneView, SnapshotView } from '../../../client/views/gas.ts';
import { LANES, type LaneName } from '../../../core/advice.ts';
import { formatDuration, formatGwei, formatPercent, formatUsd, UNKNOWN, usdOf } from '../../../core/units.ts';
import { cost, USUAL_ACTIONS } from '../../../core/usual-actions.ts';
import { coinUnit } from '../../coin-unit.ts';

export const LANE_TITLES: Readonly<Record<LaneName, string>> = {
  slow: 'Slow',
  average: 'Average',
  fast: 'Fast',
};

const TRANSFER_GAS = USUAL_ACTIONS.find(({ name }) => name === 'ETH transfer')?.gas ?? 21_000;
const SWAP_GAS = USUAL_ACTIONS.find(({ name }) => name === 'Swap')?.gas ?? 184_000;

export type LaneColumnId = 'lane' | 'price' | 'cap' | 'tip' | 'wait' | 'send' | 'swap' | 'sure' | 'in';

export interface LaneColumn {
  readonly id: LaneColumnId;
  readonly heading: string;
  /** Narrowest width, so that the usual numbers come and go without moving anything. */
  readonly least: number;
  readonly align: 'left' | 'right';
  /** Columns with a higher number are left out first where there is no room. */
  readonly rank: number;
  readonly cell: (lane: LaneView, name: LaneName) => string;
}

export interface WorkUnit {
  /** As headings name it. */
  readonly name: string;
  /** What `gas` at `price` costs, without the unit's name. */
  readonly cost: (gas: number, price: bigint) => string;
}

/**
 * What work is priced in: dollars where the coin's price is known, else the coin, or gwei where gas costs so little
 * that coins would be all zeros.
 */
export function workUnit({ nativeUsd, lanes }: SnapshotView, symbol: string): WorkUnit {
  if (nativeUsd !== null) {
    return { name: '$', cost: (gas, price) => formatUsd(usdOf(cost(gas, price), nativeUsd)) };
  }
  const coin = coinUnit(
    LANES.map((lane) => cost(TRANSFER_GAS, lanes[lane].price)),
    symbol,
  );
  return { name: coin.name, cost: (gas, price) => coin.text(cost(gas, price)) };
}

/** The columns of the lanes table, left to right. */
export function laneColumns(snapshot: SnapshotView, symbol: string): readonly LaneColumn[] {
  const { nativeUsd } = snapshot;
  const unit = workUnit(snapshot, symbol);
  const named = nativeUsd === null ? ` ${unit.name}` : '';
  const price = (wei: bigint | null) => (wei === null ? UNKNOWN : formatGwei(wei));
  const costs = nativeUsd === null ? 10 : 7;
  return [
    { id: 'lane', heading: 'lane', least: 7, align: 'left', rank: 0, cell: (_, name) => LANE_TITLES[name] },
    { id: 'price', heading: 'price', least: 7, align: 'right', rank: 0, cell: (lane) => price(lane.price) },
    {
      id: 'cap',
      heading: 'max fee',
      least: 7,
      align: 'right',
      rank: 1,
      cell: (lane) => price(lane.maxFeePerGas),
    },
    {
      id: 'tip',
      heading: 'tip',
      least: 7,
      align: 'right',
      rank: 2,
      cell: (lane) => price(lane.maxPriorityFeePerGas),
    },
    { id: 'wait', heading: 'wait p50/p95', least: 13, align: 'right', rank: 3, cell: waitCell },
    {
      id: 'send',
      heading: nativeUsd === null ? `send${named}` : 'transfer',
      least: Math.max(costs, 8),
      align: 'right',
      rank: 4,
      cell: (lane) => unit.cost(TRANSFER_GAS, lane.price),
    },
    {
      id: 'swap',
      heading: `swap${named}`,
      least: costs,
      align: 'right',
      rank: 5,
      cell: (lane) => unit.cost(SWAP_GAS, lane.price),
    },
    {
      id: 'sure',
      heading: 'likely',
      least: 6,
      align: 'right',
      rank: 6,
      cell: ({ probability }) => (probability === null ? UNKNOWN : formatPercent(probability)),
    },
    {
      id: 'in',
      heading: 'within',
      least: 9,
      align: 'right',
      rank: 7,
      cell: ({ withinBlocks }) => (withinBlocks === null ? UNKNOWN : `${withinBlocks} blocks`),
    },
  ];
}

function waitCell({ waitSec }: LaneView): string {
  if (waitSec === null) return UNKNOWN;
  return `${formatDuration(waitSec.p50)} / ${formatDuration(waitSec.p95)}`;
}

export interface LaneRow {
  readonly name: LaneName;
  readonly cells: ReadonlyMap<LaneColumnId, string>;
}

export function laneRows(snapshot: SnapshotView, columns: readonly LaneColumn[]): readonly LaneRow[] {
  return LANES.map((name) => ({
    name,
    cells: new Map(columns.map(({ id, cell }) => [id, cell(snapshot.lanes[name], name)])),
  }));
}

/** Columns without a single value say nothing and are left out: a foreign service may know less than ours. */
export function knownColumns(
  columns: readonly LaneColumn[],
  rows: readonly LaneRow[],
): readonly LaneColumn[] {
  return columns.filter(({ id }) => rows.some(({ cells }) => cells.get(id) !== UNKNOWN));
}

/** The columns that fit into `width` with their borders (one left of each, one at the end) and padding. */
export function fittingColumns(
  columns: readonly LaneColumn[],
  widths: ReadonlyMap<string, number>,
  width: number,
): readonly LaneColumn[] {
  let used = 1;
  let fits = true;
  const kept = new Set<LaneColumnId>();
  for (const { id, least } of [...columns].sort((one, other) => one.rank - other.rank)) {
    used += (widths.get(id) ?? least) + 3;
    fits &&= used <= width;
    if (fits) kept.add(id);
  }
  return columns.filter(({ id }) => kept.has(id));
}
