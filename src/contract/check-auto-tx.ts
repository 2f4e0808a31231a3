import type { FieldProblem } from './alert-targets.ts';
import { AutoTxCreation, AutoTxUpdate } from './auto-txs.ts';
import { EXPIRY_LONGEST_MS } from './choices.ts';
import { fieldProblems } from './field-problems.ts';

export type CheckedAutoTx =
  | { readonly ok: true; readonly autoTx: AutoTxCreation }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

export type CheckedAutoTxUpdate =
  | { readonly ok: true; readonly update: AutoTxUpdate }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/**
 * Checks the body of `POST /auto-txs` as a whole: everything that is wrong with it at once, field by field. What was
 * signed is not read here; nothing that is said repeats a value. `now`: ms since epoch.
 */
export function checkAutoTx(body: unknown, now: number): CheckedAutoTx {
  const parsed = AutoTxCreation.safeParse(body);
  const own = parsed.success ? [] : fieldProblems(parsed.error, body);
  const between = isObject(body) ? [...missingOfDraft(body), ...wrongExpiry(body, now)] : [];
  const problems = [...own, ...newsOf(between, own)];
  return parsed.success && problems.length === 0
    ? { ok: true, autoTx: parsed.data }
    : { ok: false, problems };
}

/** The same of the body of `PUT /auto-txs/{id}`. */
export function checkAutoTxUpdate(body: unknown, now: number): CheckedAutoTxUpdate {
  const parsed = AutoTxUpdate.safeParse(body);
  const own = parsed.success ? [] : fieldProblems(parsed.error, body);
  const between = isObject(body) ? [...wrongExpiry(body, now), ...nothingToDo(body)] : [];
  const problems = [...own, ...newsOf(between, own)];
  return parsed.success && problems.length === 0
    ? { ok: true, update: parsed.data }
    : { ok: false, problems };
}

const isObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

const given = (body: object, name: string): unknown =>
  Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;

/** What is wrong with a field by itself is not said twice. */
const newsOf = (between: readonly FieldProblem[], own: readonly FieldProblem[]) =>
  between.filter(({ path }) => !own.some((each) => each.path === path));

/** Without a signature it has to say what is to be signed. */
function missingOfDraft(body: object): FieldProblem[] {
  if (given(body, 'signedTransaction') !== undefined) return [];
  const to = given(body, 'to');
  if (to === undefined) {
    return [
      {
        path: 'to',
        message:
          'is missing: whom a draft is for, or null where it makes a contract; or give signedTransaction',
      },
    ];
  }
  const data = given(body, 'data') ?? '0x';
  if (to !== null || data !== '0x') return [];
  return [{ path: 'data', message: 'must be the code of the contract that is made, where to is null' }];
}

function wrongExpiry(body: object, now: number): FieldProblem[] {
  const parsed = AutoTxUpdate.shape.expiresAt.safeParse(given(body, 'expiresAt'));
  if (!parsed.success || parsed.data === undefined || parsed.data === null) return [];
  const left = Date.parse(parsed.data) - now;
  if (left > EXPIRY_LONGEST_MS) {
    return [
      { path: 'expiresAt', message: `must be at most ${EXPIRY_LONGEST_MS / 86_400_000} days from now` },
    ];
  }
  // A date that is none, such as February 30th, is none of the future either.
  return left > 0 ? [] : [{ path: 'expiresAt', message: 'must be in the future' }];
}

function nothingToDo(body: object): FieldProblem[] {
  const isEmpty = Object.values(body).every((value) => value === undefined);
  return isEmpty ? [{ path: '', message: 'names nothing that is to change' }] : [];
}
