const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Wei per gas as a JSON integer without loss. A price beyond 2^53−1 wei (9 million gwei, such as the greatest cap
 * that can be signed) becomes that limit, as in the store.
 */
export function wireWei(wei: bigint): number {
  return wireInteger(wei);
}

export const weiOrNull = (wei: bigint | null | undefined) => (wei == null ? null : wireWei(wei));

/** Gas and other counts as JSON integers, with the same limit. */
export function wireInteger(count: bigint): number {
  if (count < 0n) return 0;
  return Number(count > LARGEST ? LARGEST : count);
}

/** A mean in wei, rounded to whole wei. */
export function wholeWei(wei: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(wei)));
}

/** Unix seconds as ISO 8601 UTC. */
export const isoFromSec = (sec: number) => new Date(sec * 1_000).toISOString();

/** Milliseconds since epoch as ISO 8601 UTC. */
export const isoFromMs = (ms: number) => new Date(ms).toISOString();

export const isoOrNull = (ms: number | null) => (ms === null ? null : isoFromMs(ms));
