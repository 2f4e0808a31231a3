import { alertChoices } from '../../../client/openapi.ts';
import type { AlertView } from '../../../client/views/alerts.ts';
import { describeCondition, isOn, statusWord } from '../../../client/views/describe-alerts.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useDescription } from '../../data/queries.ts';
import { useAlertEdits } from '../../hooks/use-alert-edits.ts';

/** What the keys do to one alert, in the list and in its details. */
export function useAlertActions() {
  const { edits, deletions } = useAlertEdits();
  const toast = useToast();
  const { statuses } = alertChoices(useDescription());
  return {
    deletions,
    toggle: (alert: AlertView) =>
      edits.setStatus(alert, statusWord(statuses, isOn(alert.status) ? 'off' : 'on')),
    remove: (alert: AlertView) => edits.remove(alert),
    undo: () => {
      const back = edits.undo();
      if (back === null) toast({ kind: 'info', text: 'Nothing to undo' });
      else toast({ kind: 'info', text: `${describeCondition(back)} is back` });
    },
  };
}
