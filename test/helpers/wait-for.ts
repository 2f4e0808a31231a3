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

/** Asks again and again until `question` answers something truthy (or stops throwing), and gives that. */
export async function waitFor<T>(question: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
  const { timeoutMs = PATIENCE_MS, what = 'what was waited for' } = options;
  const deadline = performance.now() + timeoutMs;
  let last: unknown = 'nothing';
  for (let pauseMs = SOONEST_MS; ; pauseMs = Math.min(pauseMs * 1.3, LONGEST_MS)) {
    try {
      const answer = await question();
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
