import type { ExtraAutoTxField } from '../../../client/openapi.ts';
import { titleWord } from '../../../client/views/describe-alerts.ts';
import { GAS_SPEEDS } from '../../../contract/choices.ts';
import type { FieldChoice } from '../../field-lines.ts';
import type { AutoTxDraft } from './auto-tx-draft.ts';

export type AutoTxFieldId = 'signed' | 'target' | 'gasSpeed' | 'isStrict' | 'expires' | 'note';
export type AutoTxTextId = 'target' | 'expires' | 'note';

export type AutoTxField = { readonly label: string; readonly hint: string } & (
  | { readonly id: 'signed'; readonly kind: 'signed' }
  | { readonly id: 'gasSpeed' | 'isStrict'; readonly kind: 'one'; readonly choices: readonly FieldChoice[] }
  | { readonly id: AutoTxTextId; readonly kind: 'text'; readonly unit: string }
);

/** What is signed: what the form is for, what may be replaced, or what is fixed since it was sent. */
export type SignedRole = 'needed' | 'replaces' | 'fixed';

/** The fields from top to bottom, but for what the service does not know. A service's own lane stays a choice. */
export function autoTxFields(
  draft: AutoTxDraft,
  role: SignedRole,
  unknown: readonly ExtraAutoTxField[] = [],
): readonly AutoTxField[] {
  const speeds = [...new Set<string>([...GAS_SPEEDS, draft.gasSpeed])];
  const signed: AutoTxField = {
    id: 'signed',
    label: 'signed',
    hint: role === 'replaces' ? 'paste another one to replace it' : 'paste it here; it is never shown',
    kind: 'signed',
  };
  const fields: readonly AutoTxField[] = [
    ...(role === 'needed' ? [signed] : []),
    { id: 'target', label: 'target', hint: 'gwei, such as 0.04', kind: 'text', unit: 'gwei' },
    {
      id: 'gasSpeed',
      label: 'lane',
      hint: 'whose price is to reach the target',
      kind: 'one',
      choices: speeds.map((value) => ({ value, label: titleWord(value) })),
    },
    {
      id: 'isStrict',
      label: 'strict',
      hint: 'yes: not the lane, but what it would pay itself',
      kind: 'one',
      choices: [
        { value: 'no', label: 'no' },
        { value: 'yes', label: 'yes' },
      ],
    },
    {
      id: 'expires',
      label: 'expires',
      hint: 'space: 1h 6h 1d 7d none; or type 2d, or a time',
      kind: 'text',
      unit: '',
    },
    { id: 'note', label: 'note', hint: 'for yourself', kind: 'text', unit: '' },
    ...(role === 'replaces' ? [signed] : []),
  ];
  return fields.filter(({ id }) => !unknown.some((name) => FIELD_OF[name] === id));
}

const FIELD_OF: Readonly<Record<ExtraAutoTxField, AutoTxFieldId>> = {
  gasSpeed: 'gasSpeed',
  strictTargetPrice: 'isStrict',
  note: 'note',
  expiresAt: 'expires',
};

export function autoTxChosen(draft: AutoTxDraft, id: 'gasSpeed' | 'isStrict'): string {
  return id === 'isStrict' ? (draft.isStrict ? 'yes' : 'no') : draft.gasSpeed;
}

export function withAutoTxChosen(
  draft: AutoTxDraft,
  id: 'gasSpeed' | 'isStrict',
  value: string,
): AutoTxDraft {
  return id === 'isStrict' ? { ...draft, isStrict: value === 'yes' } : { ...draft, gasSpeed: value };
}
