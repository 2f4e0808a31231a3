import { alertChoices, describedRoute } from '../../../client/openapi.ts';
import { describeCondition } from '../../../client/views/alert-texts.ts';
import type { AlertView } from '../../../client/views/alerts.ts';
import { ANY_SERVICE } from '../../../contract/alert-targets.ts';
import { checkAlert } from '../../../contract/alerts.ts';
import { PATHS } from '../../../contract/routes.ts';
import { thresholdText } from '../../../core/threshold/threshold.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useMonitor } from '../../data/monitor-context.ts';
import { useDescription } from '../../data/queries.ts';
import { DialogBox } from '../../input/confirm.tsx';
import { formOf, formProblems } from '../../input/form.ts';
import { useModalKeys } from '../../input/use-keys.tsx';
import { ResourceForm, type Saved, useFormState } from '../../resource/resource-form.tsx';
import type { FormProps } from '../../resource/resource-pane.tsx';
import { wrappedLines } from '../../ui/fact-list.tsx';
import { usePane, usePaneMemory } from '../../ui/pane-context.tsx';
import { bold, EMPTY_LINE, filledTo, plain } from '../../ui/text.tsx';
import {
  type AlertDraft,
  alertBodyOf,
  alertDraftOf,
  alertFields,
  channelsOf,
  DEFAULT_ALERT_DRAFT,
  describeForms,
  readThreshold,
} from './alert-draft.ts';
import { useAlertOutlook } from './use-outlook.ts';

export function useAlertOffer() {
  const { isOwnService } = useMonitor();
  const description = useDescription();
  const choices = alertChoices(description, isOwnService);
  return {
    choices,
    /** Whether an alert may wait for something else than a price in gwei; `null`: not known yet. */
    takesRules: description === undefined && !isOwnService ? null : !choices.unknown.includes('threshold'),
    canChange: isOwnService || describedRoute(description, PATHS.alert, 'put') !== null,
  };
}

/** Lines of the preview, and at most of the reach. */
const MOST_LINES = 2;

export function AlertForm({ seed, onLeave, onSaved }: FormProps<AlertView>) {
  const { width } = usePane();
  const { client } = useMonitor();
  const { choices: offered, takesRules } = useAlertOffer();
  const { like, isChange = false, prefill } = seed;
  const { madeOf = null, ...values } = prefill ?? {};
  const [made, setMade] = usePaneMemory<Saved | null>('alert-made', null);
  const [lastRule, setLastRule] = usePaneMemory('alert-rule', '');
  const state = useFormState('alert-form', () => {
    const fresh = { ...DEFAULT_ALERT_DRAFT, threshold: takesRules === false ? '' : lastRule, ...values };
    const draft = like === undefined ? fresh : alertDraftOf(like);
    // A new alert starts with a channel that the service offers; others keep theirs.
    const isOffered = channelsOf(draft).some((channel) => offered.channels.includes(channel));
    const channels = like || isOffered ? draft.channels : (offered.channels[0] ?? '');
    // A note is the user's own text, also in a copy: typing continues it.
    return formOf({ ...draft, channels }, 'threshold', ['note']);
  });
  const draft: AlertDraft = { ...DEFAULT_ALERT_DRAFT, ...state.form.draft };
  const typed = readThreshold(draft.threshold, takesRules);
  const fields = alertFields(draft, offered, typed.problem, takesRules);
  const body = alertBodyOf(draft, typed.threshold);
  const { method } = body;
  const fieldOf = (name: string, channel: string) => {
    if (name === 'thresholdGwei') return 'threshold';
    if (name === 'to') return method === undefined ? 'channels' : `to:${method}`;
    return name === 'method' ? 'channels' : name === 'targets' ? `to:${channel}` : name;
  };
  const problems = formProblems(fields, checkAlert(body, ANY_SERVICE), fieldOf);
  const alert = problems.size > 0 || typed.threshold === null ? null : body;
  const changed = isChange && like !== undefined ? like : null;
  const { watched, beside, reach, preview } = useAlertOutlook(draft, typed.threshold, alert, changed);
  const isEmpty = draft.threshold.trim() === '';
  const faint = (words: string | null) =>
    wrappedLines(words, width, { most: MOST_LINES, look: { faint: true } });
  const named = like === undefined ? '' : `${isChange ? '' : ' like '}${describeCondition(like)}`;
  const saved = describeCondition(watched);
  const isRise = like === undefined && draft.condition === 'GREATER_THAN';
  if (made !== null) {
    const onClose = () => {
      setMade(null);
      onSaved(made.id);
    };
    return <SecretBox secret={made.secret ?? ''} onClose={onClose} />;
  }
  return (
    <ResourceForm
      {...{ ...state, onLeave, problems, fieldOf, isChange, saved }}
      fields={fields.map((field) => (field.id === 'threshold' ? { ...field, beside } : field))}
      resource="alert"
      title={`${isChange ? 'Change ' : isRise ? 'New alert for a rise' : 'New alert'}${named}`}
      save={async () => {
        if (alert === null) throw new Error('the alert is not complete');
        const answer = isChange && like ? client.updateAlert(like.id, alert) : client.createAlert(alert);
        const { id = like?.id ?? '', signingSecret: secret = null } = (await answer) ?? {};
        setLastRule(watched.rule === null ? '' : thresholdText(watched.rule));
        return { id, secret };
      }}
      onSaved={(done) => (done.secret ? setMade(done) : onSaved(done.id))}
      lost={[saved, 'What was typed is lost.']}
      // The preview comes and goes while typing: its lines stay reserved.
      below={[
        ...faint(madeOf),
        ...faint(reach),
        ...filledTo(faint(preview ?? (isEmpty ? describeForms(takesRules) : null)), MOST_LINES),
      ]}
      rest={(room) => {
        const forms = isEmpty ? [] : faint(describeForms(takesRules));
        return forms.length < room ? [EMPTY_LINE, ...forms] : [];
      }}
    />
  );
}

/** The secret that signs the webhooks of all alerts. The service returns it when an alert gets a webhook. */
function SecretBox({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const copy = useClipboard();
  useModalKeys('secret', { copy: () => copy(secret, 'the signing secret'), close: onClose });
  const lines = [
    ...[' ', secret, ' '],
    'Give it to the receiver, which checks the header X-Gastop-Signature with it. It is shown again when another alert gets a webhook; gastop alerts rotate-secret changes it.',
  ];
  return (
    <DialogBox
      title="This secret signs the webhooks of all your alerts:"
      lines={lines}
      last={[bold('y'), plain(' copies it   '), bold('⏎'), plain(' closes')]}
    />
  );
}
