import { abortable } from '../../chain/async.ts';
import { ChainError } from '../../chain/chain-source.ts';
import { ApiFailure } from '../http/errors.ts';

/** Much less than the time limit of a request: two of these in sequence leave time for the response itself. */
const COMPLETED_WITHIN_MS = 2_000;

/** For optional parts of a response: `null` when the node fails or is slow; the next request finds a late result cached. */
export async function ifAvailable<T>(request: Promise<T>): Promise<T | null> {
  const late = AbortSignal.timeout(COMPLETED_WITHIN_MS);
  try {
    return await abortable(request, late);
  } catch (error) {
    if (late.aborted || error instanceof ChainError || error instanceof ApiFailure) return null;
    throw error;
  }
}
