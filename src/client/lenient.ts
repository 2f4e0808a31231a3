import * as z from 'zod';
import { weiOfGwei } from '../core/units.ts';
import { unwrapped } from './aliases.ts';

/** The view of a contract field: enums become any text, lists keep their readable rows, times become ms since epoch. */
type Read<Field> = Field extends z.ZodNullable<infer Inner> | z.ZodOptional<infer Inner>
  ? Read<Inner>
  : Field extends z.ZodObject<infer Shape>
    ? Wire<Shape, never>
    : Field extends z.ZodArray<z.ZodNullable<infer Row>>
      ? readonly (Read<Row> | null)[]
      : Field extends z.ZodArray<infer Row>
        ? readonly Read<Row>[]
        : Field extends z.ZodRecord<infer _, infer Value>
          ? Readonly<Record<string, Read<Value>>>
          : Field extends z.ZodISODateTime
            ? number
            : Field extends z.ZodEnum | z.ZodLiteral
              ? string
              : Field extends z.ZodType
                ? z.output<Field>
                : never;

export type Wire<Shape, Required> = {
  readonly [Key in keyof Shape]: Key extends Required ? Read<Shape[Key]> : Read<Shape[Key]> | null;
};

/** A missing or invalid field is `null` without affecting others, unless it is `required`. */
export function lenient<Shape extends z.ZodRawShape, Required extends keyof Shape & string = never>(
  { shape }: z.ZodObject<Shape>,
  ...required: readonly Required[]
): z.ZodType<Wire<Shape, Required>> {
  const needed = new Set<string>(required);
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    needed.has(name) ? readable(field) : orNull(field),
  ]);
  return z.object(Object.fromEntries(fields)) as unknown as z.ZodType<Wire<Shape, Required>>;
}

const orNull = (field: z.core.$ZodType) => readable(field).nullable().catch(null);

function readable(field: z.core.$ZodType): z.ZodType {
  const { inner } = unwrapped(field);
  if (inner instanceof z.ZodObject) return lenient(inner);
  if (inner instanceof z.ZodArray) {
    const isNullable = unwrapped(inner.element).isNullable;
    return isNullable ? z.array(orNull(inner.element)) : rows(readable(inner.element));
  }
  if (inner instanceof z.ZodRecord) {
    const value = readable(inner.valueType);
    return z.record(z.string(), z.unknown()).transform((record) =>
      Object.fromEntries(
        Object.entries(record).flatMap(([name, one]) => {
          const parsed = value.safeParse(one);
          return parsed.success ? [[name, parsed.data]] : [];
        }),
      ),
    );
  }
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
    const items: Row[] = [];
    let failed: z.ZodError | null = null;
    let failedAt = 0;
    for (const [at, one] of all.entries()) {
      const parsed = row.safeParse(one);
      if (parsed.success) items.push(parsed.data);
      else if (failed === null) [failed, failedAt] = [parsed.error, at];
    }
    if (items.length === 0 && failed !== null) {
      for (const { path, message } of failed.issues) {
        context.addIssue({ code: 'custom', path: [failedAt, ...path], message });
      }
    }
    return { items, rows: all.length, unreadable: all.length - items.length };
  });
}

export const rows = <Row>(row: z.ZodType<Row>): z.ZodType<readonly Row[]> =>
  countedRows(row).transform(({ items }) => items);

/** Rejects a response without any field of the contract; the error names the field `name`. */
export function sayingAny<Out extends object>(schema: z.ZodType<Out>, name: string): z.ZodType<Out> {
  return schema.refine((wire) => Object.values(wire).some((value) => value !== null), { path: [name] });
}

export const wei = (value: number | string | null | undefined): bigint | null =>
  value === null || value === undefined ? null : BigInt(value);

export const weiFromGwei = (value: number | null): bigint | null =>
  value === null ? null : weiOfGwei(value);

export const said = (text: string | null | undefined): string | null => text || null;
