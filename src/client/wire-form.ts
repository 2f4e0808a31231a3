import * as z from 'zod';
import { MOST_GWEI } from '../contract/choices.ts';
import { Amount, Hash, Wei } from '../contract/primitives.ts';
import { ownValue } from '../core/own-value.ts';
import {
  type FeeUnit,
  isRecord,
  type JsonRecord,
  normalKey,
  readFee,
  readFlag,
  readNumber,
  readTime,
  readWholeWei,
} from './values.ts';

/** A published name that is not the contract's. `lowPrice` and `low_price` are one name; a price may have its unit. */
const PUBLISHED_NAMES: Readonly<Record<string, string>> = { strictTargetPrice: 'strictTarget' };

/** The contract's word in any spelling: `Send now` is `SEND_NOW`. */
export const contractWord = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');

/** What others put around a record or a list. */
const ENVELOPES = ['data', 'result', 'items', 'content'];
const DEEPEST = 5;
/** The contract's own names of a list in a response. */
const LISTS = ['items', 'points', 'data'];

/** The spellings and envelopes under which fields were found, for the doctor; rows of a list count as one. */
export class Renaming {
  readonly envelopes = new Set<string>();
  readonly names = new Map<string, string>();
  readonly guessed = { wei: new Set<string>(), gwei: new Set<string>() };
}

/** Converts another service's response into names, units and forms of the contract, as far as it can. */
export function inWireForm(schema: z.ZodObject, body: unknown, renaming = new Renaming()): JsonRecord {
  const only = Array.isArray(body) && body.length === 1 && isRecord(body[0]) ? body[0] : null;
  const list = LISTS.find((name) => name in schema.shape);
  if (Array.isArray(body) && list !== undefined) return inWireForm(schema, { [list]: body }, renaming);
  const sources = sourcesOf(schema, isRecord(body) ? body : (only ?? {}), renaming);
  return converted(schema, sources, '', renaming);
}

function sourcesOf(
  schema: z.ZodObject,
  record: JsonRecord,
  renaming: Renaming,
  depth = 0,
): readonly JsonRecord[] {
  const inside = ENVELOPES.flatMap((name) => {
    const key = keyOf(record, name);
    if (key === null || depth === DEEPEST) return [];
    const value = record[key];
    const field = ownValue(schema.shape, name);
    if (field !== undefined && isLike(unwrapped(field).inner, value)) return [];
    const found = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (!isRecord(found)) return [];
    renaming.envelopes.add(key);
    return sourcesOf(schema, found, renaming, depth + 1);
  });
  return [...inside, record];
}

function converted(
  schema: z.ZodObject,
  sources: readonly JsonRecord[],
  path: string,
  renaming: Renaming,
): JsonRecord {
  const used = new Set<string>();
  const fields = Object.entries(schema.shape).flatMap(([name, field]): [string, unknown][] => {
    const { inner } = unwrapped(field);
    const place = path === '' ? name : `${path}.${name}`;
    const found = find(sources, name, inner);
    if (found === null) return [];
    used.add(found.key);
    if (ENVELOPES.includes(found.key) && found.key !== name) renaming.envelopes.add(found.key);
    else if (normalKey(found.key) !== normalKey(name)) renaming.names.set(place, found.key);
    return [[name, convert(inner, found.value, { name, key: found.key, place, renaming })]];
  });
  const [innermost = {}] = sources;
  const unknown = Object.entries(innermost).filter(([key]) => !used.has(key) && !(key in schema.shape));
  return Object.fromEntries([...fields, ...unknown]);
}

/** The first value of the field's type under one of its names; or else any value under the contract's own name. */
function find(sources: readonly JsonRecord[], name: string, field: z.ZodType) {
  let odd: { readonly key: string; readonly value: unknown } | null = null;
  for (const spelled of namesOf(name, field)) {
    for (const source of sources) {
      const key = keyOf(source, spelled);
      const value = key === null ? null : source[key];
      if (key === null || value === undefined) continue;
      if (value !== null && isLike(field, value)) return { key, value };
      if (spelled === name) odd ??= { key, value };
    }
  }
  return odd;
}

function namesOf(name: string, field: z.ZodType): readonly string[] {
  const published = ownValue(PUBLISHED_NAMES, name);
  if (isWei(field) || isGwei(name)) {
    const bare = name.replace(/Gwei$/, '');
    return [name, bare, `${bare}Gwei`, `${bare}Wei`];
  }
  return [
    name,
    ...(published === undefined ? [] : [published]),
    ...(LISTS.includes(name) && field instanceof z.ZodArray ? ENVELOPES : []),
  ];
}

const isGwei = (name: string) => name.endsWith('Gwei');

function isLike(field: z.ZodType, value: unknown): boolean {
  if (field instanceof z.ZodArray) return Array.isArray(value);
  if (field instanceof z.ZodRecord || field instanceof z.ZodObject) return isRecord(value);
  return typeof value !== 'object';
}

interface Place {
  readonly name: string;
  readonly key: string;
  readonly place: string;
  readonly renaming: Renaming;
}

/** A value in the contract's form where it can be read so, or else unchanged. */
function convert(field: z.ZodType, value: unknown, at: Place): unknown {
  const { place, renaming } = at;
  if (field instanceof z.ZodObject)
    return isRecord(value) ? converted(field, [value], place, renaming) : value;
  if (field instanceof z.ZodArray) {
    const { inner } = unwrapped(field.element);
    if (!Array.isArray(value)) return value;
    return value.map((row: unknown) => convert(inner, row, { ...at, place: `${place}[]` }));
  }
  return scalar(field, value, at) ?? value;
}

function scalar(field: z.ZodType, value: unknown, at: Place): unknown {
  if (isWei(field)) return price(value, at);
  if (isGwei(at.name)) return gwei(value, at);
  if (isMadeOf(field, Amount)) return readWholeWei(value)?.toString();
  if (isMadeOf(field, Hash)) return typeof value === 'string' ? value.toLowerCase() : null;
  if (field instanceof z.ZodEnum || field instanceof z.ZodLiteral) return word(field, value);
  if (field instanceof z.ZodISODateTime) return readTime(value);
  if (field instanceof z.ZodBoolean) return readFlag(value);
  if (field instanceof z.ZodNumber) return readNumber(value);
  return field instanceof z.ZodString && Number.isSafeInteger(value) ? String(value) : null;
}

const unitOf = (key: string): FeeUnit => (/gwei$/i.test(key) ? 'gwei' : /wei$/i.test(key) ? 'wei' : 'guess');

function price(value: unknown, { key, place, renaming }: Place): number | null {
  const unit = unitOf(key);
  const wei = readFee(value, unit);
  if (wei === null) return null;
  // Shown as `over 9,007,199`.
  if (wei > BigInt(Number.MAX_SAFE_INTEGER)) return Number.MAX_SAFE_INTEGER;
  const asWei = readFee(value, 'wei');
  // Zero needs no guess.
  if (unit === 'guess' && asWei !== readFee(value, 'gwei')) {
    renaming.guessed[wei === asWei ? 'wei' : 'gwei'].add(place);
  }
  return Number(wei);
}

/** Prices are entered in gwei but may be stored in wei, sometimes under the same name. */
function gwei(value: unknown, { key }: Place): number | null {
  const wei = readFee(value, unitOf(key));
  if (wei === null) return null;
  const inGwei = Number(wei) / 1e9;
  return inGwei > MOST_GWEI ? inGwei / 1e9 : inGwei;
}

/** A word of the contract; an unknown one is unchanged. */
function word(field: z.ZodEnum | z.ZodLiteral, value: unknown): string | null {
  const known = field instanceof z.ZodEnum ? field.options : [...field.values];
  const text = typeof value === 'string' || Number.isFinite(value) ? String(value) : '';
  const read = contractWord(text);
  return known.includes(read) ? read : text || null;
}

const isWei = (field: z.ZodType) => isMadeOf(field, Wei);

/** Whether a field is one of these schemas, with a description of its own or without. */
export function isMadeOf(field: z.core.$ZodType, ...bases: readonly z.core.$ZodType[]): boolean {
  for (let one: z.core.$ZodType | undefined = field; one !== undefined; one = one._zod.parent) {
    if (bases.includes(one)) return true;
  }
  return false;
}

export function unwrapped(field: z.core.$ZodType): {
  readonly inner: z.ZodType;
  readonly isNullable: boolean;
} {
  let inner = field;
  let isNullable = false;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) {
    isNullable ||= inner instanceof z.ZodNullable;
    inner = inner.unwrap();
  }
  return { inner: inner as z.ZodType, isNullable };
}

function keyOf(record: JsonRecord, name: string): string | null {
  if (Object.hasOwn(record, name)) return name;
  const wanted = normalKey(name);
  return Object.keys(record).findLast((key) => normalKey(key) === wanted) ?? null;
}
