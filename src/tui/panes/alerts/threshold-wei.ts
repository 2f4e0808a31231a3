const TYPED = /^(\d{0,9})(?:\.(\d{0,9}))?$/;

/** Wei per gas of a price that is typed in gwei; `null`: that is no price yet. */
export function thresholdWei(text: string): bigint | null {
  const [, whole = '', decimals = ''] = TYPED.exec(text.trim()) ?? [];
  if (whole === '' && decimals === '') return null;
  return BigInt(`${whole}${decimals.padEnd(9, '0')}`);
}
