import * as z from 'zod';
import { MOST_GWEI } from '../contract/choices.ts';
import { Amount, Hash, Wei } from '../contract/primitives.ts';
import { ownValue } from '../core/own-value.ts';
import {
  type FeeUnit,
  isRecord,
  type JsonRecord,
  readCount,
  readFee,
  readFlag,
  readNumber,
  readTime,
  readWholeWei,
} from './values.ts';

/**
 * Other services' names for fields of the contract. `lowPrice` and `low_price` are the same name, and a price may have
 * its unit: `lowPriceGwei`. A name with a dot applies only in the schema of that id.
 */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  id: ['_id', 'alertId', 'autoTxId', 'deliveryId', 'uuid'],
  // Gas
  lowPrice: ['low', 'slowPrice', 'slow'],
  averagePrice: ['average', 'avgPrice'],
  highPrice: ['high', 'fastPrice', 'fast'],
  basePrice: ['base', 'baseFee', 'baseFeePerGas'],
  priorityPrice: ['priorityFee', 'priority', 'tip'],
  blockNumber: ['block', 'number', 'height'],
  blockTimestamp: ['blockTime'],
  updatedAt: ['updated', 'timestamp', 'lastUpdated'],
  direction: ['trendDirection', 'trend'],
  now: ['current'],
  min: ['low'],
  max: ['high'],
  action: ['recommendation', 'recommendedAction'],
  lane: ['gasSpeed'],
  targetPrice: ['target'],
  reason: ['message'],
  // Dashboard
  plan: ['planName'],
  dailyLimit: ['limit'],
  usedToday: ['used'],
  remainingToday: ['remaining'],
  resetsAt: ['resetAt', 'reset'],
  pending: ['active'],
  points: ['chart', 'series', 'data', 'items', 'content'],
  timestamp: ['time', 'blockTimestamp', 'bucket', 'date', 'updatedAt', 't'],
  base: ['basePrice', 'baseFee', 'baseFeePerGas'],
  priority: ['priorityPrice', 'priorityFee'],
  low: ['lowPrice', 'slow'],
  average: ['averagePrice'],
  high: ['highPrice', 'fast'],
  // Metrics
  data: ['items', 'content', 'rows', 'points', 'input', 'calldata'],
  page: ['number'],
  size: ['pageSize'],
  total: ['totalElements', 'totalCount', 'totalItems', 'count'],
  mean: ['avg', 'average', 'baseFee', 'baseFeePerGas', 'base', 'value', 'close'],
  'GasUsedRatioRow.mean': ['gasUsedRatio', 'ratio', 'value', 'average', 'avg'],
  'PriorityFeeRow.value': ['priorityFee', 'maxPriorityFeePerGas', 'priority', 'tip'],
  'BlockMetrics.hash': ['blockHash'],
  baseFeePerGas: ['baseFee', 'basePrice', 'base'],
  transactionCount: ['txCount', 'transactions'],
  feeRecipient: ['miner'],
  hash: ['txHash', 'transactionHash'],
  value: ['valueWei'],
  effectiveGasPrice: ['paidGasPrice'],
  'TxRow.effectiveGasPrice': ['gasPrice'],
  priorityFeePerGas: ['priorityFee', 'tip'],
  costWei: ['cost', 'fee'],
  // Alerts
  items: ['alerts', 'autoTxs', 'data', 'content', 'rows'],
  status: ['state'],
  gasSpeed: ['speed', 'lane'],
  condition: ['operator', 'comparison'],
  thresholdGwei: ['thresholdWei', 'threshold', 'targetPrice', 'targetGasPrice'],
  disableOnce: ['once'],
  method: ['channel'],
  channels: ['methods', 'notificationChannels'],
  to: ['recipient', 'toAddress', 'target', 'email', 'webhookUrl'],
  note: ['description', 'label'],
  createdAt: ['created'],
  lastTriggeredAt: ['lastTriggered', 'lastFiredAt', 'triggeredAt'],
  triggerCount: ['triggeredCount', 'firedCount', 'fireCount'],
  savedWei: ['saved', 'totalSavedWei', 'totalSaved'],
  entries: ['history', 'events'],
  triggeredAt: ['timestamp', 'time', 'at'],
  price: ['gasPrice'],
  // Auto-txs
  targetGasPriceGwei: ['targetGasPriceWei', 'targetGasPrice', 'targetPrice', 'target'],
  strictTargetPrice: ['strictTarget', 'isStrict', 'strict'],
  expiresAt: ['expires', 'expiry', 'validUntil'],
  from: ['sender', 'fromAddress'],
  failure: ['failureReason', 'failReason', 'error', 'errorMessage'],
  timeline: ['history', 'events', 'log'],
  kind: ['type', 'event', 'status', 'action'],
  message: ['reason', 'detail', 'description'],
};

const WORD_ALIASES: Readonly<Record<string, readonly string[]>> = {
  CANCELLED: ['CANCELED'],
  PENDING: ['ARMED', 'ACTIVE', 'ENABLED', 'ON', 'RUNNING', 'WATCHING'],
  DISABLED: ['PAUSED', 'INACTIVE', 'OFF', 'STOPPED', 'SUSPENDED', 'MUTED'],
};

/** The contract's word for another service's, in any spelling: `Send now` is `SEND_NOW`, `active` is `PENDING`. */
export function contractWord(text: string): string {
  const spelled = text
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  return Object.keys(WORD_ALIASES).find((word) => WORD_ALIASES[word]?.includes(spelled)) ?? spelled;
}

const ENVELOPES = [
  ...['data', 'result', 'items', 'content', 'alert', 'autoTx', 'autoTransaction', 'recommendation'],
  ...['pagination', 'paging', 'meta'],
];
const DEEPEST = 5;
const LISTS = ['items', 'points', 'data'];

/** The names under which fields were found, for the doctor; rows of a list count as one. */
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
  const id = schema.meta()?.id;
  const used = new Set<string>();
  const fields = Object.entries(schema.shape).flatMap(([name, field]): [string, unknown][] => {
    const { inner } = unwrapped(field);
    const place = path === '' ? name : `${path}.${name}`;
    const aliases = ownValue(ALIASES, `${id}.${name}`) ?? ownValue(ALIASES, name) ?? [];
    const found = find(sources, [name, ...aliases], inner);
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

/** The first value under one of `names` of the field's type; or else any value under the contract's own name. */
function find(sources: readonly JsonRecord[], names: readonly string[], field: z.ZodType) {
  const isPrice = isWei(field) || names[0]?.endsWith('Gwei');
  let odd: { readonly key: string; readonly value: unknown } | null = null;
  for (const name of names) {
    for (const spelled of isPrice ? [name, `${name}Gwei`, `${name}Wei`] : [name]) {
      for (const source of sources) {
        const key = keyOf(source, spelled);
        const value = key === null ? null : source[key];
        if (key === null || value === undefined) continue;
        if (value !== null && isLike(field, value)) return { key, value };
        if (name === names[0]) odd ??= { key, value };
      }
    }
  }
  return odd;
}

function isLike(field: z.ZodType, value: unknown): boolean {
  if (field instanceof z.ZodArray) return Array.isArray(value);
  if (field instanceof z.ZodRecord) return isRecord(value);
  if (field instanceof z.ZodObject) return isRecord(value) || isSentence(field, value);
  return typeof value !== 'object';
}

/** Where the contract has a record with a message, others may have only the message. */
const isSentence = (field: z.ZodObject, value: unknown) =>
  'message' in field.shape && typeof value === 'string' && value !== '';

interface Place {
  readonly name: string;
  readonly key: string;
  readonly place: string;
  readonly renaming: Renaming;
}

/** A value in the contract's form where it can be read so, or else unchanged. */
function convert(field: z.ZodType, value: unknown, at: Place): unknown {
  const { place, renaming } = at;
  if (field instanceof z.ZodObject) {
    if (isSentence(field, value)) return { message: value };
    return isRecord(value) ? converted(field, [value], place, renaming) : value;
  }
  if (field instanceof z.ZodArray) {
    const { inner } = unwrapped(field.element as z.ZodType);
    if (!Array.isArray(value)) return value;
    return value.map((row: unknown) => convert(inner, row, { ...at, place: `${place}[]` }));
  }
  return scalar(field, value, at) ?? value;
}

function scalar(field: z.ZodType, value: unknown, at: Place): unknown {
  if (isWei(field)) return price(value, at);
  if (at.name.endsWith('Gwei')) return gwei(value, at);
  if (isMadeOf(field, Amount)) return readWholeWei(value)?.toString();
  if (isMadeOf(field, Hash)) return typeof value === 'string' ? value.toLowerCase() : null;
  if (field instanceof z.ZodEnum || field instanceof z.ZodLiteral) return word(field, value);
  if (field instanceof z.ZodISODateTime) return readTime(value);
  if (field instanceof z.ZodBoolean) return readFlag(value);
  if (field instanceof z.ZodNumber) return readCount(value) ?? readNumber(value);
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

export const normalKey = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');
const keyIndexes = new WeakMap<JsonRecord, ReadonlyMap<string, string>>();

function keyOf(record: JsonRecord, name: string): string | null {
  let index = keyIndexes.get(record);
  if (index === undefined) {
    index = new Map(Object.keys(record).map((key) => [normalKey(key), key]));
    keyIndexes.set(record, index);
  }
  return Object.hasOwn(record, name) ? name : (index.get(normalKey(name)) ?? null);
}
