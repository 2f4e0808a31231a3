import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer, useNavigation } from '../../app/ui-state.ts';
import { AlertForm } from './alert-form.tsx';
import { ALERTS_MEMORY, ALERTS_TAB, alertsReducer, INITIAL_ALERTS_STATE } from './alerts-state.ts';
import { DetailsScreen } from './details-screen.tsx';
import { ListScreen } from './list-screen.tsx';
import { SecretBox } from './secret-box.tsx';

/** The Alerts tab: the list, and over it the details of one, the form of a new one, or its signing secret. */
export function AlertsScreen(props: TabScreenProps) {
  const { showTab } = useNavigation();
  const [state, dispatch] = useKeptReducer(ALERTS_MEMORY, alertsReducer, INITIAL_ALERTS_STATE);
  const { view } = state;
  switch (view.kind) {
    case 'list':
      return <ListScreen {...props} cursor={state.cursor} dispatch={dispatch} />;
    case 'details':
      return <DetailsScreen key={view.id} {...props} view={view} dispatch={dispatch} />;
    case 'secret':
      return (
        <SecretBox
          secret={view.secret}
          width={props.columns}
          height={props.rows}
          onClose={() => dispatch({ type: 'list' })}
        />
      );
    case 'form':
      return (
        <AlertForm
          {...props}
          view={view}
          dispatch={dispatch}
          onLeave={() => {
            dispatch({ type: 'list' });
            if (view.from !== ALERTS_TAB) showTab(view.from);
          }}
        />
      );
  }
}
