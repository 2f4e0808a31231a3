import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { PaneState } from '../../components/pane-state.tsx';
import { useActions } from '../../hooks/use-actions.ts';
import { useOverScope } from '../../hooks/use-modal-keys.ts';
import type { TabScreenProps } from '../../tabs.ts';

interface AutoTxFormProps extends TabScreenProps {
  /** The auto-tx to change; `null`: a new one. */
  readonly edited: AutoTxView | null;
  /** Leaves the form: nothing has changed. */
  readonly onLeave: () => void;
  /** The service has it: leaves the form with the cursor on it. */
  readonly onSaved: (id: string) => void;
}

/** The form of a new auto-tx, or of one that is changed. */
export function AutoTxForm({ onLeave }: AutoTxFormProps) {
  useOverScope('auto-tx');
  useActions('auto-tx', { 'open-auto-tx-close': onLeave });
  return (
    <PaneState
      kind="empty"
      title="Auto-txs are handed over by the command so far"
      hint="gastop auto-txs create --help; Esc goes back."
    />
  );
}
