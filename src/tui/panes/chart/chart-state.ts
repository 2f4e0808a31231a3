import { choiceAfter } from './chart-choices.ts';

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

export type ChartAction =
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
