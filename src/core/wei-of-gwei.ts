/**
 * Wei per gas of a price that was given in gwei, in whole wei. Exact up to 10^6 gwei with 9 decimals: what a double is
 * off by is less than half a wei.
 */
export const weiOfGwei = (gwei: number): bigint => BigInt(Math.round(gwei * 1e9));
