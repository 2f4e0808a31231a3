const MAX_WEI = BigInt(Number.MAX_SAFE_INTEGER);

/** Wei per gas as v1 carries it: a whole JSON number that cannot lose a digit. */
export function wireWei(wei: bigint): number {
  if (wei < 0n) return 0;
  return Number(wei > MAX_WEI ? MAX_WEI : wei);
}

/** A mean, in wei, as the nearest whole wei. */
export function wholeWei(wei: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(wei)));
}

/** Unix seconds as ISO 8601 UTC. */
export const isoFromSec = (sec: number) => new Date(sec * 1_000).toISOString();

/** Milliseconds since epoch as ISO 8601 UTC. */
export const isoFromMs = (ms: number) => new Date(ms).toISOString();
