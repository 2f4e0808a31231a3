export const MINUTE_SEC = 60;
export const HOUR_SEC = 60 * MINUTE_SEC;
export const DAY_SEC = 24 * HOUR_SEC;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The pause after `failures` in a row: `firstMs` after none before, then twice the last, at most `mostMs`. */
export const backOffMs = (failures: number, firstMs: number, mostMs = Number.POSITIVE_INFINITY): number =>
  Math.min(firstMs * 2 ** Math.min(failures, 30), mostMs);
