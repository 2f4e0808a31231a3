import * as z from 'zod';
import type { Hex } from '../../core/block.ts';

/** What a price per gas may be at most: the wire's integers end here (9 million gwei). */
const MAX_WEI_PER_GAS = BigInt(Number.MAX_SAFE_INTEGER);

const hexOf = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);

/** `0x…` up to 256 bits. Leading zeros are let through: some nodes write them. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text));

export const safeInteger = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), 'too large')
  .transform(Number);

export const baseFee = quantity.refine((value) => value <= MAX_WEI_PER_GAS, 'too large for a base fee');

/** A tip may really be absurd (blocks with a mistyped fee exist), so it is capped, not refused. */
export const tip = quantity.transform((value) => (value > MAX_WEI_PER_GAS ? MAX_WEI_PER_GAS : value));

export const hash = hexOf(/^0x[0-9a-fA-F]{64}$/);
export const address = hexOf(/^0x[0-9a-fA-F]{40}$/);
export const bytes = hexOf(/^0x(?:[0-9a-fA-F]{2})*$/);

/** The JSON-RPC form of a number. */
export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
