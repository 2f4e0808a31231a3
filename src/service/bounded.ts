import { abortable } from './async.ts';
import { ApiFailure } from './http/errors.ts';

/** Less than the ten seconds that our own client waits, so that it hears why. */
const DEADLINE_MS = 8_000;
const RETRY_SEC = 5;

/**
 * `work`, at most until the deadline of one question or until `ended`. Its signal is how it hears of either.
 * @throws {ApiFailure} `upstream_unavailable` when time is up
 */
export async function bounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ended: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  // By hand: what `AbortSignal.any` leaves on a signal that outlives many questions adds up.
  const bound = new AbortController();
  const { signal } = bound;
  const timer = setTimeout(() => bound.abort(late(deadlineMs)), deadlineMs);
  const end = () => bound.abort(givenUp());
  ended.addEventListener('abort', end, { once: true });
  if (ended.aborted) end();
  try {
    return await abortable(work(signal), signal);
  } catch (error) {
    // A part of the work that stops at the signal may say so in its own words, and first.
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    ended.removeEventListener('abort', end);
  }
}

const late = (deadlineMs: number) =>
  new ApiFailure(
    'upstream_unavailable',
    `the node did not answer everything within ${deadlineMs / 1_000} s; ask again, what it did answer is kept`,
    { headers: { 'Retry-After': String(RETRY_SEC) } },
  );

const givenUp = () => new ApiFailure('upstream_unavailable', 'the question was given up before its answer');
