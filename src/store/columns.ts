import type { Hex } from '../core/block.ts';

type Cell = string | number | null;

/** How a value is stored in a column. `read` throws for what gastop did not write. */
export interface Stored<Value, In extends Cell> {
  readonly write: (value: Value) => In;
  readonly read: (cell: unknown) => Value;
}

type AnyStored = { write(value: never): Cell; read(cell: unknown): unknown };
type Fields = Readonly<Record<string, readonly [column: string, stored: AnyStored]>>;
type Values<All extends Fields> = { readonly [Name in keyof All]: ReturnType<All[Name][1]['read']> };
type Row<All extends Fields> = {
  [Name in keyof All as All[Name][0]]: ReturnType<All[Name][1]['write']>;
};

/** Columns of the fields of an object, for both directions. */
export function columns<const All extends Fields>(fields: All) {
  const all = Object.entries(fields) as [string, [string, Stored<unknown, Cell>]][];
  return {
    names: Object.values(fields).map(([column]) => column) as All[keyof All][0][],
    write: (values: Values<All>) =>
      Object.fromEntries(all.map(([name, [column, { write }]]) => [column, write(values[name])])) as Row<All>,
    /** All `null` for an object that is not there. */
    writeOrNull: (values: Values<All> | null) =>
      Object.fromEntries(
        all.map(([name, [column, { write }]]) => [column, values && write(values[name])]),
      ) as { [Column in keyof Row<All>]: Row<All>[Column] | null },
    read: (row: { readonly [Column in keyof Row<All>]: unknown }) =>
      Object.fromEntries(
        all.map(([name, [column, { read }]]) => [name, read(row[column as keyof typeof row])]),
      ) as Values<All>,
  };
}

export const unreadable = () => new RangeError('no row of ours');

const checked = <Value extends Cell>(is: (cell: unknown) => boolean): Stored<Value, Value> => ({
  write: (value) => value,
  read: (cell) => {
    if (is(cell)) return cell as Value;
    throw unreadable();
  },
});

/** Stored as it is, and trusted. */
export const plainCell = <Value extends Cell>() => checked<Value>(() => true);

export const orNull = <Value, In extends Cell>(
  stored: Stored<Value, In>,
): Stored<Value | null, In | null> => ({
  write: (value) => maybeCell(value, stored.write),
  read: (cell) => maybeCell(cell, stored.read),
});

export function maybeCell<Value, Result>(value: Value, read: (value: NonNullable<Value>) => Result) {
  return value === null || value === undefined ? null : read(value);
}

/** As JSON, trusted unless `read` checks it. */
export const jsonCell = <Value>(
  read = (json: unknown): Value => json as Value,
  write: (value: Value) => unknown = (value) => value,
): Stored<Value, string> => ({
  write: (value) => JSON.stringify(write(value)),
  read: (cell) => read(JSON.parse(String(cell))),
});

const isWhole = (cell: unknown) => Number.isSafeInteger(cell) && Number(cell) >= 0;
export const wholeCell = checked<number>(isWhole);
/** Ms since epoch, within the range of dates (ECMA-262, “Time Values and Time Range”). */
export const moment = checked<number>((cell) => isWhole(cell) && Number(cell) <= 8_640_000_000_000_000);
export const flagCell: Stored<boolean, number> = { write: Number, read: (cell) => cell === 1 };

const MAX_WEI = BigInt(Number.MAX_SAFE_INTEGER);

/** The API has wei as integers up to 2^53−1 (9 million gwei); a larger value is stored as that limit. */
export const integer = (wei: bigint) => Number(wei > MAX_WEI ? MAX_WEI : wei);

/** Wei per gas, and gas. */
export const wei: Stored<bigint, number> = { write: integer, read: (cell) => BigInt(wholeCell.read(cell)) };
/** What is signed: never stored rounded. */
export const exactWei: Stored<bigint, number> = {
  ...wei,
  write: (value) => {
    if (value > MAX_WEI) throw new RangeError('an amount of a transaction is above 2^53 − 1');
    return Number(value);
  },
};
/** Wei as decimal text, for amounts that may exceed 2^53 − 1. 2^256 − 1 has 78 digits. */
export const amount: Stored<bigint, string> = {
  write: String,
  read: (cell) => {
    if (typeof cell === 'string' && /^\d{1,78}$/.test(cell)) return BigInt(cell);
    throw unreadable();
  },
};

const hexOf = (pattern: RegExp): Stored<Hex, string> =>
  checked<Hex>((cell) => typeof cell === 'string' && pattern.test(cell));
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;
export const isHexCell = (cell: unknown): cell is Hex => typeof cell === 'string' && HEX.test(cell);
export const hex = hexOf(HEX);
export const address = hexOf(/^0x[0-9a-fA-F]{40}$/);
export const hashCell = hexOf(/^0x[0-9a-fA-F]{64}$/);

export const oneOf = <const Choice extends string | number>(choices: readonly Choice[]) =>
  checked<Choice>((cell) => choices.some((each) => each === cell)) as Stored<
    Choice,
    Choice extends string ? string : number
  >;
