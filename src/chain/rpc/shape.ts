/**
 * What a part of a node's answer must be, and what it is here. Plain functions instead of a schema library: the first
 * prices wait for a dozen such answers, and the library takes longer to load than all of them to be read.
 *
 * @throws Unfit where it is something else
 */
export type Shape<T> = (value: unknown) => T;

/** Says where in an answer something stands that does not belong there. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
  /** `transactions.3.hash`; empty: the answer itself. */
  readonly path: string;

  constructor(path = '') {
    super(path);
    this.path = path;
  }
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Said<S extends Fields> = { readonly [Name in keyof S]: ReturnType<S[Name]> };

/** An object with these fields; others are left out. */
export function object<S extends Fields>(fields: S): Shape<Said<S>> {
  const shapes = Object.entries(fields);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unfit();
    const given = value as Readonly<Record<string, unknown>>;
    const said: Record<string, unknown> = {};
    for (const [name, shape] of shapes) said[name] = at(name, shape, given[name]);
    // Each field is what its shape made of it.
    return said as Said<S>;
  };
}

export function list<T>(each: Shape<T>): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Unfit();
    return value.map((one, index) => at(String(index), each, one));
  };
}

/** Missing, `null`, or that: what is missing reads as `null`. */
export function maybe<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null || value === undefined ? null : shape(value));
}

/** `null`, said in so many words, or that. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value));
}

export function text(pattern: RegExp): Shape<string> {
  return (value) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new Unfit();
    return value;
  };
}

export const number: Shape<number> = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unfit();
  return value;
};

/** What `shape` says of `value`, where that `fits`. */
export function where<T>(shape: Shape<T>, fits: (value: T) => boolean): Shape<T> {
  return (value) => {
    const said = shape(value);
    if (!fits(said)) throw new Unfit();
    return said;
  };
}

/** What `shape` says of `value`, made into something else. */
export function mapped<T, U>(shape: Shape<T>, make: (value: T) => U): Shape<U> {
  return (value) => make(shape(value));
}

function at<T>(name: string, shape: Shape<T>, value: unknown): T {
  try {
    return shape(value);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new Unfit(error.path === '' ? name : `${name}.${error.path}`);
  }
}
