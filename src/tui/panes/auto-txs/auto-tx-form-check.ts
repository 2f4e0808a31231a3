import { draftDifferences } from '../../../client/auto-tx-preflight.ts';
import type { ExtraAutoTxField } from '../../../client/openapi.ts';
import type { AutoTxChange, AutoTxView, NewAutoTx } from '../../../client/views/auto-txs.ts';
import { weiOfTypedGwei } from '../../../client/views/describe-alerts.ts';
import { MOST_GWEI, NOTE_LONGEST } from '../../../contract/choices.ts';
import type { SignedTransaction } from '../../../core/transactions/signed-transaction.ts';
import type { AutoTxFieldId } from './auto-tx-form-fields.ts';
import type { AutoTxFormState } from './auto-tx-form-state.ts';
import { expiresAt, expiryProblem, parseExpiry } from './expiry-text.ts';
import type { Pasted } from './use-pasted-transaction.ts';

/** What is wrong with each field, in words that go after its name; `''`: what belongs to none. */
export type AutoTxProblems = ReadonlyMap<AutoTxFieldId | '', string>;

/** What is wrong with what is typed. `now` in ms since epoch. */
export function autoTxProblems(
  { draft, initial, role }: AutoTxFormState,
  pasted: Pasted,
  edited: AutoTxView | null,
  now: number,
): AutoTxProblems {
  const problems = new Map<AutoTxFieldId, string>();
  const say = (id: AutoTxFieldId, words: string | null) => {
    if (words !== null) problems.set(id, words);
  };
  if (pasted.kind !== 'nothing' || role === 'needed') say('signed', pastedProblem(pasted, edited));
  say('target', targetProblem(draft.target));
  // What stands there since it was made may have passed; it is not said again.
  if (edited === null || draft.expires !== initial.expires) say('expires', expiryProblem(draft.expires, now));
  if ([...draft.note].length > NOTE_LONGEST) say('note', `must have at most ${NOTE_LONGEST} characters`);
  return problems;
}

function pastedProblem(pasted: Pasted, edited: AutoTxView | null): string | null {
  switch (pasted.kind) {
    case 'nothing':
      return 'needs the transaction that your wallet has signed: paste it here';
    case 'reading':
      return 'is still being read';
    case 'problem':
      return pasted.message;
    case 'transaction':
      return edited === null ? null : mismatch(pasted.transaction, edited);
  }
}

/** Why a signature is not the one of a draft, or of what it is to replace. */
function mismatch(transaction: SignedTransaction, edited: AutoTxView): string | null {
  if (edited.status !== 'DRAFT') return null;
  const differs = draftDifferences(transaction, edited).map(({ field }) => field);
  if (differs.length === 0) return null;
  return `is of another transaction than the draft: ${differs.join(', ')} differ${differs.length === 1 ? 's' : ''}`;
}

const NUMBER = /^\d{1,16}(\.\d*)?$|^\.\d+$/;

function targetProblem(text: string): string | null {
  const bare = text.trim();
  if (bare === '') return 'needs a price in gwei, such as 0.04';
  if (!NUMBER.test(bare)) return 'must be a number such as 0.04';
  if (Number(bare) === 0) return 'must be above 0';
  if (Number(bare) > MOST_GWEI) return `must be at most ${MOST_GWEI.toLocaleString('en')}`;
  return weiOfTypedGwei(bare) === null ? 'must have at most 9 decimals' : null;
}

/** The body of a new one, but for what the service does not know. `now`: what a time span counts from. */
export function newAutoTxOf(
  { draft, signed }: AutoTxFormState,
  now: number,
  unknown: readonly ExtraAutoTxField[] = [],
): NewAutoTx {
  const expiry = parseExpiry(draft.expires);
  const at = expiry === null ? null : expiresAt(expiry, now);
  const extra = {
    gasSpeed: draft.gasSpeed,
    strictTargetPrice: draft.isStrict,
    note: draft.note,
    expiresAt: at === null ? null : new Date(at).toISOString(),
  };
  for (const name of unknown) Reflect.deleteProperty(extra, name);
  return { signedTransaction: signed.read(), targetGasPriceGwei: Number(draft.target), ...extra };
}

/** What is to change: nothing that stays as it is. */
export function autoTxChangeOf(form: AutoTxFormState, now: number): AutoTxChange {
  const { draft, initial, signed } = form;
  const { signedTransaction, targetGasPriceGwei, gasSpeed, strictTargetPrice, note, expiresAt } = newAutoTxOf(
    form,
    now,
  );
  return {
    ...(signed.length === 0 ? {} : { signedTransaction }),
    ...(draft.target === initial.target ? {} : { targetGasPriceGwei }),
    ...(draft.gasSpeed === initial.gasSpeed ? {} : { gasSpeed }),
    ...(draft.isStrict === initial.isStrict ? {} : { strictTargetPrice }),
    ...(draft.note === initial.note ? {} : { note }),
    ...(draft.expires === initial.expires ? {} : { expiresAt }),
  };
}

/** The field that a path of the body is typed in. */
export function autoTxFieldOf(path: string): AutoTxFieldId | '' {
  switch (path.replace(/^\//, '').split(/[./[]/)[0]) {
    case 'signedTransaction':
      return 'signed';
    case 'targetGasPriceGwei':
      return 'target';
    case 'gasSpeed':
      return 'gasSpeed';
    case 'strictTargetPrice':
      return 'isStrict';
    case 'expiresAt':
      return 'expires';
    case 'note':
      return 'note';
    default:
      return '';
  }
}
