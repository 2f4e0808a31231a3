import { badgeOfKind, describeOutdated, type Problem } from '../../core/chain-status.ts';
import {
  formatDuration,
  formatGwei,
  formatPercent,
  formatSaving,
  formatSmallUsd,
  UNKNOWN,
  usdOf,
} from '../../core/units.ts';
import { cost } from '../../core/usual-work.ts';
import { dataFeeOf, gasOfWork } from '../threshold-basis.ts';
import type { RecommendationView, TrendView } from './advice.ts';
import { chainStatus } from './chain-status.ts';
import type { ActionView } from './dashboard.ts';
import type { SnapshotView } from './gas.ts';
import { advisedWait, chainNameOf, describeAdvice, isAtFloor } from './gas-texts.ts';

export interface ChainFigures {
  readonly snapshot: SnapshotView;
  readonly trend: TrendView | null;
  readonly advice: RecommendationView | null;
  readonly actions: readonly ActionView[];
}

/** A row of the board: one of several chains. */
export interface ChainRow {
  readonly name: string;
  /** Whether the user made up the name: it is no name of a chain. */
  readonly isOwnName: boolean;
  /** The last read figures; `null`: none yet. */
  readonly figures: ChainFigures | null;
  readonly nativeUsd: number | null;
  /** Name of the row whose coin price is used, if the chain has none of its own. */
  readonly usdFrom: string | null;
  /** Why the last request failed, and when the next one is sent. */
  readonly problem: Problem | null;
}

/** The chain's name if known, or else its name in the settings. */
export const chainOf = ({ name, figures }: ChainRow): string =>
  (figures && chainNameOf(figures.snapshot)) ?? name;

/** Why a row has no figures of now (`now`: ms since epoch); `null`: it has. */
export function rowProblem({ figures, problem }: ChainRow, now: number): Problem | null {
  if (problem !== null || figures === null) return problem;
  const status = chainStatus(figures.snapshot, now);
  const message = describeOutdated(status);
  return message === null ? null : { message, retryAt: status.kind === 'stale' ? status.retryAt : null };
}

/** What a row is called: two of the user's own may be of one chain. */
export const titleOf = (row: ChainRow): string => (row.isOwnName ? row.name : chainOf(row));

/** What a row is of, where that is no live chain. */
export const rowBadge = ({ figures }: ChainRow) => badgeOfKind(figures?.snapshot.source.kind);

const WORK = { swap: 'Swap', send: 'ETH transfer' } as const;
export type Work = keyof typeof WORK;

/** At the average price; `null`: nothing says what it takes. An unknown data fee for posting to L1 is `null`, and not in `wei`. */
export function workCost({ figures, nativeUsd }: ChainRow, work: Work) {
  if (figures === null) return null;
  const { snapshot, actions } = figures;
  const action = actions.find(({ name }) => name === WORK[work]);
  const gas = gasOfWork(WORK[work], action, snapshot.chainId);
  if (gas === null) return null;
  const dataFee = dataFeeOf(action, snapshot.chainId);
  const wei = cost(gas, snapshot.lanes.average.price) + (dataFee ?? 0n);
  const usd = nativeUsd === null ? null : usdOf(wei, nativeUsd);
  return { gas, wei, usd, dataFee, dataFeeReason: action?.dataFeeReason ?? null };
}

export const CHAIN_SORTS = ['swap', 'send', 'price', 'name'] as const;
export type ChainSort = (typeof CHAIN_SORTS)[number];

/** The cheapest first: costs in dollars, then in coins only, then unknown ones. */
export function sortedRows(rows: readonly ChainRow[], sort: ChainSort): readonly ChainRow[] {
  if (sort === 'name') return rows.toSorted((one, other) => titleOf(one).localeCompare(titleOf(other), 'en'));
  const placeOf = (row: ChainRow) => {
    if (row.figures === null) return [2, 0] as const;
    if (sort === 'price') return [0, Number(row.figures.snapshot.lanes.average.price)] as const;
    const known = workCost(row, sort);
    if (known === null) return [2, 0] as const;
    const { wei, usd } = known;
    return usd === null ? ([1, Number(wei)] as const) : ([0, usd] as const);
  };
  const placed = rows.map((row) => ({ row, place: placeOf(row) }));
  return placed
    .toSorted(({ place: [one, a] }, { place: [other, b] }) => one - other || a - b)
    .map(({ row }) => row);
}

export function matchesRow(row: ChainRow, filter: string): boolean {
  const names = `${row.name} ${chainOf(row)}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

const ARROWS: Readonly<Record<string, string>> = { RISING: '↑', FALLING: '↓', STABLE: '→' };

/** The texts of a row for screens and tables, each of one unit: dollars, or gwei of its coin. `now`: ms since epoch. */
export function rowTexts(row: ChainRow, now: number) {
  const { figures } = row;
  const snapshot = figures?.snapshot;
  const at = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? null;
  const swap = workCost(row, 'swap');
  const [swapTexts, sendTexts] = [costTexts(row, 'swap'), costTexts(row, 'send')];
  const problem = rowProblem(row, now);
  return {
    chain: [titleOf(row), rowBadge(row)].filter((part) => part !== null).join(' '),
    swap: swapTexts.usd,
    send: sendTexts.usd,
    swapInCoin: swapTexts.coin,
    sendInCoin: sendTexts.coin,
    l1: swap?.dataFee && swap.wei !== 0n ? formatPercent(Number(swap.dataFee) / Number(swap.wei)) : UNKNOWN,
    price: snapshot === undefined ? UNKNOWN : formatGwei(snapshot.lanes.average.price),
    trend: figures?.trend == null ? UNKNOWN : (ARROWS[figures.trend.direction] ?? UNKNOWN),
    age: at === null ? UNKNOWN : formatDuration(Math.max(Math.floor((now - at) / 1_000), 0)),
    advice: problem === null ? adviceText(row) : problemText(problem, now),
  };
}

/** In dollars, or where their price is not known in gwei of the coin. */
function costTexts(row: ChainRow, work: Work) {
  const known = workCost(row, work);
  if (known === null) return { usd: UNKNOWN, coin: UNKNOWN };
  const { wei, usd, dataFee } = known;
  const withoutL1 = dataFee === null ? ' + L1' : '';
  return usd === null
    ? { usd: UNKNOWN, coin: formatGwei(wei) + withoutL1 }
    : { usd: formatSmallUsd(usd) + withoutL1, coin: UNKNOWN };
}

function adviceText({ figures }: ChainRow): string {
  if (figures === null) return 'asking';
  const { snapshot, advice } = figures;
  if (isAtFloor(snapshot)) return 'SEND NOW at its floor';
  if (advice === null || advice.action === null) return 'no advice yet';
  const { action } = describeAdvice(advice, snapshot);
  const wait = advisedWait(advice);
  if (wait === null) return action;
  const words = `${action} up to ${formatDuration(wait.horizonSec)}`;
  return wait.savingRatio === null ? words : `${words}, ${formatSaving(wait.savingRatio)}`;
}

function problemText({ message, retryAt }: NonNullable<ChainRow['problem']>, now: number): string {
  if (retryAt === null) return message;
  const sec = Math.ceil((retryAt - now) / 1_000);
  return sec <= 0 ? `asking again: ${message}` : `retry in ${formatDuration(sec)}: ${message}`;
}

/** Notes on rows that use another chain's dollar price: `dollars of Ethereum: Scroll, Ink`. */
export function usdNotes(rows: readonly ChainRow[]): readonly string[] {
  const borrowed = rows.filter(({ usdFrom }) => usdFrom !== null);
  return [...Map.groupBy(borrowed, ({ usdFrom }) => usdFrom)].map(
    ([from, theirs]) => `dollars of ${from}: ${theirs.map(titleOf).join(', ')}`,
  );
}
