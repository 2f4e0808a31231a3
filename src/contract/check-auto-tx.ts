import type { FieldProblem } from './alert-targets.ts';
import { AutoTxCreation, AutoTxUpdate } from './auto-txs.ts';
import { EXPIRY_LONGEST_MS } from './choices.ts';
import { checkBody, givenField } from './field-problems.ts';

/** Validates the body of `POST /auto-txs` without reading the signed transaction. `now`: ms since epoch. */
export const checkAutoTx = (body: unknown, now: number) =>
  checkBody(AutoTxCreation, body, (given) => [...missingOfDraft(given), ...wrongExpiry(given, now)]);

/** The same for the body of `PUT /auto-txs/{id}`. */
export const checkAutoTxUpdate = (body: unknown, now: number) =>
  checkBody(AutoTxUpdate, body, (given) => [...wrongExpiry(given, now), ...nothingToDo(given)]);

/** Without a signature the call to sign is required. */
function missingOfDraft(body: object): FieldProblem[] {
  if (givenField(body, 'signedTransaction') !== undefined) return [];
  const to = givenField(body, 'to');
  if (to === undefined) {
    const message =
      'is missing: whom a draft is for, or null where it makes a contract; or give signedTransaction';
    return [{ path: 'to', message }];
  }
  const data = givenField(body, 'data') ?? '0x';
  if (to !== null || data !== '0x') return [];
  return [{ path: 'data', message: 'must be the code of the contract that is made, where to is null' }];
}

function wrongExpiry(body: object, now: number): FieldProblem[] {
  const parsed = AutoTxUpdate.shape.expiresAt.safeParse(givenField(body, 'expiresAt'));
  if (!parsed.success || parsed.data === undefined || parsed.data === null) return [];
  const left = Date.parse(parsed.data) - now;
  if (left > EXPIRY_LONGEST_MS) {
    const message = `must be at most ${EXPIRY_LONGEST_MS / 86_400_000} days from now`;
    return [{ path: 'expiresAt', message }];
  }
  // An invalid date, such as February 30th, is not in the future either.
  return left > 0 ? [] : [{ path: 'expiresAt', message: 'must be in the future' }];
}

function nothingToDo(body: object): FieldProblem[] {
  const isEmpty = Object.values(body).every((value) => value === undefined);
  return isEmpty ? [{ path: '', message: 'names nothing that is to change' }] : [];
}
