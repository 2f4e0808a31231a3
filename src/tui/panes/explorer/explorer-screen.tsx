import { Box } from 'ink';
import { chainProfile } from '../../../core/chains.ts';
import { looksLikeKey } from '../../../core/key-prefix.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { useMonitor } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { BlockScreen } from './block-screen.tsx';
import { BlocksScreen } from './blocks-screen.tsx';
import { EXPLORER_MEMORY, explorerReducer, INITIAL_EXPLORER_STATE } from './explorer-state.ts';
import { LookupBar } from './lookup-bar.tsx';
import { noTransactions } from './present.ts';
import { TxScreen } from './tx-screen.tsx';

/** Rows that the lookup field takes from what it stands over. */
const LOOKUP_ROWS = 2;

/** The Explorer tab: the latest blocks, and over them what was opened or looked up. */
export function ExplorerScreen({ snapshot, columns, rows }: TabScreenProps) {
  const [state, dispatch] = useKeptReducer(EXPLORER_MEMORY, explorerReducer, INITIAL_EXPLORER_STATE);
  const { isKey = looksLikeKey } = useMonitor();
  const place = state.places.at(-1);
  useKeys('explorer', {
    'look-up': () => dispatch({ type: 'ask' }),
    // Without anything open Esc is left to whoever else wants it.
    ...(place === undefined ? {} : { close: () => dispatch({ type: 'back' }) }),
  });
  const room = rows - (state.asking ? LOOKUP_ROWS : 0);
  const level = {
    snapshot,
    symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
    dispatch,
    columns,
    rows: room,
  };
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {state.asking ? (
        <LookupBar
          width={columns}
          context={{ head: snapshot.blockNumber, noTransactions: noTransactions(snapshot), isKey }}
          open={(found) => dispatch({ type: 'open', place: found })}
          close={() => dispatch({ type: 'stop-asking' })}
        />
      ) : null}
      <Box flexDirection="column" width={columns} height={room} flexShrink={0} overflow="hidden">
        {place === undefined ? (
          <BlocksScreen {...level} cursor={state.cursor} />
        ) : place.kind === 'block' ? (
          <BlockScreen key={place.number} {...level} place={place} />
        ) : (
          <TxScreen key={place.hash} {...level} place={place} />
        )}
      </Box>
    </Box>
  );
}
