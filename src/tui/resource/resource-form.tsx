import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { refusalText } from '../app/connection.ts';
import { useKeptState } from '../app/ui-state.ts';
import { useToast } from '../chrome/toast.tsx';
import { useWork } from '../data/mutations.ts';
import { type Confirmation, ConfirmDialog } from '../input/confirm.tsx';
import {
  type FormField,
  type FormState,
  fieldLines,
  moveFocus,
  partsOfPath,
  pressIn,
  showProblems,
  spokenField,
  typeIn,
  type Values,
} from '../input/form.ts';
import { useModalKeys } from '../input/use-keys.tsx';
import { wrappedLines } from '../ui/fact-list.tsx';
import { useRoom } from '../ui/pane-context.tsx';
import { bold, faint, type Line, LineList, SpokenSentences, scrolledTo } from '../ui/text.tsx';
import type { FormProps } from './resource.ts';

type Edit = <Form extends FormState>(form: Form) => Form;

export function useFormState<Draft extends Values>(id: string, open: () => FormState<Draft>) {
  const [first] = useState(open);
  const [kept, set] = useKeptState<FormState<Draft> | null>(id, null);
  return {
    form: kept ?? first,
    edit: (change: Edit) => set((before) => change(before ?? first)),
    close: () => set(() => null),
  };
}

/** The problem of a field (`''`: of none), if it is to be shown yet. */
type ShownProblem = (id: string) => string | null;

interface ResourceFormProps
  extends Pick<FormProps<unknown>, 'onLeave' | 'onSaved'>,
    Pick<ReturnType<typeof useFormState>, 'form' | 'edit' | 'close'> {
  readonly resource: 'alert' | 'auto-tx';
  readonly title: string;
  readonly isChange: boolean;
  readonly isDirty: boolean;
  /** What the form does when nothing exists yet: `made`, `making`. */
  readonly verb: { readonly done: string; readonly doing: string };
  readonly fields: readonly FormField[];
  /** The problems of the draft, by field, as text to follow the field's label. */
  readonly problems: ReadonlyMap<string, string>;
  /** `true`: shows this field's problem before the user has left it; `false`: not yet. */
  readonly isJudged?: (id: string) => boolean | undefined;
  readonly save: () => Promise<{ readonly id: string; readonly secret?: string | null }>;
  readonly saved: string;
  /** The confirmation before the draft is submitted, judged at that moment; `null`: none needed. */
  readonly confirm?: () => Promise<Confirmation | null>;
  /** The form field of a path in the request body (`''`: none), if it is not the one of that name. */
  readonly fieldOfPath?: (path: string) => string;
  readonly leave: { readonly what: string } & Pick<Confirmation, 'lines' | 'no'>;
  /** The lines under a field. */
  readonly under?: (field: FormField) => readonly Line[];
  /** Hides the other fields while this one has the focus. */
  readonly alone?: string | null;
  /** The lines under the fields, whose room is reserved. */
  readonly below: readonly Line[];
  /** Further lines in the room that is left. */
  readonly rest?: (room: number) => readonly Line[];
  readonly spoken: readonly string[];
}

const NOTICE_LINES = 2;
const CHANGE = { done: 'changed', doing: 'changing' };

/** A form: validates fields while typing, shows a service's refusals, and confirms before it is discarded. */
export function ResourceForm(props: ResourceFormProps) {
  const { resource, edit, fields, problems, isChange, isDirty, leave, confirm } = props;
  const { done, doing } = isChange ? CHANGE : props.verb;
  const toast = useToast();
  const { mutateAsync } = useWork<Awaited<ReturnType<typeof props.save>>>(resource);
  const fieldOfName = (path: string) => {
    const [name = ''] = partsOfPath(path);
    return Object.hasOwn(props.form.draft, name) ? name : '';
  };
  // The confirmation as it was opened: prices change meanwhile.
  const [opened, setOpened] = useState<(Confirmation & { readonly run: () => void }) | null>(null);
  const [isSending, setSending] = useState(false);
  // The next key of a burst may come before the state is committed.
  const isUnderWay = useRef(false);
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
  const onLeave = () => {
    props.close();
    props.onLeave();
  };
  const send = async () => {
    try {
      await during(async () => {
        const said = `${done.charAt(0).toUpperCase()}${done.slice(1)}: ${props.saved}`;
        const failed = `${props.saved} is not ${done}`;
        const saved = await mutateAsync({ done: said, failed, isSilent: true, work: props.save });
        props.close();
        props.onSaved({ ...saved, isChange });
      });
    } catch (cause) {
      const refusals = refusalsOf(cause, done, props.fieldOfPath ?? fieldOfName);
      edit((before) => showProblems(before, fields, (id) => id in refusals, refusals));
    }
  };
  const submit = async () => {
    if (isUnderWay.current) return;
    if (problems.size > 0) {
      const wrong = fields.find(({ id }) => problems.has(id));
      // Problems without a field are shown above the fields.
      const refusals = wrong === undefined ? Object.fromEntries(problems) : props.form.refusals;
      edit((before) => showProblems(before, fields, (id) => id === wrong?.id, refusals));
    } else if (isChange && !isDirty) toast({ kind: 'info', text: 'Nothing is changed yet' });
    else {
      const dialog = confirm === undefined ? null : await during(confirm);
      if (dialog === null) await send();
      else setOpened({ ...dialog, run: () => void send() });
    }
  };
  if (opened === null) {
    const { what, ...words } = leave;
    const dialog = { title: `Leave without ${doing} ${what}?`, yes: 'Leave', ...words };
    const askToLeave = () => (isDirty ? setOpened({ ...dialog, run: onLeave }) : onLeave());
    return <Fields {...props} isSending={isSending} submit={() => void submit()} onLeave={askToLeave} />;
  }
  const { run, ...dialog } = opened;
  const close = () => setOpened(null);
  const onYes = () => {
    close();
    run();
  };
  return <ConfirmDialog {...dialog} onYes={onYes} onNo={close} />;
}

function refusalsOf(
  cause: unknown,
  did: string,
  fieldOfPath: (path: string) => string,
): Record<string, string> {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  if (error instanceof ClientError && error.mayBeDone) {
    return { '': `perhaps ${did}: look at the list before sending it again; ${refusalText(error)}` };
  }
  const details = error instanceof ClientError ? error.details : [];
  const refusals: Record<string, string> = {};
  for (const { path, message } of details) {
    const field = fieldOfPath(path);
    const words = field === '' && path !== '' ? `${path} ${message}` : message;
    refusals[field] = refusals[field] === undefined ? words : `${refusals[field]}; ${words}`;
  }
  return details.length === 0 ? { '': error.message.replaceAll('\n', ' ') } : refusals;
}

interface FieldsProps extends ResourceFormProps {
  readonly isSending: boolean;
  readonly submit: () => void;
}

function Fields(props: FieldsProps) {
  const { title, form, fields, problems, isSending, submit, alone, below, spoken } = props;
  const { columns, rows } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const place = Math.max(
    fields.findIndex(({ id }) => id === form.focus),
    0,
  );
  const field = fields[place];
  const edit: typeof props.edit = (change) => {
    if (!isSending) props.edit(change);
  };
  const move = (by: number) => edit((before) => moveFocus(before, fields, by));
  const press = (key: string) => {
    if (field !== undefined) edit((before) => pressIn(before, field, key));
  };
  const done = () => {
    if (field?.kind === 'pasted' && field.description !== null && problems.has(field.id)) {
      edit((before) => showProblems(before, fields, (id) => id === field.id));
    } else if (place === fields.length - 1) submit();
    else move(1);
  };
  useModalKeys(
    `${props.resource}-form`,
    {
      'field-next': () => move(1),
      'field-previous': () => move(-1),
      ...((field?.kind === 'one' || field?.kind === 'many') && {
        'field-left': () => press('left'),
        'field-right': () => press('right'),
        'field-switch': () => press('space'),
      }),
      'field-done': done,
      'form-send': submit,
      'form-leave': () => {
        if (!isSending) props.onLeave();
      },
    },
    {
      onKey: press,
      takesLines: field?.kind === 'pasted',
      ...((field?.kind === 'text' || field?.kind === 'pasted') && {
        onText: (text: string) => edit((before) => typeIn(before, field, text)),
      }),
    },
  );

  const problemOf: ShownProblem = (id) => {
    const isTouched = form.touched === 'all' || form.touched.includes(id);
    const problem = (props.isJudged?.(id) ?? isTouched) ? problems.get(id) : undefined;
    return form.refusals[id] ?? problem ?? null;
  };
  const general = problemOf('');
  const progress = isSending ? 'asking the service …' : 'Ctrl-S saves it, Esc leaves';
  if (isSpoken) {
    const sentence = (each: FormField) =>
      [spokenField(each, form), problemOf(each.id)].filter((part) => part !== null).join(', ');
    const sentences = [
      `${title}, ${progress}`,
      general ?? '',
      ...(field ? [`Field ${place + 1} of ${fields.length}, ${sentence(field)}, ${field.hint}`] : []),
      ...fields.filter((each) => each !== field).map(sentence),
      ...spoken,
    ];
    return <SpokenSentences sentences={sentences} />;
  }
  const notice = wrappedLines(general && `! ${general}`, columns, {
    most: NOTICE_LINES,
    look: { color: 'bad' },
  });
  const heading: Line = [bold(` ${title}`), faint(`   ${progress}`)];
  const room = Math.max(rows - 1 - notice.length - below.length, 1);
  const blocks = fields.map((each) => [
    ...fieldLines(each, form, problemOf(each.id), columns),
    ...(props.under?.(each) ?? []),
  ]);
  const isAlone = alone === field?.id;
  const lines = visibleLines(isAlone ? [blocks[place] ?? []] : blocks, isAlone ? 0 : place, room);
  const rest = props.rest?.(room - lines.length) ?? [];
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <LineList lines={[heading, ...notice, ...lines, ...below, ...rest]} />
    </Box>
  );
}

/** As many lines of `blocks` as fit into `rows`, including the block at `focus`. */
function visibleLines(blocks: readonly (readonly Line[])[], focus: number, rows: number): readonly Line[] {
  const from = blocks.slice(0, Math.max(focus, 0)).reduce((sum, block) => sum + block.length, 0);
  const end = from + (blocks[focus]?.length ?? 1) - 1;
  const lines = blocks.flat();
  if (lines.length <= rows) return lines;
  // One row counts the hidden lines.
  const room = Math.max(rows - 1, 1);
  const top = scrolledTo(from, scrolledTo(end, 0, room), room);
  const below = Math.max(lines.length - top - room, 0);
  const hidden = [...(top > 0 ? [`${top} above`] : []), ...(below > 0 ? [`${below} more (Tab)`] : [])];
  return [...lines.slice(top, top + room), [{ text: `   ${hidden.join(', ')}`, faint: true }]];
}
