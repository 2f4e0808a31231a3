import { useEffect, useState } from 'react';
import { draftDifferences } from '../../../client/auto-tx-preflight.ts';
import type { ExtraAutoTxField } from '../../../client/openapi.ts';
import { titleWord } from '../../../client/views/alerts.ts';
import { type AutoTxView, symbolOf } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { describeTxType } from '../../../client/views/metrics.ts';
import { checkAutoTxUpdate } from '../../../contract/auto-txs.ts';
import { GAS_SPEEDS, SIGNED_LONGEST } from '../../../contract/choices.ts';
import { parseCooldown } from '../../../core/alerts/alert-rule.ts';
import { shortHex } from '../../../core/text.ts';
import { describeTransaction } from '../../../core/transactions/describe-call.ts';
import { type SignedTransaction, TransactionError } from '../../../core/transactions/signed-transaction.ts';
import { exactAmount, formatDuration, gweiString } from '../../../core/units.ts';
import { useElapsed } from '../../app/clock.ts';
import {
  choiceField,
  type FormField,
  firstProblems,
  numberProblem,
  presetAfter,
  textField,
} from '../../input/form.ts';
import { cheaperThan } from '../alerts/alert-form.tsx';
import { sizeText } from './auto-tx-facts.ts';

/** A pasted signed transaction. The text suffices to send it, so nothing prints, compares or serialises it. */
export class SignedText {
  #text = '';

  get length(): number {
    return this.#text.length;
  }

  /** A paste may come in pieces. Stops storing once it is longer than any transaction. */
  add(text: string): void {
    if (this.#text.length <= SIGNED_LONGEST) this.#text = `${this.#text}${text}`.trimStart();
  }

  read(): string {
    return this.#text;
  }

  drop(): void {
    this.#text = '';
  }
}

export type Pasted =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'problem'; readonly message: string }
  | {
      readonly kind: 'transaction';
      readonly transaction: SignedTransaction;
      /** What it does, in words; `null`: its data is no known call. */
      readonly call: string | null;
      readonly size: number;
    };

/** In a terminal without bracketed paste the next piece comes within this time. */
const SETTLED_MS = 60;

/** Decodes the pasted text once it is complete. `pastes` counts the changes of `signed`. */
export function usePastedTransaction(signed: SignedText, pastes: string): Pasted {
  const [read, setRead] = useState<{ readonly pastes: string; readonly what: Pasted } | null>(null);
  const isSettled = useElapsed(SETTLED_MS, pastes);
  useEffect(() => {
    if (!isSettled || signed.length === 0) return;
    let isWanted = true;
    // Loaded lazily: cryptography is not needed at the start.
    void import('../../../core/transactions/decode-transaction.ts').then((decoder) => {
      if (isWanted) setRead({ pastes, what: readSigned(signed, decoder) });
    });
    return () => {
      isWanted = false;
    };
  }, [isSettled, signed, pastes]);
  // A secret is erased once it is recognised; the message about it stays.
  if (read?.pastes === pastes) return read.what;
  return { kind: signed.length === 0 ? 'nothing' : 'reading' };
}

type Decoder = typeof import('../../../core/transactions/decode-transaction.ts');

/** A problem's message contains nothing of the text. */
function readSigned(signed: SignedText, { transactionBytes, decodeTransaction }: Decoder): Pasted {
  const problem = (message: string): Pasted => ({ kind: 'problem', message });
  if (signed.length > SIGNED_LONGEST) {
    return problem('this is longer than any transaction that a node takes: paste one signed transaction');
  }
  try {
    const bytes = transactionBytes(signed.read());
    const transaction = decodeTransaction(bytes);
    const call = describeTransaction(transaction)?.words ?? null;
    return { kind: 'transaction', transaction, call, size: bytes.length };
  } catch (error) {
    if (mayBeSecret(signed.read())) signed.drop();
    return problem(
      error instanceof TransactionError ? error.message : 'this cannot be read as a transaction',
    );
  }
}

const KEY_DIGITS = 64;

/** A private key, a recovery phrase or a password: no hex, or hex of a key's length. */
function mayBeSecret(text: string): boolean {
  const bare = text.replace(/[\s"'`]+/g, '').replace(/^0x/i, '');
  return bare.length === KEY_DIGITS || /[^0-9a-f]/i.test(bare);
}

export function pastedText(pasted: Pasted): string | null {
  if (pasted.kind === 'nothing') return null;
  if (pasted.kind === 'reading') return 'reading it …';
  if (pasted.kind === 'problem') return 'no signed transaction';
  return `signed transaction, ${sizeText(pasted.size)}, ${describeTxType(pasted.transaction.type)}`;
}

export function transactionText({ from, to, value, chainId, nonce }: SignedTransaction): string {
  const receiver = to === null ? 'a new contract' : shortHex(to, '…');
  const worth = value === 0n ? '' : `, ${exactAmount(value, symbolOf(chainId))}`;
  return `${shortHex(from, '…')} → ${receiver}${worth}, nonce ${nonce}`;
}

export type AutoTxDraft = Readonly<ReturnType<typeof draftOf>>;

export function draftOf(like: AutoTxView | null, { lanes }: SnapshotView, isChange = like !== null) {
  // The slow lane's price comes often, and saves something.
  const usual = cheaperThan(lanes.slow.price).thresholdGwei;
  const isExpiryOwn = like !== null && (isChange || like.expiresAt === null);
  return {
    /** Counts the changes of the pasted text, which is not part of the state. */
    signedTransaction: '',
    targetGasPriceGwei: like === null ? usual : like.target === null ? '' : gweiString(like.target),
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
  const text = pastedText(pasted);
  const isShort = pasted.kind === 'transaction' && focus !== 'signedTransaction';
  const transaction: FormField = {
    id: 'signedTransaction',
    label: 'signed',
    hint: role === 'replaces' ? 'paste another one to replace it' : 'paste it here; it is never shown',
    kind: 'pasted',
    description: text === null ? null : [{ text, bold: pasted.kind === 'transaction' }],
    beside: isShort ? transactionText(pasted.transaction) : pasted.kind === 'transaction' ? '' : null,
    add: (more) => signed.add(more),
    drop: () => signed.drop(),
  };
  const speeds = [...new Set<string>([...GAS_SPEEDS, draft.gasSpeed])];
  const lanes = speeds.map((value) => [value, titleWord(value)] as const);
  const end = TIME.test(draft.expiresAt.trim()) ? expiresAt(draft.expiresAt, now) : null;
  const isLeft = focus !== 'expiresAt' && end != null && end > now;
  const fields: readonly FormField[] = [
    ...(role === 'needed' ? [transaction] : []),
    textField('targetGasPriceGwei', 'target', 'gwei, such as 0.04', { unit: 'gwei', beside: price }),
    choiceField('gasSpeed', 'lane', 'whose price has to reach the target', lanes),
    choiceField('strictTargetPrice', 'strict', 'yes: compares its own price instead of the lane', NO_YES),
    textField('expiresAt', 'expires', 'space: 1h 6h 1d 7d none; or type 2d, or a time', {
      beside: isLeft ? `in ${formatDuration((end - now) / 1_000)}` : null,
      next: (typed) => presetAfter(EXPIRY_PRESETS, typed.trim().toLowerCase()),
    }),
    textField('note', 'note', 'only for you', { isProse: true }),
    ...(role === 'replaces' ? [transaction] : []),
  ];
  return fields.filter(({ id }) => !unknown.some((name) => name === id));
}

/** The order as a request has it, without the fields in `omitted`. */
export function orderOf(draft: AutoTxDraft, now: number, omitted: readonly string[] = []) {
  const at = expiresAt(draft.expiresAt, now);
  const order = {
    targetGasPriceGwei: Number(draft.targetGasPriceGwei),
    gasSpeed: draft.gasSpeed,
    strictTargetPrice: draft.strictTargetPrice === 'yes',
    note: draft.note,
    expiresAt: at == null ? null : new Date(at).toISOString(),
  };
  for (const name of omitted) Reflect.deleteProperty(order, name);
  const known: Partial<typeof order> = order;
  return known;
}

/** What stays as it is: an expiry may have passed meanwhile, and is not sent again. */
export function unchangedIn(draft: AutoTxDraft, initial: AutoTxDraft): readonly string[] {
  const before: Readonly<Record<string, string>> = initial;
  return Object.entries(draft).flatMap(([id, value]) => (before[id] === value ? [id] : []));
}

export function autoTxProblems(
  draft: AutoTxDraft,
  initial: AutoTxDraft,
  pasted: Pasted,
  edited: AutoTxView | null,
  now: number,
): ReadonlyMap<string, string> {
  // A lane may be the service's own.
  const omitted = ['gasSpeed', ...(edited === null ? [] : unchangedIn(draft, initial))];
  const checked = checkAutoTxUpdate(orderOf(draft, now, omitted), now);
  const isPasteWanted = pasted.kind !== 'nothing' || roleOf(edited) === 'needed';
  const isExpiryRead = omitted.includes('expiresAt') || expiresAt(draft.expiresAt, now) !== undefined;
  const target = numberProblem(draft.targetGasPriceGwei, 'needs a price in gwei, such as 0.04', '0.04');
  const typed = [
    ['signedTransaction', isPasteWanted ? pastedProblem(pasted, edited) : null],
    ['targetGasPriceGwei', target],
    ['expiresAt', isExpiryRead ? null : 'must be a time such as 6h, 1d, 2026-01-31T12:00Z, or none'],
  ] as const;
  // That nothing is changed is no problem of a field.
  return firstProblems(typed, checked.ok ? [] : checked.problems.filter(({ path }) => path !== ''));
}

function pastedProblem(pasted: Pasted, edited: AutoTxView | null): string | null {
  if (pasted.kind === 'nothing') return 'needs a signed transaction: paste it here';
  if (pasted.kind === 'reading') return 'is still being read';
  if (pasted.kind === 'problem') return pasted.message;
  if (edited?.status !== 'DRAFT') return null;
  const differs = draftDifferences(pasted.transaction, edited).map(({ field }) => field);
  if (differs.length === 0) return null;
  return `is of another transaction than the draft: ${differs.join(', ')} differ${differs.length === 1 ? 's' : ''}`;
}

const NO_YES = ['no', 'yes'].map((word) => [word, word] as const);
const NEVER = 'none';
const NEVER_TYPED = /^(none|never|no|-|—)$/i;
const EXPIRY_PRESETS: readonly string[] = [NEVER, '1h', '6h', '1d', '7d'];
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z| UTC)?$/i;

/** `6h` and `1d12h` from `now`, `2026-01-06T12:00Z` (UTC), `none`: ms since epoch, `null` for never, `undefined` for no expiry. */
export function expiresAt(typed: string, now: number): number | null | undefined {
  const bare = typed.trim();
  if (NEVER_TYPED.test(bare)) return null;
  const ms = parseCooldown(bare);
  if (ms !== null) return ms > 0 ? now + ms : undefined;
  if (!TIME.test(bare)) return undefined;
  const at = Date.parse(`${bare.replace(/(z| utc)$/i, '').replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function expiryText(at: number | null): string {
  if (at === null) return NEVER;
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
