import { createContext } from 'react';
import { describeCondition } from '../../client/views/alert-texts.ts';
import type { AlertView } from '../../client/views/alerts.ts';
import { describeContent, describeState, describeTarget } from '../../client/views/auto-tx-texts.ts';
import type { AutoTxView } from '../../client/views/auto-txs.ts';

export type ListItem = AlertView | AutoTxView;

export const FilterContext = createContext('');

export function matchesFilter(item: ListItem, filter: string): boolean {
  const described =
    'threshold' in item
      ? [describeCondition(item)]
      : [describeState(item), describeTarget(item), describeContent(item), `nonce ${item.nonce}`];
  const text = [...described, ...textsIn(item)].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
