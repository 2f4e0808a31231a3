import * as z from 'zod';
import { MOST_GWEI, NOTE_LONGEST, TIME_FRAMES } from './choices.ts';

// `meta` here defines names (`id`), meanings and units in the OpenAPI document.

/** An object without further fields, under its name in the OpenAPI document. */
export const object = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z.strictObject(shape).meta({ id, description });

export const whole = (min: number, max?: number) =>
  max === undefined ? z.int().min(min) : z.int().min(min).max(max);

export const text = (meaning: string) => z.string().describe(meaning);
export const flag = (meaning: string) => z.boolean().describe(meaning);

export const maybe = <Schema extends z.ZodType>(schema: Schema, meaning: string) =>
  schema.nullable().describe(meaning);

/** A list of records. */
export const listOf = <Shape extends z.ZodRawShape>(meaning: string, shape: Shape) =>
  z.array(z.strictObject(shape)).describe(meaning);

/** Lets types tell wei and addresses from other numbers and texts: the client reads them in its own form. */
const read = <Schema extends z.ZodType, Unit extends 'price' | 'amount' | 'address' | 'reason'>(
  schema: Schema,
  unit: Unit,
) => Object.assign(schema, { unit });

export const Wei = read(
  whole(0, Number.MAX_SAFE_INTEGER).meta({
    ...{ id: 'Wei', description: 'A price per gas, in wei', examples: [1_234_567_890] },
  }),
  'price',
);

/** A price that is `null` where a JSON integer cannot hold it. */
export const Price = read(
  Wei.nullable().meta({
    id: 'Price',
    description:
      'A price per gas, in wei; null: above 2^53 − 1 wei (9,007,199 gwei), which a JSON integer cannot hold',
  }),
  'price',
);

/** Beside prices of which one may be `null`. */
export const WhyNull = read(
  z.string().optional().describe('Why a price is null; absent where none is'),
  'reason',
);

/** An amount of wei that may exceed a JSON integer: a decimal string. */
export const Amount = read(
  z
    .string()
    .regex(/^\d+$/)
    .meta({
      ...{ id: 'Amount', description: 'A whole amount, in wei, as a decimal string' },
      examples: ['25925925690000'],
    }),
  'amount',
);

export const SignedAmount = read(
  z
    .string()
    .regex(/^-?\d+$/)
    .meta({ id: 'SignedAmount', description: 'Wei, as a decimal string, negative for a loss' }),
  'amount',
);

export const Timestamp = z.iso
  .datetime()
  .meta({ id: 'Timestamp', description: 'ISO 8601, in UTC with Z', examples: ['2026-01-31T12:00:00Z'] });

export const Ratio = z.number().min(0).max(1).meta({ id: 'Ratio', description: 'A share, from 0 to 1' });
export const Seconds = z.number().min(0).meta({ id: 'Seconds', description: 'A time span, in seconds' });
export const Usd = z.number().min(0).meta({ id: 'Usd', description: 'US dollars' });
export const BlockNumber = z.int().min(0).meta({ id: 'BlockNumber', description: 'Height of a block' });

export const Hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ id: 'Hash', description: 'Hash of a block or a transaction' });

export const Address = read(
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
    .meta({ id: 'Address', description: 'Address of an account' }),
  'address',
);

export const ChainId = z
  .int()
  .min(0)
  .meta({ id: 'ChainId', description: 'EIP-155 chain id', examples: [1] });

export const TimeFrameField = z
  .enum(TIME_FRAMES)
  .meta({ id: 'TimeFrame', description: 'How far back the response reaches' });

/** A whole number, within a double's precision. */
const isWhole = (number: number) =>
  Math.abs(number - Math.round(number)) <= Math.abs(number) * Number.EPSILON;

/** A user's gwei: a whole number of wei. */
export const wholeWeiInGwei = (bounded: z.ZodNumber) =>
  bounded.max(MOST_GWEI).refine((gwei) => isWhole(gwei * 1e9), 'must have at most 9 decimals');

/** A user's price per gas. */
export const PriceGwei = wholeWeiInGwei(z.number().gt(0));

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    page: z.int().min(0),
    size: z.int().min(1),
    total: z.int().min(0),
  });

/** `length` counts UTF-16 units; users count characters. */
const characters = (text: string) => [...text].length;

export const Note = z
  .string()
  .refine((text) => characters(text) <= NOTE_LONGEST, `must have at most ${NOTE_LONGEST} characters`);
