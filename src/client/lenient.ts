import * as z from 'zod';
import { Address, Amount, SignedAmount, Wei, WhyNull, Price as WirePrice } from '../contract/primitives.ts';
import type { Hex } from '../core/block.ts';
import { checksummed } from '../core/transactions/signed-transaction.ts';
import { weiOfGwei } from '../core/units.ts';
import { isRecord } from './values.ts';
import { isMadeOf, unwrapped } from './wire-form.ts';

/**
 * The view of a contract field: enums become any text, lists keep their readable rows, times become ms since epoch,
 * amounts `bigint`, prices `Price`, addresses checksummed.
 */
type Read<Field, Price> = Field extends z.ZodNullable<infer Inner> | z.ZodOptional<infer Inner>
  ? Read<Inner, Price>
  : Field extends z.ZodObject<infer Shape>
    ? Wire<Shape, never, Price>
    : Field extends z.ZodArray<z.ZodNullable<infer Row>>
      ? readonly (Read<Row, Price> | null)[]
      : Field extends z.ZodArray<infer Row>
        ? readonly Read<Row, Price>[]
        : Field extends z.ZodRecord<infer _, infer Value>
          ? Readonly<Record<string, Read<Value, Price>>>
          : Field extends { readonly unit: infer Unit }
            ? { price: Price; amount: bigint; address: Hex }[Unit & ('price' | 'amount' | 'address')]
            : Field extends z.ZodISODateTime
              ? number
              : Field extends z.ZodEnum | z.ZodLiteral
                ? string
                : Field extends z.ZodType
                  ? z.output<Field>
                  : never;

export type Wire<Shape, Required, Price = bigint> = {
  readonly [Key in keyof Shape as Shape[Key] extends { readonly unit: 'reason' }
    ? never
    : Key]: Key extends Required
    ? Read<Shape[Key], Price>
    : Shape[Key] extends z.ZodArray
      ? Read<Shape[Key], Price>
      : Read<Shape[Key], Price> | null;
};

const reading =
  <Price>(isBigint: boolean) =>
  <Shape extends z.ZodRawShape, Required extends keyof Shape & string = never>(
    schema: z.ZodObject<Shape>,
    ...required: readonly Required[]
  ) =>
    fieldsOf(schema, required, isBigint) as z.ZodType<Wire<Shape, Required, Price>>;

/** A missing or invalid field is `null`, a list empty, unless it is `required`; an empty text that may be `null` is that. */
export const lenient = reading<bigint>(true);
/** The same for statistics that are drawn: prices are numbers, in wei. */
export const drawn = reading<number>(false);

function fieldsOf({ shape }: z.ZodObject, required: readonly string[], isBigint: boolean): z.ZodType {
  const view = ([name, field]: readonly [string, z.core.$ZodType]) =>
    [name, required.includes(name) ? readable(field, isBigint) : orNull(field, isBigint)] as const;
  // A start reads few of all views. `readable` leaves a lazy one within another as it is.
  return z.lazy(() => {
    const fields = Object.entries(shape).filter(([, field]) => !isMadeOf(field, WhyNull));
    const object = z.object(Object.fromEntries(fields.map(view))).readonly();
    const isExplained = fields.length < Object.keys(shape).length;
    const prices = isExplained ? fields.filter(([, field]) => isMadeOf(field, WirePrice)) : [];
    return prices.length === 0 ? object : z.preprocess((wire) => withLargePrices(wire, prices), object);
  });
}

/** A price that is `null` for a reason is above what the wire can hold: it is read as that limit, which is shown as `over 9,007,199`. */
function withLargePrices(wire: unknown, prices: readonly (readonly [string, z.core.$ZodType])[]): unknown {
  if (!isRecord(wire)) return wire;
  const { reason } = wire;
  if (typeof reason !== 'string' || reason === '') return wire;
  const large = prices
    .filter(([name]) => wire[name] === null)
    .map(([name]) => [name, Number.MAX_SAFE_INTEGER]);
  return { ...wire, ...Object.fromEntries(large) };
}

function orNull(field: z.core.$ZodType, isBigint: boolean): z.ZodType {
  const { inner, isNullable } = unwrapped(field);
  if (inner instanceof z.ZodArray && !isNullable) return readable(inner, isBigint).catch([]);
  const view = readable(inner, isBigint).nullable().catch(null);
  return inner instanceof z.ZodString && isNullable
    ? view.transform((value) => (value === '' ? null : value))
    : view;
}

function readable(field: z.core.$ZodType, isBigint: boolean): z.ZodType {
  const { inner } = unwrapped(field);
  if (inner instanceof z.ZodObject) return fieldsOf(inner, [], isBigint);
  if (inner instanceof z.ZodArray) {
    const isNullable = unwrapped(inner.element).isNullable;
    return isNullable ? z.array(orNull(inner.element, isBigint)) : rows(readable(inner.element, isBigint));
  }
  if (inner instanceof z.ZodRecord) {
    const value = orNull(inner.valueType, isBigint);
    return z
      .record(z.string(), value)
      .transform((record) => Object.fromEntries(Object.entries(record).filter(([, one]) => one !== null)));
  }
  if (isMadeOf(inner, Amount, SignedAmount) || (isBigint && isMadeOf(inner, Wei)))
    return inner.transform((wei) => BigInt(String(wei)));
  if (isMadeOf(inner, Address)) return inner.transform((text) => checksummed(String(text)));
  if (inner instanceof z.ZodISODateTime) return inner.transform((text) => Date.parse(text));
  return inner instanceof z.ZodEnum || inner instanceof z.ZodLiteral ? z.string().min(1) : inner;
}

export interface Rows<Row> {
  readonly items: readonly Row[];
  readonly rows: number;
  readonly unreadable: number;
}

/** A list that counts its unreadable rows. Without any readable row it is unreadable itself. */
export function countedRows<Row>(row: z.ZodType<Row>): z.ZodType<Rows<Row>> {
  return z.array(z.unknown()).transform((all, context) => {
    const read = all.map((one) => row.safeParse(one));
    const items = read.flatMap(({ success, data }) => (success ? [data] : []));
    const failedAt = items.length > 0 ? -1 : read.findIndex(({ success }) => !success);
    for (const { path, message } of read[failedAt]?.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [failedAt, ...path], message });
    return { items, rows: all.length, unreadable: all.length - items.length };
  });
}

export const rows = <Row>(row: z.ZodType<Row>): z.ZodType<readonly Row[]> =>
  countedRows(row).transform(({ items }) => items);

/** Rejects a response without any field of the contract; the error names the field `name`. */
export function sayingAny<Out extends object>(schema: z.ZodType<Out>, name: string): z.ZodType<Out> {
  return schema.refine(
    (wire) =>
      Object.values(wire)
        .flat()
        .some((value) => value !== null),
    { path: [name] },
  );
}

export const weiFromGwei = (value: number | null): bigint | null =>
  value === null ? null : weiOfGwei(value);

export const said = (text: string | null | undefined): string | null => text || null;
