import type { AlertChoices } from '../../../client/openapi.ts';
import { plainWord, titleWord } from '../../../client/views/describe-alerts.ts';
import { ownValue } from '../../../core/own-value.ts';
import type { FieldChoice } from '../../field-lines.ts';
import type { AlertDraft } from './alert-draft.ts';

/** A field of the form; `to:EMAIL` is what mails are sent to. */
export type FieldId =
  | 'gasSpeed'
  | 'condition'
  | 'threshold'
  | 'channels'
  | `to:${string}`
  | 'note'
  | 'cooldown'
  | 'once'
  | 'hysteresis'
  | 'confirmBlocks';

export type TextFieldId = Exclude<FieldId, 'gasSpeed' | 'condition' | 'channels' | 'once'>;

export type FormField = { readonly label: string; readonly hint: string } & (
  | {
      readonly id: 'gasSpeed' | 'condition' | 'once';
      readonly kind: 'one';
      readonly choices: readonly FieldChoice[];
    }
  | { readonly id: 'channels'; readonly kind: 'many'; readonly choices: readonly FieldChoice[] }
  | { readonly id: TextFieldId; readonly kind: 'text'; readonly unit: string }
);

const CONDITIONS = new Map([
  ['LESS_THAN', 'below'],
  ['GREATER_THAN', 'above'],
]);

const TARGET_HINTS = new Map([
  ['EMAIL', 'an address such as gas@example.org'],
  ['WEBHOOK', 'a URL that takes a POST'],
  ['SLACK', 'the URL of an incoming webhook'],
  ['TELEGRAM', 'a chat id such as -1001234567890, or @channel'],
]);

/** TERMINAL is every running monitor. */
const WITHOUT_TARGET = 'TERMINAL';

/** The fields of a draft from top to bottom: each ticked channel has a line for its target. */
export function fieldsOf(draft: AlertDraft, offered: AlertChoices): readonly FormField[] {
  const withOwn = (words: readonly string[], own: readonly string[]) => [...new Set([...words, ...own])];
  const fields: readonly FormField[] = [
    {
      id: 'gasSpeed',
      label: 'lane',
      hint: 'whose price is watched',
      kind: 'one',
      choices: withOwn(offered.gasSpeeds, [draft.gasSpeed]).map((value) => ({
        value,
        label: titleWord(value),
      })),
    },
    {
      id: 'condition',
      label: 'fires',
      hint: 'when the price is below the threshold, or above it',
      kind: 'one',
      choices: withOwn(offered.conditions, [draft.condition]).map((value) => ({
        value,
        label: CONDITIONS.get(value) ?? plainWord(value),
      })),
    },
    { id: 'threshold', label: 'threshold', hint: 'gwei, such as 0.04', kind: 'text', unit: 'gwei' },
    {
      id: 'channels',
      label: 'tells by',
      hint: 'space ticks; terminal is every running monitor',
      kind: 'many',
      choices: withOwn(offered.channels, draft.channels).map((value) => ({ value, label: plainWord(value) })),
    },
    ...draft.channels
      .filter((channel) => channel !== WITHOUT_TARGET)
      .map(
        (channel): FormField => ({
          id: `to:${channel}`,
          label: plainWord(channel),
          hint: TARGET_HINTS.get(channel) ?? 'where it is sent',
          kind: 'text',
          unit: '',
        }),
      ),
    { id: 'note', label: 'note', hint: 'what to say when it fires', kind: 'text', unit: '' },
    {
      id: 'cooldown',
      label: 'cooldown',
      hint: 'space: 30m 1h 4h 1d; or type 90m, 0',
      kind: 'text',
      unit: '',
    },
    {
      id: 'once',
      label: 'then',
      hint: 'what it does after it fired',
      kind: 'one',
      choices: [
        { value: 'no', label: 'goes on' },
        { value: 'yes', label: 'disables itself' },
      ],
    },
    {
      id: 'hysteresis',
      label: 'hysteresis',
      hint: 'how far the price must leave again',
      kind: 'text',
      unit: 'gwei',
    },
    { id: 'confirmBlocks', label: 'confirms', hint: 'blocks in a row', kind: 'text', unit: 'in a row' },
  ];
  return fields.filter(({ id }) => !offered.unknown.some((name) => EXTRA[name] === id));
}

/** What a service may not know. */
const EXTRA: Readonly<Record<string, FieldId>> = {
  hysteresisGwei: 'hysteresis',
  confirmBlocks: 'confirmBlocks',
};

/** What was typed for a channel; a service's channel may be called as what every object has. */
export function targetText({ targets }: Pick<AlertDraft, 'targets'>, channel: string): string {
  return ownValue(targets, channel) ?? '';
}

/** What stands in a field with text. */
export function textOf(draft: AlertDraft, id: TextFieldId): string {
  if (id.startsWith('to:')) return targetText(draft, id.slice(3));
  switch (id) {
    case 'threshold':
    case 'note':
    case 'cooldown':
    case 'hysteresis':
    case 'confirmBlocks':
      return draft[id];
    default:
      return '';
  }
}

export function withText(draft: AlertDraft, id: TextFieldId, text: string): AlertDraft {
  if (!id.startsWith('to:')) return { ...draft, [id]: text };
  return { ...draft, targets: { ...draft.targets, [id.slice(3)]: text } };
}

/** What is chosen in a field of choices. */
export function chosenOf(draft: AlertDraft, id: 'gasSpeed' | 'condition' | 'once'): string {
  return id === 'once' ? (draft.once ? 'yes' : 'no') : draft[id];
}

export function withChosen(
  draft: AlertDraft,
  id: 'gasSpeed' | 'condition' | 'once',
  value: string,
): AlertDraft {
  return id === 'once' ? { ...draft, once: value === 'yes' } : { ...draft, [id]: value };
}

/** In the order in which the form has them, however they were ticked. */
export function withTicked(draft: AlertDraft, channel: string, choices: readonly FieldChoice[]): AlertDraft {
  const isTicked = draft.channels.includes(channel);
  const channels = choices
    .map(({ value }) => value)
    .filter((value) => (value === channel ? !isTicked : draft.channels.includes(value)));
  return { ...draft, channels };
}
