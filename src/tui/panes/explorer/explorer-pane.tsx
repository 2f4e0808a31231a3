import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptState } from '../../app/ui-state.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { BlockScreen } from './block-details.tsx';
import { BlocksScreen } from './block-list.tsx';
import { back, EXPLORER_MEMORY, INITIAL_EXPLORER_STATE } from './explorer-state.ts';
import { TxScreen } from './tx-details.tsx';

/** The Explorer tab: the latest blocks, and over them what was opened or looked up. */
export function ExplorerScreen({ snapshot, columns, rows }: TabScreenProps) {
  const [state, change] = useKeptState(EXPLORER_MEMORY, INITIAL_EXPLORER_STATE);
  const place = state.places.at(-1);
  // Without anything open Esc is left to whoever else wants it.
  useKeys('explorer', place === undefined ? {} : { close: () => change(back) });
  const level = { snapshot, change, columns, rows };
  if (place === undefined) return <BlocksScreen {...level} cursor={state.cursor} />;
  return place.kind === 'block' ? (
    <BlockScreen key={place.number} {...level} place={place} />
  ) : (
    <TxScreen key={place.hash} {...level} place={place} />
  );
}
