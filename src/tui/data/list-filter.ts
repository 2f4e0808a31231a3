import { createContext } from 'react';
import {
  type AlertState,
  alertState,
  describeAlertState,
  describeCondition,
} from '../../client/views/alert-texts.ts';
import type { AlertView } from '../../client/views/alerts.ts';
import { describeContent, describeState, describeTarget } from '../../client/views/auto-tx-texts.ts';
import type { AutoTxView } from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';

export type ListItem = AlertView | AutoTxView;

export const FilterContext = createContext('');

/** Whether each word of a filter is in what the list shows of an item, or in any of its texts; `present` in ms. */
export function matchesFilter(
  item: ListItem,
  filter: string,
  { snapshot, present }: { readonly snapshot: SnapshotView; readonly present: number },
): boolean {
  const described =
    'threshold' in item
      ? [describeCondition(item), ...stateWords(alertState(item, snapshot, present))]
      : [describeState(item), describeTarget(item), describeContent(item), `nonce ${item.nonce}`];
  const text = [...described, ...textsIn(item)].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** A cooldown is `cooldown 13:20` in the list, and `cooling down` above it. */
const stateWords = (state: AlertState): readonly string[] =>
  state.kind === 'cooling' ? [describeAlertState(state), 'cooldown'] : [describeAlertState(state)];

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
