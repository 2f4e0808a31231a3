import { draftDifferences } from '../../../client/auto-tx-preflight.ts';
import type { ExtraAutoTxField } from '../../../client/openapi.ts';
import { titleWord, weiOfTypedGwei } from '../../../client/views/alerts.ts';
import type { AutoTxChange, AutoTxView, NewAutoTx } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { EXPIRY_LONGEST_MS, GAS_SPEEDS, MOST_GWEI, NOTE_LONGEST } from '../../../contract/choices.ts';
import { parseCooldown } from '../../../core/alerts/alert-rule.ts';
import { formatDuration, gweiString } from '../../../core/units.ts';
import { choiceField, type FormField, numberProblem, presetAfter, textField } from '../../input/form.ts';
import { cheaperThan } from '../alerts/alert-prefill.ts';
import { type Pasted, pastedText, type SignedText, transactionText } from './pasted-transaction.ts';

export type AutoTxDraft = {
  /** Counts the changes of the pasted text, which is not part of the state. */
  readonly signedTransaction: string;
  readonly targetGasPriceGwei: string;
  readonly gasSpeed: string;
  readonly strictTargetPrice: string;
  readonly expiresAt: string;
  readonly note: string;
};

export function draftOf(
  like: AutoTxView | null,
  { lanes }: SnapshotView,
  isChange = like !== null,
): AutoTxDraft {
  // The slow lane's price comes often, and saves something.
  const usual = cheaperThan(lanes.slow.price).threshold;
  const target = like === null ? usual : like.target === null ? '' : gweiString(like.target);
  const isExpiryOwn = like !== null && (isChange || like.expiresAt === null);
  return {
    signedTransaction: '',
    targetGasPriceGwei: target,
    gasSpeed: like?.gasSpeed ?? 'AVERAGE',
    strictTargetPrice: like?.isStrict === true ? 'yes' : 'no',
    expiresAt: isExpiryOwn ? expiryText(like.expiresAt) : '1d',
    note: like?.note ?? '',
  };
}

/** The role of the signed transaction in the form: required, optional as a replacement, or fixed after submission. */
export type SignedRole = 'needed' | 'replaces' | 'fixed';

/** A transaction that was broadcast may be mined, whatever is signed later. */
export function roleOf(edited: AutoTxView | null): SignedRole {
  if (edited === null || edited.status === 'DRAFT') return 'needed';
  const isWaiting = edited.status === 'PENDING' || edited.status === 'DISABLED';
  return isWaiting && edited.attempts === 0 && edited.submittedAt === null ? 'replaces' : 'fixed';
}

interface FieldsContext {
  readonly draft: AutoTxDraft;
  readonly signed: SignedText;
  readonly role: SignedRole;
  readonly pasted: Pasted;
  readonly focus: string;
  readonly price: string | null;
  readonly unknown: readonly ExtraAutoTxField[];
  readonly now: number;
}

export function autoTxFields(context: FieldsContext): readonly FormField[] {
  const { draft, signed, role, pasted, focus, price, unknown, now } = context;
  const end = TIME.test(draft.expiresAt.trim()) ? expiresAt(draft.expiresAt, now) : null;
  const text = pastedText(pasted);
  const transaction: FormField = {
    id: 'signedTransaction',
    label: 'signed',
    hint: role === 'replaces' ? 'paste another one to replace it' : 'paste it here; it is never shown',
    kind: 'pasted',
    description: text === null ? null : [{ text: text, bold: pasted.kind === 'transaction' }],
    beside:
      pasted.kind !== 'transaction'
        ? null
        : focus === 'signedTransaction'
          ? ''
          : transactionText(pasted.transaction),
    add: (text) => signed.add(text),
    drop: () => signed.drop(),
  };
  const speeds = [...new Set<string>([...GAS_SPEEDS, draft.gasSpeed])];
  const left =
    focus === 'expiresAt' || end === null || end <= now ? null : `in ${formatDuration((end - now) / 1_000)}`;
  const fields: readonly FormField[] = [
    ...(role === 'needed' ? [transaction] : []),
    textField('targetGasPriceGwei', 'target', 'gwei, such as 0.04', { unit: 'gwei', beside: price }),
    choiceField(
      'gasSpeed',
      'lane',
      'whose price has to reach the target',
      speeds.map((value) => [value, titleWord(value)]),
    ),
    choiceField('strictTargetPrice', 'strict', 'yes: compares its own price instead of the lane', [
      ['no', 'no'],
      ['yes', 'yes'],
    ]),
    textField('expiresAt', 'expires', 'space: 1h 6h 1d 7d none; or type 2d, or a time', {
      beside: left,
      next: (typed) => presetAfter(EXPIRY_PRESETS, typed.trim().toLowerCase()),
    }),
    textField('note', 'note', 'only for you', { isProse: true }),
    ...(role === 'replaces' ? [transaction] : []),
  ];
  return fields.filter(({ id }) => !unknown.some((name) => name === id));
}

export function autoTxProblems(
  draft: AutoTxDraft,
  initial: AutoTxDraft,
  pasted: Pasted,
  edited: AutoTxView | null,
  now: number,
): ReadonlyMap<string, string> {
  const isPasteWanted = pasted.kind !== 'nothing' || roleOf(edited) === 'needed';
  // An unchanged expiry may have passed meanwhile; it is not sent again.
  const isExpiryNew = edited === null || draft.expiresAt !== initial.expiresAt;
  const isNoteLong = [...draft.note].length > NOTE_LONGEST;
  const problems = {
    signedTransaction: isPasteWanted ? pastedProblem(pasted, edited) : null,
    targetGasPriceGwei: targetProblem(draft.targetGasPriceGwei),
    expiresAt: isExpiryNew ? expiryProblem(draft.expiresAt, now) : null,
    note: isNoteLong ? `must have at most ${NOTE_LONGEST} characters` : null,
  };
  return new Map(Object.entries(problems).flatMap(([id, words]) => (words === null ? [] : [[id, words]])));
}

function pastedProblem(pasted: Pasted, edited: AutoTxView | null): string | null {
  switch (pasted.kind) {
    case 'nothing':
      return 'needs a signed transaction: paste it here';
    case 'reading':
      return 'is still being read';
    case 'problem':
      return pasted.message;
    case 'transaction': {
      if (edited?.status !== 'DRAFT') return null;
      const differs = draftDifferences(pasted.transaction, edited).map(({ field }) => field);
      if (differs.length === 0) return null;
      return `is of another transaction than the draft: ${differs.join(', ')} differ${differs.length === 1 ? 's' : ''}`;
    }
  }
}

function targetProblem(typed: string): string | null {
  const bare = typed.trim();
  const problem = numberProblem(bare, 'needs a price in gwei, such as 0.04', '0.04');
  if (problem !== null) return problem;
  if (Number(bare) === 0) return 'must be above 0';
  if (Number(bare) > MOST_GWEI) return `must be at most ${MOST_GWEI.toLocaleString('en')}`;
  return weiOfTypedGwei(bare) === null ? 'must have at most 9 decimals' : null;
}

export function newAutoTxOf(
  draft: AutoTxDraft,
  signed: SignedText,
  now: number,
  unknown: readonly ExtraAutoTxField[] = [],
): NewAutoTx {
  const at = expiresAt(draft.expiresAt, now);
  const extra = {
    gasSpeed: draft.gasSpeed,
    strictTargetPrice: draft.strictTargetPrice === 'yes',
    note: draft.note,
    expiresAt: at === null ? null : new Date(at).toISOString(),
  };
  for (const name of unknown) Reflect.deleteProperty(extra, name);
  return { signedTransaction: signed.read(), targetGasPriceGwei: Number(draft.targetGasPriceGwei), ...extra };
}

export function autoTxChangeOf(
  draft: AutoTxDraft,
  signed: SignedText,
  initial: AutoTxDraft,
  now: number,
): AutoTxChange {
  const { signedTransaction, targetGasPriceGwei, ...extra } = newAutoTxOf(draft, signed, now);
  const isChanged = (id: keyof AutoTxDraft) => draft[id] !== initial[id];
  return {
    ...(signed.length > 0 && { signedTransaction }),
    ...(isChanged('targetGasPriceGwei') && { targetGasPriceGwei }),
    ...(isChanged('gasSpeed') && { gasSpeed: extra.gasSpeed }),
    ...(isChanged('strictTargetPrice') && { strictTargetPrice: extra.strictTargetPrice }),
    ...(isChanged('note') && { note: extra.note }),
    ...(isChanged('expiresAt') && { expiresAt: extra.expiresAt }),
  };
}

const NEVER = 'none';
const NEVER_TYPED = /^(none|never|no|-|—)$/i;
const EXPIRY_PRESETS: readonly string[] = [NEVER, '1h', '6h', '1d', '7d'];
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z| UTC)?$/i;

/** `6h` and `1d12h` from `now`, `2026-01-06T12:00Z` (UTC), `none`: ms since epoch, `null` for never, `undefined` for no expiry. */
function parseExpiry(typed: string, now: number): number | null | undefined {
  const bare = typed.trim();
  if (NEVER_TYPED.test(bare)) return null;
  const ms = parseCooldown(bare);
  if (ms !== null) return ms > 0 ? now + ms : undefined;
  if (!TIME.test(bare)) return undefined;
  const at = Date.parse(`${bare.replace(/(z| utc)$/i, '').replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? undefined : at;
}

export function expiresAt(typed: string, now: number): number | null {
  return parseExpiry(typed, now) ?? null;
}

export function expiryProblem(typed: string, now: number): string | null {
  const at = parseExpiry(typed, now);
  if (at === undefined) return 'must be a time such as 6h, 1d, 2026-01-31T12:00Z, or none';
  if (at === null) return null;
  if (at <= now) return 'is in the past';
  return at > now + EXPIRY_LONGEST_MS ? 'must be at most 366 days ahead' : null;
}

function expiryText(at: number | null): string {
  if (at === null) return NEVER;
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
