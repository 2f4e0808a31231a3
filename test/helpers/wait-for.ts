export interface WaitOptions {
  /** How long to go on asking before giving up. Generous: it is only spent when the test fails. */
  readonly timeoutMs?: number;
  readonly what?: string;
}

/** `WAIT_SECONDS`, else two minutes: generous, for a machine that does much else. */
export const PATIENCE_MS = Number(process.env.WAIT_SECONDS || 120) * 1_000;

/** Between two questions, ms: soon at first, then less and less often, for asking keeps a core from what is waited for. */
const SOONEST_MS = 5;
const LONGEST_MS = 100;

/** What is asked at the deadline may still be answered for so long. */
const LAST_ANSWER_MS = 60_000;

/** Asks again and again until `question` answers something truthy (or stops throwing), and gives that. */
export async function waitFor<T>(question: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
  const { timeoutMs = PATIENCE_MS, what = 'what was waited for' } = options;
  const deadline = performance.now() + timeoutMs;
  const answered = async () => question();
  let last: unknown = 'nothing';
  for (let pauseMs = SOONEST_MS; ; pauseMs = Math.min(pauseMs * 1.3, LONGEST_MS)) {
    try {
      const answer = await inTime(answered(), 'an answer', deadline - performance.now() + LAST_ANSWER_MS);
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadline) break;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`${what} did not come within ${timeoutMs} ms; last: ${String(last)}`, {
    cause: last,
  });
}

/** What `coming` gives; rejects where that does not come, with `state` at that moment. */
export async function inTime<T>(
  coming: Promise<T>,
  what: string,
  timeoutMs = PATIENCE_MS,
  state: () => string = () => '',
): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    limit.reject(new Error(`${what} did not come within ${timeoutMs} ms${state()}`));
  }, timeoutMs);
  try {
    return await Promise.race([coming, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
