import { setTimeout } from 'node:timers/promises';
import { type StoreErrorCode, toStoreError } from './store-error.ts';

/** SQLite waits inside a call, and nothing else happens in the process meanwhile: so short is not felt. */
export const BUSY_TIMEOUT_MS = 20;
const PAUSE_MS = 40;

/** How long what another program may be about to end is tried again, in ms. */
export type Patience = Readonly<Partial<Record<StoreErrorCode, number>>>;

const WHILE_BUSY: Patience = { busy: 5_000 };

/**
 * Runs `work`, again and again while another process holds the database, without holding up this one. `work` must
 * leave nothing behind when it fails, as a transaction does.
 * @throws {StoreError} whatever `work` threw; `where` is the file, for people.
 */
export async function whileBusy<Result>(
  where: string,
  work: () => Promise<Result>,
  patience: Patience = WHILE_BUSY,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const failure = toStoreError(error, where);
      if (performance.now() - startedAt > (patience[failure.code] ?? Number.NEGATIVE_INFINITY)) throw failure;
      await setTimeout(PAUSE_MS);
    }
  }
}
