import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useState } from 'react';
import { unknownAutoTxFields } from '../../../client/openapi.ts';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { describeContent, describeTarget } from '../../../client/views/describe-auto-txs.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useDescription, useMonitor } from '../../data/queries.ts';
import { Question } from '../../input/confirm.tsx';
import { useModalKeys } from '../../input/use-keys.tsx';
import { LineList, OneLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { autoTxProblems } from './auto-tx-form-check.ts';
import { type AutoTxFieldId, autoTxFields } from './auto-tx-form-fields.ts';
import {
  type AutoTxFormState,
  autoTxFormOf,
  isTouched,
  moveFocus,
  pressIn,
  refused,
  showProblems,
  typeIn,
} from './auto-tx-form-state.ts';
import { formScreen } from './form-screen.ts';
import { HandOverQuestion } from './hand-over-question.tsx';
import { SpokenAutoTxForm } from './spoken-auto-tx-form.tsx';
import { transactionFacts } from './transaction-lines.ts';
import { useFormOutlook } from './use-form-outlook.ts';
import { usePastedTransaction } from './use-pasted-transaction.ts';
import { useSaveAutoTx } from './use-save-auto-tx.ts';

interface AutoTxFormProps extends TabScreenProps {
  /** The auto-tx to change; `null`: a new one. */
  readonly edited: AutoTxView | null;
  /** Leaves the form: nothing has changed. */
  readonly onLeave: () => void;
  /** The service has it: leaves the form with the cursor on it. */
  readonly onSaved: (id: string) => void;
}

type Edit = (form: AutoTxFormState | null) => AutoTxFormState | null;

const applyEdit = (form: AutoTxFormState | null, edit: Edit) => edit(form);

/**
 * The form of a new auto-tx, or of one that is changed. What was pasted is kept only as long as the form is open, and
 * asked about before it is thrown away.
 */
export function AutoTxForm(props: AutoTxFormProps) {
  const { edited, snapshot, columns, rows, onLeave, onSaved } = props;
  const [first] = useState(() => autoTxFormOf(edited, snapshot));
  // Outlives a window that is too small for it.
  const [kept, dispatch] = useKeptReducer<AutoTxFormState | null, Edit>('auto-tx-form', applyEdit, null);
  const form = kept ?? first;
  const [isAsking, setAsking] = useState(false);
  const close = (then: () => void) => {
    form.signed.drop();
    dispatch(() => null);
    then();
  };
  if (!isAsking) {
    return (
      <Fields
        {...props}
        form={form}
        edit={(change) => dispatch((before) => change(before ?? first))}
        onLeave={() => (isTouched(form) ? setAsking(true) : close(onLeave))}
        onSaved={(id) => close(() => onSaved(id))}
      />
    );
  }
  const pasted = form.signed.length > 0 ? 'What was pasted is forgotten' : 'What was typed is lost';
  return (
    <Question
      title={edited === null ? 'Leave without handing it over?' : 'Leave without changing it?'}
      lines={[`${pasted}; the service has seen nothing of it.`]}
      yes="Leave"
      no="Go on"
      width={columns}
      height={rows}
      onYes={() => close(onLeave)}
      onNo={() => setAsking(false)}
    />
  );
}

interface FieldsProps extends AutoTxFormProps {
  readonly form: AutoTxFormState;
  readonly edit: (change: (form: AutoTxFormState) => AutoTxFormState) => void;
}

function Fields({ snapshot, columns, rows, edited, form, edit, onLeave, onSaved }: FieldsProps) {
  const theme = useTheme();
  const toast = useToast();
  const spoken = useIsScreenReaderEnabled();
  const { host = null, now } = useMonitor();
  const unknown = unknownAutoTxFields(useDescription());
  const { isSending, save } = useSaveAutoTx(edited, unknown);
  const isUnderWay = useRef(false);
  const [isHandingOver, setHandingOver] = useState(false);
  const pasted = usePastedTransaction(form.signed, form.pastes);
  const mayExpire = !unknown.includes('expiresAt');
  const outlook = useFormOutlook(form, pasted, edited, snapshot, mayExpire);
  const fields = autoTxFields(form.draft, form.role, unknown);
  const field = fields.find(({ id }) => id === form.focus) ?? fields[0];
  const problems = autoTxProblems(form, pasted, edited, now());

  const change = (by: (form: AutoTxFormState) => AutoTxFormState) => {
    if (!isSending) edit(by);
  };
  const move = (by: number) => change((before) => moveFocus(before, fields, by));
  const press = (key: string) => {
    if (field !== undefined) change((before) => pressIn(before, field, key));
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
    const saved = await save(form);
    if (saved.kind === 'saved') {
      toast({
        kind: 'info',
        text: `${edited === null ? 'It waits' : 'Changed'}: ${describeTarget(outlook.order)}`,
      });
      onSaved(saved.id);
      return;
    }
    const did = edited === null ? 'handed over' : 'changed';
    if (saved.kind === 'unknown') {
      const words = `perhaps ${did}: look at the list before sending it again; ${saved.reason}`;
      edit((before) => refused(before, fields, { '': words }));
      toast({ kind: 'error', text: `Perhaps ${did}: ${saved.reason}` });
      return;
    }
    edit((before) => refused(before, fields, saved.refusals));
    toast({ kind: 'error', text: `Not ${did}: ${Object.values(saved.refusals).join('; ')}` });
  };
  const submit = () => {
    if (isSending || isUnderWay.current) return;
    const wrong = fields.find(({ id }) => problems.has(id));
    if (wrong !== undefined) {
      edit((before) => showProblems(before, wrong));
      toast({ kind: 'error', text: `${wrong.label} ${problems.get(wrong.id) ?? ''}` });
    } else if (edited !== null && !isTouched(form)) {
      toast({ kind: 'info', text: 'Nothing is changed yet' });
    } else if (host !== null && form.signed.length > 0) {
      setHandingOver(true);
    } else void send();
  };
  const isLast = field !== undefined && field === fields.at(-1);
  const done = () => {
    if (field?.kind === 'signed' && pasted.kind !== 'nothing' && problems.has('signed')) {
      change((before) => showProblems(before, field));
    } else if (isLast) submit();
    else move(1);
  };

  const said = (id: AutoTxFieldId | ''): string | null => {
    const refusal = form.refusals[id];
    if (refusal !== undefined) return refusal;
    const problem = id === '' ? undefined : problems.get(id);
    const isSeen = form.seen === 'all' || form.seen.some((each) => each === id);
    // What was pasted is judged at once; that nothing was, only once that was tried.
    const isJudged = id === 'signed' && pasted.kind !== 'nothing' ? pasted.kind !== 'reading' : isSeen;
    return problem !== undefined && isJudged ? problem : null;
  };
  const isChange = edited !== null && edited.status !== 'DRAFT';
  const hint = `Ctrl-S ${isChange ? 'changes it' : 'hands it over'}, Esc leaves`;
  const title =
    edited === null ? 'New auto-tx' : `${isChange ? 'Change' : 'Sign the draft'}: ${describeContent(edited)}`;
  const progress = isSending ? 'asking the service …' : hint;

  if (isHandingOver && host !== null) {
    return (
      <HandOverQuestion
        host={host}
        pasted={pasted}
        order={outlook.order}
        width={columns}
        height={rows}
        onYes={() => {
          setHandingOver(false);
          void send();
        }}
        onNo={() => setHandingOver(false)}
      />
    );
  }
  const keys = (
    <FormKeys
      press={press}
      type={field?.kind === 'one' ? null : (text) => field && change((before) => typeIn(before, field, text))}
      takesLines={field?.kind === 'signed'}
      move={move}
      done={done}
      submit={submit}
      leave={() => {
        if (!isSending) onLeave();
      }}
    />
  );
  if (spoken) {
    const facts =
      pasted.kind === 'transaction'
        ? transactionFacts(pasted.transaction, pasted.call, snapshot.nativeUsd).map(
            ({ name, value }) => `${name}: ${value}`,
          )
        : [];
    const further = [
      ...(form.focus === 'signed' ? facts : []),
      ...(outlook.price === null ? [] : [outlook.price]),
      ...(outlook.odds === null ? [] : [outlook.odds]),
      ...(outlook.checks ?? []).map(
        ({ name, ok, message }) =>
          `${name}, ${ok === null ? 'not known' : ok ? 'good' : 'failed'}: ${message}`,
      ),
    ];
    return (
      <>
        {keys}
        <SpokenAutoTxForm {...{ form, fields, pasted, said, further }} title={`${title}, ${progress}`} />
      </>
    );
  }
  const context = { form, pasted, outlook, edited, host, snapshot, width: columns, theme };
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {keys}
      <OneLine
        line={[
          { text: ` ${title}`, bold: true },
          { text: `   ${progress}`, faint: true },
        ]}
        width={columns}
      />
      <LineList lines={formScreen(fields, said, context, rows - 1)} width={columns} />
    </Box>
  );
}

interface FormKeysProps {
  readonly press: (key: string) => void;
  /** `null`: letters are keys here. */
  readonly type: ((text: string) => void) | null;
  readonly takesLines: boolean;
  readonly move: (by: number) => void;
  readonly done: () => void;
  readonly submit: () => void;
  readonly leave: () => void;
}

function FormKeys({ press, type, takesLines, move, done, submit, leave }: FormKeysProps) {
  useModalKeys(
    'auto-tx-form',
    {
      'field-next': () => move(1),
      'field-previous': () => move(-1),
      'field-left': () => press('left'),
      'field-right': () => press('right'),
      'field-switch': () => press('space'),
      'field-clear': () => press('ctrl+u'),
      'field-done': done,
      'form-send': submit,
      'form-leave': leave,
    },
    { onKey: press, takesLines, ...(type === null ? {} : { onText: type }) },
  );
  return null;
}
