import { abortable, DeadlineError, withDeadline } from '../chain/async.ts';
import { type ApiFailure, toFailure, unavailable } from './http/errors.ts';

interface CheckedPart {
  /** For people: "the keys". */
  readonly name: string;
  /** Rejects when requests that need it would be refused. */
  readonly check: () => Promise<unknown>;
}

/** Probes time out after five seconds at the earliest. */
const WITHIN_MS = 3_000;
/** Several probes a second cost what one does. */
const REPEAT_MS = 500;
const RETRY_SEC = 5;

/** Checks that every part works, at most twice a second; resolves to why one does not, or `null`. */
export function createReadiness(
  parts: readonly CheckedPart[],
  steadyNow: () => number = () => performance.now(),
) {
  let checking: Promise<ApiFailure | null> = Promise.resolve(null);
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function checkAll(): Promise<ApiFailure | null> {
    try {
      await Promise.all(parts.map(checkPart));
      return null;
    } catch (error) {
      return toFailure(error);
    } finally {
      checkedAt = steadyNow();
    }
  }

  return (): Promise<ApiFailure | null> => {
    if (steadyNow() - checkedAt >= REPEAT_MS) {
      // Until it has ended.
      checkedAt = Number.POSITIVE_INFINITY;
      checking = checkAll();
    }
    return checking;
  };
}

async function checkPart({ name, check }: CheckedPart): Promise<void> {
  try {
    await withDeadline(WITHIN_MS, undefined, (signal) => abortable(check(), signal));
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    throw unavailable(`${name} cannot be read or written in time: they may be locked`, RETRY_SEC);
  }
}
