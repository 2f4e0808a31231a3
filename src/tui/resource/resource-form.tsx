import { Box, useIsScreenReaderEnabled } from 'ink';
import { useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { useToast } from '../chrome/toast.tsx';
import { useMonitor } from '../data/monitor-context.ts';
import { useWork } from '../data/mutations.ts';
import { type Confirmation, useConfirmation } from '../input/confirm.tsx';
import {
  changedIn,
  type FieldOfPath,
  type FormField,
  type FormState,
  fieldAt,
  fieldLines,
  moveFocus,
  pressIn,
  showProblems,
  typeIn,
} from '../input/form.ts';
import { useModalKeys } from '../input/use-keys.tsx';
import { wrappedLines } from '../ui/fact-list.tsx';
import { SPOKEN_WIDTH, usePaneMemory, useRoom } from '../ui/pane-context.tsx';
import { refusalText } from '../ui/pane-state.tsx';
import { selectedPlace } from '../ui/scroll.tsx';
import { bold, faint, type Line, LineList, plain, scrolledTo } from '../ui/text.tsx';

type Edit = (form: FormState) => FormState;

export function useFormState(id: string, open: () => FormState) {
  const [first] = useState(open);
  const [saved, set] = usePaneMemory<FormState | null>(id, null);
  return {
    form: saved ?? first,
    edit: (change: Edit) => set((before) => change(before ?? first)),
    close: () => set(null),
  };
}

export interface Saved {
  readonly id: string;
  readonly secret?: string | null;
}

interface ResourceFormProps extends Pick<ReturnType<typeof useFormState>, 'form' | 'edit' | 'close'> {
  readonly resource: 'alert' | 'auto-tx';
  readonly title: string;
  readonly isChange: boolean;
  readonly fields: readonly FormField[];
  /** The problems of the draft, by field. */
  readonly problems: ReadonlyMap<string, string>;
  readonly save: () => Promise<Saved>;
  readonly saved: string;
  readonly onLeave: () => void;
  readonly onSaved: (saved: Saved) => void;
  /** The confirmation before the draft is submitted, judged at that moment; `null`: none needed. */
  readonly confirm?: () => Promise<Confirmation | null>;
  /** Default: the field of that name. */
  readonly fieldOf?: FieldOfPath;
  /** What is lost when the form is left. */
  readonly lost: readonly string[];
  /** The lines under the fields, whose room is reserved. */
  readonly below: readonly Line[];
  /** Further lines in the room that is left. */
  readonly rest?: (room: number) => readonly Line[];
}

const NOTICE_LINES = 2;
const FORGETS_SHOWN_MS = 5_000;
const CHANGE = { done: 'changed', doing: 'changing' };
const WORDS = {
  alert: { done: 'made', doing: 'making', what: 'the alert', no: 'Go on typing' },
  'auto-tx': { done: 'scheduled', doing: 'scheduling', what: 'it', no: 'Stay' },
};

/** A form: validates fields while typing, shows a service's refusals, and confirms before it is discarded. */
export function ResourceForm(props: ResourceFormProps) {
  const { resource, form, fields, problems, isChange, below } = props;
  const { columns, rows } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const width = isSpoken ? SPOKEN_WIDTH : columns;
  const toast = useToast();
  const { mutateAsync } = useWork<Saved>(resource);
  // The confirmation as it was opened: prices change meanwhile.
  const { dialog, ask } = useConfirmation();
  const [isSending, setSending] = useState(false);
  const { forgetful } = useMonitor();
  const { done, doing, what, no } = { ...WORDS[resource], ...(isChange && CHANGE) };
  const isPasted = fields.some((each) => each.kind === 'pasted' && !each.isEmpty);
  const isDirty = isPasted || changedIn(form).length > 0;
  const place = selectedPlace(fields, ({ id }) => id === form.focus);
  const field = fields[place];
  const edit = (change: Edit) => {
    if (!isSending) props.edit(change);
  };
  const show = (wrong: (id: string) => boolean, refusals = form.refusals) =>
    props.edit((before) => showProblems(before, fields, wrong, refusals));
  const move = (by: number) => edit((before) => moveFocus(before, fields, by));
  const press = (key: string) =>
    edit((before) => (field === undefined ? before : pressIn(before, field, key)));

  const send = async () => {
    setSending(true);
    try {
      const forgets = forgetful === null || isChange ? '' : `, and ${forgetful} forgets it when it ends`;
      const text = `${done.charAt(0).toUpperCase()}${done.slice(1)}${forgets}: ${props.saved}`;
      const failed = `${props.saved} is not ${done}`;
      const forMs = forgets === '' ? undefined : FORGETS_SHOWN_MS;
      const saved = await mutateAsync({ done: text, forMs, failed, isSilent: true, work: props.save });
      props.close();
      props.onSaved(saved);
    } catch (cause) {
      const refusals = refusalsOf(cause, done, (path) => fieldAt(path, fields, props.fieldOf));
      show((id) => id in refusals, refusals);
    }
    setSending(false);
  };
  const submit = async () => {
    if (isSending) return;
    if (problems.size > 0) return show((id) => problems.has(id));
    if (isChange && !isDirty) return toast({ kind: 'info', text: 'Nothing is changed yet' });
    setSending(true);
    const question = (await props.confirm?.()) ?? null;
    if (question === null) return send();
    setSending(false);
    ask({ ...question, run: () => void send() });
  };
  const onLeave = () => {
    props.close();
    props.onLeave();
  };
  const title = `Leave without ${doing} ${what}?`;
  const leaving = { title, lines: props.lost, yes: 'Leave', no, run: onLeave };
  const isChoice = field?.kind === 'one' || field?.kind === 'many';
  useModalKeys(
    'form',
    {
      'field-next': () => move(1),
      'field-previous': () => move(-1),
      'field-left': isChoice ? () => press('left') : undefined,
      'field-right': isChoice ? () => press('right') : undefined,
      'field-switch': isChoice ? () => press('space') : undefined,
      'field-done': () => {
        if (field?.kind === 'pasted' && field.description !== null && problems.has(field.id))
          show((id) => id === field.id);
        else if (place === fields.length - 1) void submit();
        else move(1);
      },
      'form-send': () => void submit(),
      'form-leave': () => {
        if (isDirty && !isSending) ask(leaving);
        else if (!isSending) onLeave();
      },
    },
    {
      onKey: press,
      onQuit: isDirty && !isSending && dialog === null ? () => ask(leaving) : undefined,
      takesLines: field?.kind === 'pasted',
      onText: field && !isChoice ? (text) => edit((before) => typeIn(before, field, text)) : undefined,
    },
  );
  if (dialog !== null) return dialog;

  const problemOf = (id: string, isJudged = form.isJudged || form.changed.includes(id)) =>
    form.refusals[id] ?? (isJudged ? problems.get(id) : undefined) ?? null;
  const general = problemOf('');
  const progress = isSending ? 'asking the service …' : 'Ctrl-S saves it, Esc leaves';
  const look = { color: 'bad' } as const;
  const notice = wrappedLines(general && `! ${general}`, width, { most: NOTICE_LINES, look });
  const heading: Line = [bold(` ${props.title}`), faint(`   ${progress}`)];
  const spoken = field && [plain(`Field ${place + 1} of ${fields.length}: ${field.label}`)];
  const room = isSpoken ? Number.POSITIVE_INFINITY : Math.max(rows - 1 - notice.length - below.length, 1);
  const blocks = fields.map((each) => [
    ...fieldLines(each, form, problemOf(each.id, each.isJudged), width),
    ...(each.under ?? []),
  ]);
  const isAlone = field?.isAlone === true;
  const lines = visibleLines(isAlone ? [blocks[place] ?? []] : blocks, isAlone ? 0 : place, room);
  const rest = props.rest?.(room - lines.length) ?? [];
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <LineList
        lines={[heading, ...(isSpoken && spoken ? [spoken] : []), ...notice, ...lines, ...below, ...rest]}
      />
    </Box>
  );
}

function refusalsOf(
  cause: unknown,
  did: string,
  fieldOfPath: (path: string) => string,
): Record<string, string> {
  const error = cause instanceof ClientError ? cause : null;
  if (error?.mayBeDone)
    return { '': `perhaps ${did}: look at the list before sending it again; ${refusalText(error)}` };
  const refusals: Record<string, string> = {};
  for (const { path, message } of error?.details ?? []) {
    const field = fieldOfPath(path);
    const words = field === '' && path !== '' ? `${path} ${message}` : message;
    refusals[field] = refusals[field] === undefined ? words : `${refusals[field]}; ${words}`;
  }
  if (Object.keys(refusals).length > 0) return refusals;
  return { '': (cause instanceof Error ? cause.message : String(cause)).replaceAll('\n', ' ') };
}

/** As many lines of `blocks` as fit into `rows`, including the block at `focus`. */
function visibleLines(blocks: readonly (readonly Line[])[], focus: number, rows: number): readonly Line[] {
  const lines = blocks.flat();
  if (lines.length <= rows) return lines;
  const from = blocks.slice(0, focus).flat().length;
  const end = from + (blocks[focus]?.length ?? 1) - 1;
  // One row counts the hidden lines.
  const room = Math.max(rows - 1, 1);
  const top = scrolledTo(from, scrolledTo(end, 0, room), room);
  const below = Math.max(lines.length - top - room, 0);
  const hidden = [...(top > 0 ? [`${top} above`] : []), ...(below > 0 ? [`${below} more (Tab)`] : [])];
  return [...lines.slice(top, top + room), [faint(`   ${hidden.join(', ')}`)]];
}
