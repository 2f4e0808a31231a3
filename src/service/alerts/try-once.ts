import type { Clock } from '../../chain/rpc/client.ts';
import { sleep } from '../async.ts';
import { later } from '../couriers/attempts.ts';
import type { Attempt, Courier, Parcel } from '../couriers/courier.ts';

const DEADLINE_MS = 10_000;
/** A courier that was told to stop may still say that the parcel had arrived; one that does not stop is left behind. */
const LAST_WORDS_MS = 250;

/** One try of a courier, within its deadline and until `ended`. Rejects only if the courier does, which it must not. */
export async function tryOnce(
  courier: Courier,
  parcel: Parcel,
  clock: Clock,
  ended: AbortSignal,
): Promise<Attempt> {
  const stop = new AbortController();
  const isOver = new AbortController();
  const end = () => stop.abort();
  ended.addEventListener('abort', end, { once: true });
  if (ended.aborted) end();
  const deadlineMs = courier.deadlineMs ?? DEADLINE_MS;
  const timeIsUp = clock.sleep(deadlineMs, isOver.signal).then(end);
  const lastWords = once(stop.signal).then(() => sleep(LAST_WORDS_MS, isOver.signal));
  try {
    return await Promise.race([
      courier.deliver(parcel, stop.signal),
      lastWords.then(() => later('no answer in time')),
    ]);
  } finally {
    isOver.abort();
    ended.removeEventListener('abort', end);
    await timeIsUp;
  }
}

async function once(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
