import { inject, it } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How many parts of ten of their rounds the tests make. */
    readonly tenths: number;
  }
}

/** In `npm run test:slow`, which leaves nothing out. */
export const isSlowRun = inject('tenths') === 10;

/** For a test that `npm run test:slow` alone makes. */
export const slowIt = it.runIf(isSlowRun);

/** How many of `all` rounds a test makes: all in `npm run test:slow`, a tenth in `npm test`. */
export function rounds(all: number): number {
  return Math.ceil((all * inject('tenths')) / 10);
}
