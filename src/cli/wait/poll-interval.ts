/** No service is asked oftener. */
export const FASTEST_POLL_MS = 500;
const SLOWEST_MS = 10_000;

/** How often to ask who has something new so often: twice as often, so that nothing is seen much later than it could be. */
export function pollIntervalMs(updateFrequencySec: number | null): number {
  return Math.min(Math.max(((updateFrequencySec ?? 12) * 1_000) / 2, FASTEST_POLL_MS), SLOWEST_MS);
}
