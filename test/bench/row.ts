import { cpus, totalmem } from 'node:os';
import { table, withPart } from '../../scripts/docs/markdown.ts';

/** One line of the table: a measure of gastop beside its yardstick, both taken in this run. */
export interface Row {
  readonly measure: string;
  readonly gastop: string;
  readonly yardstick: string;
  readonly ratio: number;
  readonly spread: string;
  readonly budget: readonly Budget[];
}

interface Budget {
  readonly text: string;
  readonly isKept: boolean;
}

/** `≤ 1.3×`, `≤ 1500 B`; a figure that could not be measured keeps to nothing. */
export const atMost = (value: number, most: number, unit = '×'): Budget => ({
  text: `≤ ${most}${unit === '×' ? '' : ' '}${unit}`,
  isKept: value <= most,
});
export const atLeast = (value: number, least: number): Budget => ({
  text: `≥ ${least}×`,
  isKept: value >= least,
});

interface Compared {
  readonly measure: string;
  readonly ours: readonly number[];
  readonly against: string;
  readonly theirs: readonly number[];
  readonly unit?: string;
  readonly digits?: number;
  readonly runs: string;
  readonly budget?: (ratio: number, own: number) => readonly Budget[];
}

/** The row of a measure that was taken in turns with its yardstick: medians, and the median of the ratios. */
export function compare(compared: Compared): Row {
  const { measure, ours, against, theirs, unit = '', digits = 0, runs, budget = () => [] } = compared;
  const each = ratios(ours, theirs);
  const figure = (values: readonly number[]) => `${median(values).toFixed(digits)} ${unit}`.trim();
  return {
    measure,
    gastop: figure(ours),
    yardstick: `${against}, ${figure(theirs)}`,
    ratio: median(each),
    spread: `${range(each)} ${runs}`,
    budget: budget(median(each), median(ours)),
  };
}

export async function inTurns(
  rounds: number,
  [ours, theirs]: readonly [own: () => Promise<number>, yardstick: () => Promise<number>],
  warming = 1,
): Promise<[ours: number[], theirs: number[]]> {
  const taken: [number[], number[]] = [[], []];
  for (let round = -warming; round < rounds; round += 1) {
    const values = [await ours(), await theirs()] as const;
    if (round < 0) continue;
    taken[0].push(values[0]);
    taken[1].push(values[1]);
  }
  return taken;
}

export function verdict({ budget }: Row): 'within' | 'over' | '–' {
  if (budget.length === 0) return '–';
  return budget.every(({ isKept }) => isKept) ? 'within' : 'over';
}

const HEAD = ['measure', 'gastop', 'against', 'ratio', 'spread', 'budget', 'met'];

const cellsOf = (row: Row): readonly string[] => [
  ...[row.measure, row.gastop, row.yardstick, row.ratio.toFixed(2), row.spread],
  row.budget.map(({ text }) => text).join(', ') || 'none',
  verdict(row),
];

export function formatTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return cells.map((row) => line(row).trimEnd()).join('\n');
}

/** What the figures were taken on, without its name: `Node 24.21.0, linux x64, 2 × …, 8 GB`. */
export function machineText(): string {
  const cores = cpus();
  const model = cores[0]?.model.trim().replace(/\s+/g, ' ') || 'processor unknown';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cores.length} × ${model}, ${memory}`;
}

/** docs/PERFORMANCE.md with its table brought up to date; what stands around it is written by hand. */
export const withResult = (page: string, rows: readonly Row[], [first, last]: readonly [string, string]) =>
  withPart(
    page,
    'result',
    [first, table(HEAD, rows.map(cellsOf)), last].join('\n\n'),
    'npm run bench -- --write',
  );

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function range(values: readonly number[], digits = 2): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}

/** Ratios of values that were measured in turns: the first against the first, and so on. */
export function ratios(values: readonly number[], yardsticks: readonly number[]): number[] {
  return values.map((value, index) => value / (yardsticks[index] ?? Number.NaN));
}
