import { PERCENTILES, type Percentile, TIME_FRAMES, type TimeFrame } from '../../../contract/choices.ts';

/** What the user chose on the Chart tab; the app holds it, so that it outlives a look at another tab. */
export interface ChartState {
  readonly timeFrame: TimeFrame;
  readonly percentile: Percentile;
  readonly compare: boolean;
  readonly heatmap: boolean;
  /** The moment under the cursor, ms; `null` follows the newest value. A time, so that it stays while the chart rolls. */
  readonly cursor: number | null;
}

export type ChartAction =
  | { readonly type: 'next-time-frame' }
  | { readonly type: 'next-percentile' }
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

/** What `p` walks through: the tips that get a transaction in, not the ones that nearly do. */
const OFFERED_PERCENTILES: readonly Percentile[] = PERCENTILES.filter(
  (percentile) => Number(percentile.slice(1)) >= 50,
);

export function chartReducer(state: ChartState, action: ChartAction): ChartState {
  switch (action.type) {
    case 'next-time-frame':
      return { ...state, timeFrame: after(TIME_FRAMES, state.timeFrame) };
    case 'next-percentile':
      return { ...state, percentile: after(OFFERED_PERCENTILES, state.percentile) };
    case 'toggle-compare':
      return { ...state, compare: !state.compare };
    case 'toggle-heatmap':
      return { ...state, heatmap: !state.heatmap };
    case 'move-cursor':
      return { ...state, cursor: action.to };
  }
}

function after<T>(all: readonly T[], current: T): T {
  return all[(all.indexOf(current) + 1) % all.length] ?? current;
}
