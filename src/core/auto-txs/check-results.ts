import type { Check } from './stored-auto-tx.ts';

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
