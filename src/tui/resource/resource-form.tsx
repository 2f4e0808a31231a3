import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { refusalText } from '../app/connection.ts';
import { useKeptState } from '../app/ui-state.ts';
import { useToast } from '../chrome/toast.tsx';
import { Question } from '../input/confirm.tsx';
import {
  type FormField,
  type FormState,
  moveFocus,
  pressIn,
  showProblems,
  spokenField,
  typeIn,
} from '../input/form.ts';
import { useModalKeys } from '../input/use-keys.tsx';
import { type Line, LineList, OneLine, SpokenSentences, scrolledTo, wrapText } from '../ui/text.tsx';
import { useTheme } from '../ui/theme.ts';
import type { Confirmation } from './types.ts';

type Edit<Draft> = (form: FormState<Draft>) => FormState<Draft>;

/** The state of an open form. It survives a look at another tab, until it is closed. */
export function useFormState<Draft>(id: string, open: () => FormState<Draft>) {
  const [first] = useState(open);
  const [kept, set] = useKeptState<FormState<Draft> | null>(id, null);
  return {
    form: kept ?? first,
    edit: (change: Edit<Draft>) => set((before) => change(before ?? first)),
    close: () => set(() => null),
  };
}

/** What is wrong with a field (`''`: with none of them), as far as it is to be said yet. */
export type SaidProblem = (id: string) => string | null;

interface ResourceFormProps<Draft> {
  readonly scope: 'alert-form' | 'auto-tx-form';
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly form: FormState<Draft>;
  readonly edit: (change: Edit<Draft>) => void;
  readonly fields: readonly FormField<Draft>[];
  /** What is wrong with the draft, by field, in words that go after the field's label. */
  readonly problems: ReadonlyMap<string, string>;
  /** `true`: a problem of this field is said although the user has not left it yet; `false`: it is not said yet. */
  readonly isJudged?: (id: string) => boolean | undefined;
  /** What sending does, as a participle: `made`. */
  readonly did: string;
  /** Sends the draft and closes the form. Rejects when the service refuses. */
  readonly send: () => Promise<void>;
  /** What is asked before the draft is sent, judged at that moment; `null`: it is sent at once. */
  readonly confirm?: () => Promise<Confirmation | null>;
  /** Why there is nothing to send; `null`: there is. */
  readonly unchanged?: string | null;
  /** The field that a path of the request's body is typed in. */
  readonly fieldOfPath: (path: string) => string;
  /** Asked before the form is closed and something would be lost. */
  readonly leave: Confirmation;
  readonly isDirty: boolean;
  readonly onLeave: () => void;
  /** The lines below the title, at most `rows`. */
  readonly body: (said: SaidProblem, rows: number) => readonly Line[];
  /** What follows from the draft, for a screen reader. */
  readonly spoken: readonly string[];
}

const NOTICE_LINES = 2;
/** Around a question. */
const MARGINS = 6;
const LINE_MOST = 4;

/** A form: checks its fields while they are typed, shows what a service refuses, and asks before it is thrown away. */
export function ResourceForm<Draft>(props: ResourceFormProps<Draft>) {
  const { columns, rows, confirm, leave, onLeave } = props;
  // The question as it was asked: prices change while it is open.
  const [asked, setAsked] = useState<{ readonly question: Confirmation; readonly isLeave: boolean } | null>(
    null,
  );
  const sending = useSending(props);
  if (asked !== null) {
    const { question, isLeave } = asked;
    return (
      <Question
        {...question}
        lines={question.lines.flatMap((line) => wrapText(line, columns - MARGINS, LINE_MOST, '…'))}
        width={columns}
        height={rows}
        onYes={() => {
          setAsked(null);
          if (isLeave) onLeave();
          else void sending.send();
        }}
        onNo={() => setAsked(null)}
      />
    );
  }
  return (
    <Fields
      {...props}
      isSending={sending.isSending}
      submit={() => {
        if (!sending.isReady()) return;
        if (confirm === undefined) return void sending.send();
        void sending.during(confirm).then((question) => {
          if (question === null) return sending.send();
          setAsked({ question, isLeave: false });
        });
      }}
      onLeave={() => (props.isDirty ? setAsked({ question: leave, isLeave: true }) : onLeave())}
    />
  );
}

/** Sends the form once, and shows what the service has against it at its fields. */
function useSending<Draft>(props: ResourceFormProps<Draft>) {
  const { form, edit, fields, problems, did, unchanged = null, fieldOfPath } = props;
  const toast = useToast();
  const [isSending, setSending] = useState(false);
  // The next key of a burst may come before the state is committed.
  const isUnderWay = useRef(false);
  const refuse = (refusals: Readonly<Record<string, string>>) =>
    edit((before) => showProblems(before, fields, (id) => id in refusals, refusals));
  const isReady = () => {
    if (isUnderWay.current) return false;
    if (problems.size > 0) {
      const wrong = fields.find(({ id }) => problems.has(id));
      const refusals = wrong === undefined ? Object.fromEntries(problems) : form.refusals;
      edit((before) => showProblems(before, fields, (id) => id === wrong?.id, refusals));
      return false;
    }
    if (unchanged !== null) toast({ kind: 'info', text: unchanged });
    return unchanged === null;
  };
  const during = async <Made,>(work: () => Promise<Made>): Promise<Made> => {
    isUnderWay.current = true;
    setSending(true);
    try {
      return await work();
    } finally {
      isUnderWay.current = false;
      setSending(false);
    }
  };
  const send = async () => {
    try {
      await during(props.send);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (error instanceof ClientError && error.mayBeDone) {
        const reason = refusalText(error);
        refuse({ '': `perhaps ${did}: look at the list before sending it again; ${reason}` });
      } else refuse(refusalsOf(error, fieldOfPath));
    }
  };
  return { isSending, isReady, during, send };
}

function refusalsOf(error: Error, fieldOfPath: (path: string) => string): Record<string, string> {
  const details = error instanceof ClientError ? error.details : [];
  const refusals: Record<string, string> = {};
  for (const { path, message } of details) {
    const field = fieldOfPath(path);
    const words = field === '' && path !== '' ? `${path} ${message}` : message;
    refusals[field] = refusals[field] === undefined ? words : `${refusals[field]}; ${words}`;
  }
  return details.length === 0 ? { '': error.message.replaceAll('\n', ' ') } : refusals;
}

interface FieldsProps<Draft> extends ResourceFormProps<Draft> {
  readonly isSending: boolean;
  readonly submit: () => void;
}

function Fields<Draft>(props: FieldsProps<Draft>) {
  const { scope, title, columns, rows, form, fields, problems, isSending, submit, body, spoken } = props;
  const theme = useTheme();
  const isSpoken = useIsScreenReaderEnabled();
  const field = fields.find(({ id }) => id === form.focus) ?? fields[0];
  const edit: typeof props.edit = (change) => {
    if (!isSending) props.edit(change);
  };
  const move = (by: number) => edit((before) => moveFocus(before, fields, by));
  const press = (key: string) => {
    if (field !== undefined) edit((before) => pressIn(before, field, key));
  };
  const done = () => {
    if (field?.kind === 'pasted' && field.said !== null && problems.has(field.id)) {
      edit((before) => showProblems(before, fields, (id) => id === field.id));
    } else if (field !== undefined && field === fields.at(-1)) submit();
    else move(1);
  };
  useModalKeys(
    scope,
    {
      'field-next': () => move(1),
      'field-previous': () => move(-1),
      ...(field?.kind === 'one' || field?.kind === 'many'
        ? {
            'field-left': () => press('left'),
            'field-right': () => press('right'),
            'field-switch': () => press('space'),
          }
        : {}),
      'field-done': done,
      'form-send': submit,
      'form-leave': () => {
        if (!isSending) props.onLeave();
      },
    },
    {
      onKey: press,
      takesLines: field?.kind === 'pasted',
      ...(field?.kind === 'text' || field?.kind === 'pasted'
        ? { onText: (text: string) => edit((before) => typeIn(before, field, text)) }
        : {}),
    },
  );

  const said: SaidProblem = (id) => {
    const refusal = form.refusals[id];
    if (refusal !== undefined) return refusal;
    const problem = id === '' ? undefined : problems.get(id);
    const isTouched = form.touched === 'all' || form.touched.includes(id);
    return problem !== undefined && (props.isJudged?.(id) ?? isTouched) ? problem : null;
  };
  const general = said('');
  const progress = isSending ? 'asking the service …' : 'Ctrl-S saves it, Esc leaves';
  if (isSpoken) {
    const place = Math.max(
      fields.findIndex(({ id }) => id === form.focus),
      0,
    );
    const sentence = (each: FormField<Draft>) =>
      [spokenField(each, form), said(each.id)].filter((part) => part !== null).join(', ');
    const sentences = [
      `${title}, ${progress}`,
      ...(general === null ? [] : [general]),
      ...(field === undefined
        ? []
        : [`Field ${place + 1} of ${fields.length}, ${sentence(field)}, ${field.hint}`]),
      ...fields.filter((each) => each !== field).map(sentence),
      ...spoken,
    ];
    return <SpokenSentences sentences={sentences} />;
  }
  const warning = general === null ? '' : theme.text(`${theme.glyph.warning} ${general}`);
  const notice = wrapText(warning, columns - 2, NOTICE_LINES, theme.glyph.ellipsis).map(
    (text): Line => [{ text: ` ${text}`, color: 'bad' }],
  );
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <OneLine
        line={[
          { text: ` ${title}`, bold: true },
          { text: `   ${progress}`, faint: true },
        ]}
        width={columns}
      />
      <LineList lines={[...notice, ...body(said, Math.max(rows - 1 - notice.length, 1))]} width={columns} />
    </Box>
  );
}

/** As many lines of `blocks` as fit into `rows`, with the block at `focus` among them. */
export function visibleLines(
  blocks: readonly (readonly Line[])[],
  focus: number,
  rows: number,
): readonly Line[] {
  const from = blocks.slice(0, Math.max(focus, 0)).reduce((sum, block) => sum + block.length, 0);
  const end = from + (blocks[focus]?.length ?? 1) - 1;
  const lines = blocks.flat();
  if (lines.length <= rows) return lines;
  // One row says what is hidden.
  const room = Math.max(rows - 1, 1);
  const top = scrolledTo(from, scrolledTo(end, 0, room), room);
  const below = Math.max(lines.length - top - room, 0);
  const hidden = [...(top > 0 ? [`${top} above`] : []), ...(below > 0 ? [`${below} more (Tab)`] : [])];
  return [...lines.slice(top, top + room), [{ text: `   ${hidden.join(', ')}`, faint: true }]];
}
