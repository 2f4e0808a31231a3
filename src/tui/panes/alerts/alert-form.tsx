import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useState } from 'react';
import { alertChoices } from '../../../client/openapi.ts';
import { describeCondition, weiOfTypedGwei } from '../../../client/views/describe-alerts.ts';
import { useNow } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useDescription } from '../../data/queries.ts';
import { Question } from '../../input/confirm.tsx';
import { useModalKeys } from '../../input/use-keys.tsx';
import { type Line, LineList, OneLine, scrolledTo, wrapText } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { presentOf } from '../explorer/place-frame.tsx';
import { untilText } from './alert-columns.ts';
import type { AlertsAction, AlertsView } from './alerts-state.ts';
import { bodyOf, problemsOf } from './form-check.ts';
import { type FieldId, fieldsOf } from './form-fields.ts';
import { alertFieldLines } from './form-lines.ts';
import { type FormState, moveFocus, pressIn, refused, showProblems, typeIn } from './form-state.ts';
import { SpokenForm } from './spoken-form.tsx';
import { loadAlertCheck, useAlertCheck } from './use-alert-check.ts';
import { useAlertPreview } from './use-alert-preview.ts';
import { useCreateAlert } from './use-create-alert.ts';
import { useThresholdReach } from './use-threshold-reach.ts';

interface AlertFormProps extends TabScreenProps {
  readonly view: Extract<AlertsView, { kind: 'form' }>;
  readonly dispatch: (action: AlertsAction) => void;
  readonly onLeave: () => void;
}

/** The form of a new alert; asks before what was typed is thrown away. */
export function AlertForm({ onLeave, ...props }: AlertFormProps) {
  const { view, columns, rows } = props;
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    const isTouched = JSON.stringify(view.form.draft) !== JSON.stringify(view.initial);
    return <Fields {...props} onLeave={() => (isTouched ? setAsking(true) : onLeave())} />;
  }
  return (
    <Question
      title="Leave without making the alert?"
      lines={[conditionTextOf(view.form), 'What was typed is lost.']}
      yes="Leave"
      no="Go on typing"
      width={columns}
      height={rows}
      onYes={onLeave}
      onNo={() => setAsking(false)}
    />
  );
}

function conditionTextOf({ draft }: FormState): string {
  return describeCondition({ ...draft, threshold: weiOfTypedGwei(draft.threshold) });
}

/** What would have come of it may take so many lines. */
const FORETOLD_LINES = 2;
/** Why it is not known how likely the price comes may take a second. */
const LIKELY_LINES = 2;

function Fields({ snapshot, columns, rows, view, dispatch, onLeave }: AlertFormProps) {
  const theme = useTheme();
  const toast = useToast();
  const spoken = useIsScreenReaderEnabled();
  const description = useDescription();
  const check = useAlertCheck();
  const { isSending, create } = useCreateAlert();
  const isUnderWay = useRef(false);
  const { form } = view;
  const offered = alertChoices(description);
  const fields = fieldsOf(form.draft, offered);
  const field = fields.find(({ id }) => id === form.focus) ?? fields[0];
  const body = bodyOf(form.draft);
  const problems = check === null ? null : problemsOf(form.draft, body, check(body), offered);

  const { thresholdGwei } = body;
  const sendable = problems?.size === 0 && thresholdGwei !== undefined ? { ...body, thresholdGwei } : null;
  const present = presentOf(snapshot, useNow());
  const foretold = useAlertPreview(sendable, (at) => untilText(at, present, systemOffset));

  const likely = useThresholdReach(form.draft, snapshot);

  const edit = (change: (form: FormState) => FormState) => {
    if (!isSending) dispatch({ type: 'edit', edit: change });
  };
  const move = (by: number) => edit((before) => moveFocus(before, fields, by));
  const press = (key: string) => {
    if (field !== undefined) edit((before) => pressIn(before, field, key));
  };
  const send = async () => {
    // Not the state, which the next key of a burst may not see yet.
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    await sendOnce().finally(() => {
      isUnderWay.current = false;
    });
  };
  const sendOnce = async () => {
    // Who sends at once may be quicker than the check is loaded.
    const wrong = problems ?? problemsOf(form.draft, body, (await loadAlertCheck())(body), offered);
    if (wrong.size > 0 || thresholdGwei === undefined) {
      const first = fields.find(({ id }) => wrong.has(id));
      edit((before) => showProblems(before, first));
      toast({ kind: 'error', text: `${first?.label ?? 'The alert'} ${wrong.get(first?.id ?? '') ?? ''}` });
      return;
    }
    const made = await create({ ...body, thresholdGwei });
    if (made.kind === 'made') {
      dispatch({ type: 'created', id: made.alert.id, secret: made.alert.signingSecret });
      toast({ kind: 'info', text: `Made: ${describeCondition(made.alert)}` });
      return;
    }
    if (made.kind === 'unknown') {
      const words = `perhaps made: look at the list before sending it again; ${made.reason}`;
      dispatch({ type: 'edit', edit: (before) => refused(before, fields, { '': words }) });
      toast({ kind: 'error', text: `Perhaps made: ${made.reason}` });
      return;
    }
    dispatch({ type: 'edit', edit: (before) => refused(before, fields, made.refusals) });
    toast({ kind: 'error', text: `Not made: ${Object.values(made.refusals).join('; ')}` });
  };
  const isText = field?.kind === 'text';
  const isLast = field !== undefined && field === fields.at(-1);
  useModalKeys(
    'alert-form',
    {
      'field-next': () => move(1),
      'field-previous': () => move(-1),
      'field-left': () => press('left'),
      'field-right': () => press('right'),
      'field-switch': () => press('space'),
      'field-done': () => (isLast ? void send() : move(1)),
      'form-send': () => void send(),
      'form-leave': () => {
        if (!isSending) onLeave();
      },
    },
    {
      onKey: press,
      ...(isText ? { onText: (text) => edit((before) => typeIn(before, field, text)) } : {}),
    },
  );

  const said = (id: FieldId | ''): string | null => {
    const refusal = form.refusals[id];
    if (refusal !== undefined) return refusal;
    const problem = problems?.get(id);
    const isSeen = form.seen === 'all' || form.seen.some((each) => each === id);
    return problem !== undefined && isSeen ? problem : null;
  };
  const context = { form, snapshot, width: columns, theme };
  const blocks = fields.map((each) => alertFieldLines(each, said(each.id), context));
  const general = said('');
  const title: Line = [
    { text: view.like === null ? ' New alert' : ` New alert like ${view.like}`, bold: true },
    { text: isSending ? '   asking the service …' : '   Ctrl-S makes it, Esc leaves', faint: true },
  ];
  const notice: readonly Line[] =
    general === null ? [] : [[{ text: ` ${theme.glyph.warning} ${general}`, color: 'bad' }]];
  const faint = (words: string | null, most: number): readonly Line[] =>
    words === null
      ? []
      : wrapText(theme.text(words), columns - 2, most, theme.glyph.ellipsis).map((text) => [
          { text: ` ${text}`, faint: true },
        ]);
  const odds = faint(likely, LIKELY_LINES);
  const future = [...odds, ...faint(foretold, FORETOLD_LINES)];
  const room = Math.max(rows - 1 - notice.length - FORETOLD_LINES - odds.length, 1);
  const place = fields.findIndex(({ id }) => id === form.focus);
  const from = blocks.slice(0, Math.max(place, 0)).reduce((sum, block) => sum + block.length, 0);
  const end = from + (blocks[place]?.length ?? 1) - 1;
  const top = useRef(0);
  const lines = blocks.flat();
  const most = Math.max(lines.length - room, 0);
  top.current = Math.min(scrolledTo(from, scrolledTo(end, top.current, room), room), most);

  if (spoken) {
    return (
      <SpokenForm
        form={form}
        fields={fields}
        said={said}
        preview={[likely, foretold].filter((words) => words !== null).join('. ') || null}
        title={title}
      />
    );
  }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <OneLine line={title} width={columns} />
      <LineList lines={notice} width={columns} />
      <LineList lines={lines.slice(top.current, top.current + room)} width={columns} />
      <LineList lines={future} width={columns} />
    </Box>
  );
}
