const DECIMALS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 };
const MOST = 2n ** 256n - 1n;

/**
 * Reads an amount of the native coin (`0.1`, `0.1 ether`, `5gwei`, `100wei`) into wei.
 * @throws RangeError for anything else, for what is finer than a wei, and for more than there can be.
 */
export function parseNative(text: string): bigint {
  const match = /^(\d{1,78})(?:\.(\d{1,40}))? ?(wei|gwei|ether)?$/i.exec(text.trim());
  if (match === null) {
    throw new RangeError(`"${text}" is not an amount; write native coins, such as 0.1, or 100wei`);
  }
  const [, whole = '', fraction = '', unit = 'ether'] = match;
  const decimals = DECIMALS[unit.toLowerCase()] ?? 0;
  if (/[1-9]/.test(fraction.slice(decimals))) throw new RangeError(`"${text}" is finer than a wei`);
  const wei = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (wei > MOST) throw new RangeError(`"${text}" is more than there can be`);
  return wei;
}
