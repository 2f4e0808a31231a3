import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { AutoTxForm } from './auto-tx-form.tsx';
import { AUTO_TXS_MEMORY, autoTxsReducer, INITIAL_AUTO_TXS_STATE } from './auto-txs-state.ts';
import { DetailsScreen } from './details-screen.tsx';
import { ListScreen } from './list-screen.tsx';

/** The Auto-tx tab: the list, and over it the details of one, or the form of a new or changed one. */
export function AutoTxsScreen(props: TabScreenProps) {
  const [state, dispatch] = useKeptReducer(AUTO_TXS_MEMORY, autoTxsReducer, INITIAL_AUTO_TXS_STATE);
  const { level } = state;
  switch (level.kind) {
    case 'list':
      return <ListScreen {...props} cursor={state.cursor} dispatch={dispatch} />;
    case 'details':
      return <DetailsScreen key={level.id} {...props} level={level} dispatch={dispatch} />;
    case 'form':
      return (
        <AutoTxForm
          {...props}
          edited={level.edited}
          onLeave={() => dispatch({ type: 'leave-form' })}
          onSaved={(id) => dispatch({ type: 'saved', id })}
        />
      );
  }
}
