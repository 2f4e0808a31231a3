/** The decimal number that a double prints as, exactly. */
export function fractionOf(value: number): { readonly units: bigint; readonly per: bigint } {
  const [whole = '0', fraction = ''] = shifted(String(value), 0).split('.');
  return { units: BigInt(whole + fraction), per: 10n ** BigInt(fraction.length) };
}

/** A decimal, also with an exponent, times ten to the power of `places`, without an exponent. */
export function shifted(decimal: string, places: number): string {
  const [digits = '0', exponent = '0'] = decimal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const point = whole.length + places + Number(exponent);
  const all = (whole + fraction).padStart(whole.length + fraction.length - Math.min(point, 0), '0');
  const at = Math.max(point, 0);
  const [left, right] = [all.padEnd(at, '0').slice(0, at), all.slice(at)];
  const [trimmed, rest] = [left.replace(/^0+(?=\d)/, '') || '0', right.replace(/0+$/, '')];
  return rest === '' ? trimmed : `${trimmed}.${rest}`;
}
