/** `block`: it can never be included; `wait`: it is held until the check passes. */
type CheckResult = 'pass' | 'wait' | 'block' | 'unknown';

export interface Check {
  readonly name: string;
  readonly result: CheckResult;
  /** `false`: needs attention (a block, a missing balance, a likely mistake); `null`: unknown. */
  readonly ok: boolean | null;
  readonly code: string | null;
  readonly message: string;
}

/** What holds back a transaction whose target is reached. Its cap is a part of the target. */
export const HOLDS: ReadonlyMap<string, string> = new Map([
  ['key', 'its encryption key'],
  ['nonce', 'the one with its nonce in the pool'],
  ['nonce-gap', 'the nonces below it'],
  ['balance', 'the balance'],
  ['blob-cap', 'the blob base fee'],
]);

/** Whether a check that can hold it back has no result: then it is unknown whether its target alone decides. */
export const isHoldUnknown = (checks: readonly Pick<Check, 'name' | 'result'>[]): boolean =>
  checks.some(({ name, result }) => result === 'unknown' && (HOLDS.has(name) || name === 'chain'));

/** The result of a check that has only `ok`, as in responses of other services. */
export const resultOf = (ok: boolean | null): CheckResult =>
  ok === null ? 'unknown' : ok ? 'pass' : 'block';

/** The result of a check before it has its name. */
export type Found = Omit<Check, 'name'>;

export const passes = (message: string): Found => ({ result: 'pass', ok: true, code: null, message });
export const unknown = (message: string): Found => ({ result: 'unknown', ok: null, code: null, message });
const found =
  (result: Check['result'], ok: boolean) =>
  (code: string, message: string): Found => ({ result, ok, code, message });
/** Passes, but is likely to be a mistake. */
export const warns = found('pass', false);
/** Passes by itself in time. */
export const waits = found('wait', true);
/** Passes once the user has acted. */
export const needs = found('wait', false);
/** Never passes. */
export const blocks = found('block', false);
