import type { AutoTxChange, AutoTxView, NewAutoTx } from '../../../src/client/views/auto-txs.ts';
import { AutoTxsPane } from '../../../src/tui/panes/auto-txs/auto-txs-pane.tsx';
import { fakeAutoTxs } from '../fake-auto-txs.ts';
import { formOf, type ShowOptions, showScreen } from '../show-screen.tsx';

type AutoTxs = ReturnType<typeof fakeAutoTxs>;

export async function showForm(
  options: Partial<ShowOptions> & {
    readonly edited?: AutoTxView;
    /** It is open already, by what `memory` holds. */
    readonly isOpen?: boolean;
  } = {},
  changes: Partial<AutoTxs> = {},
) {
  const { edited, isOpen = false, ...rest } = options;
  const service = fakeAutoTxs(edited === undefined ? [] : [edited]);
  const sent: NewAutoTx[] = [];
  const changed: AutoTxChange[] = [];
  const shown = showScreen({
    Pane: AutoTxsPane,
    scope: 'auto-txs',
    isOwnService: (options.host ?? null) === null,
    rows: 37,
    ...rest,
    gas: {
      ...service,
      ...changes,
      createAutoTx: async (autoTx) => {
        sent.push(autoTx);
        return (changes.createAutoTx ?? service.createAutoTx)(autoTx);
      },
      updateAutoTx: async (id, change) => {
        changed.push(change);
        return (changes.updateAutoTx ?? service.updateAutoTx)(id, change);
      },
      ...rest.gas,
    },
  });
  if (!isOpen) {
    await shown.shows(edited === undefined ? 'No auto-txs yet' : '▸');
    await shown.press(edited === undefined ? 'n' : 'e');
  }
  await shown.shows('Esc leaves');
  const { sending, ...form } = formOf(shown);
  return { ...shown, ...form, sent, changed, sends: sending(sent), changes: sending(changed) };
}
