import type { AlertView } from '../../../client/views/alerts.ts';
import { describeCondition } from '../../../client/views/describe-alerts.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatCount } from '../../../core/units.ts';
import { Question } from '../../input/confirm.tsx';

interface DeleteQuestionProps {
  readonly alert: AlertView;
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks before an alert is deleted, and says what goes with it. */
export function DeleteQuestion({ alert, ...rest }: DeleteQuestionProps) {
  const { note, triggerCount } = alert;
  return (
    <Question
      title="Delete this alert?"
      lines={[
        describeCondition(alert),
        ...(note === null || note === '' ? [] : [cleanText(note)]),
        ...(triggerCount === null || triggerCount === 0
          ? []
          : [`It has fired ${formatCount(triggerCount)} ×; the log of what it sent goes with it.`]),
        'It can be undone for 10 s.',
      ]}
      yes="Delete"
      no="Keep it"
      {...rest}
    />
  );
}
