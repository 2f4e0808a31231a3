import { offeredValues, type ServiceDescription } from '../../../client/openapi.ts';
import { PERCENTILES, TIME_FRAMES } from '../../../contract/choices.ts';
import { PATHS } from '../../../contract/routes.ts';
import { longestTimeFrame } from '../../ui/time.ts';

/** What the Chart's keys walk through, in the order of the service, each at least one. */
export interface ChartChoices {
  readonly timeFrames: readonly string[];
  readonly percentiles: readonly string[];
}

/** The service's own words where it names them, also such as the contract does not know; else the contract's. */
export function chartChoices(description: ServiceDescription | null | undefined): ChartChoices {
  const percentiles = offeredValues(description, PATHS.priorityFee, 'percentile') ?? PERCENTILES;
  const useful = percentiles.filter(isUseful);
  return {
    timeFrames: offeredValues(description, PATHS.statsChart, 'timeFrame') ?? TIME_FRAMES,
    percentiles: useful.length === 0 ? percentiles : useful,
  };
}

/** The tips that get a transaction in, not the ones that nearly do. */
function isUseful(percentile: string): boolean {
  const number = /^p?(\d{1,2}(?:\.\d+)?)$/i.exec(percentile)?.[1];
  return number === undefined || Number(number) >= 50;
}

/** What the hours of the week are compared over: a month, or as much as the service has, which by v1 alone is a day. */
export function hoursTimeFrame(description: ServiceDescription | null | undefined): string {
  // Of the own service there is no description, as there is nothing to learn.
  if (description === null) return '24h';
  const offered = offeredValues(description, PATHS.statsMarket, 'timeFrame') ?? TIME_FRAMES;
  return offered.includes('30d') ? '30d' : (longestTimeFrame(offered) ?? offered[0] ?? '30d');
}

/** The value after the one that {@link offeredChoice} makes of `current`. */
export function choiceAfter(offered: readonly string[], current: string): string {
  const place = offered.indexOf(offeredChoice(offered, current));
  return offered[(place + 1) % offered.length] ?? current;
}

/** `wanted` if it is offered, else the first that is. */
export function offeredChoice(offered: readonly string[], wanted: string): string {
  return offered.includes(wanted) ? wanted : (offered[0] ?? wanted);
}

/** What the user chose on the Chart tab; the app holds it, so that it outlives a look at another tab. */
export interface ChartState {
  /** The contract's word or one that the service offers. */
  readonly timeFrame: string;
  readonly percentile: string;
  readonly compare: boolean;
  readonly heatmap: boolean;
  /** The moment under the cursor, ms; `null` follows the newest value. A time, so that it stays while the chart rolls. */
  readonly cursor: number | null;
}

type ChartAction =
  | { readonly type: 'next-time-frame'; readonly offered: readonly string[] }
  | { readonly type: 'next-percentile'; readonly offered: readonly string[] }
  | { readonly type: 'toggle-compare' }
  | { readonly type: 'toggle-heatmap' }
  | { readonly type: 'move-cursor'; readonly to: number | null };

export const INITIAL_CHART_STATE: ChartState = {
  timeFrame: '1h',
  percentile: 'p50',
  compare: false,
  heatmap: false,
  cursor: null,
};

export function chartReducer(state: ChartState, action: ChartAction): ChartState {
  switch (action.type) {
    case 'next-time-frame':
      return { ...state, timeFrame: choiceAfter(action.offered, state.timeFrame) };
    case 'next-percentile':
      return { ...state, percentile: choiceAfter(action.offered, state.percentile) };
    case 'toggle-compare':
      return { ...state, compare: !state.compare };
    case 'toggle-heatmap':
      return { ...state, heatmap: !state.heatmap };
    case 'move-cursor':
      return { ...state, cursor: action.to };
  }
}
