import type { Hex } from '../../core/block.ts';
import { mapped, type Shape, text, where } from './shape.ts';

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** What a price per gas may be at most: the wire's integers end here (9 million gwei). */
const MAX_WEI_PER_GAS = MAX_SAFE;

const hexOf = (pattern: RegExp): Shape<Hex> =>
  mapped(text(pattern), (digits): Hex => `0x${digits.slice(2).toLowerCase()}`);

/** `0x…` up to 256 bits. Leading zeros are let through: some nodes write them. */
export const quantity = mapped(text(/^0x[0-9a-fA-F]{1,64}$/), (digits) => BigInt(digits));

export const safeInteger = mapped(
  where(quantity, (value) => value <= MAX_SAFE),
  Number,
);

export const baseFee = where(quantity, (value) => value <= MAX_WEI_PER_GAS);

/** A tip may really be absurd (blocks with a mistyped fee exist), so it is capped, not refused. */
export const tip = mapped(quantity, (value) => (value > MAX_WEI_PER_GAS ? MAX_WEI_PER_GAS : value));

export const hash = hexOf(/^0x[0-9a-fA-F]{64}$/);
export const address = hexOf(/^0x[0-9a-fA-F]{40}$/);
export const bytes = hexOf(/^0x(?:[0-9a-fA-F]{2})*$/);

/** The JSON-RPC form of a number. */
export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
