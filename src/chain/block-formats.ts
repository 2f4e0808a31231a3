import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { type Block, type BlockTips, type Hex, TIP_PERCENTILES } from '../core/block.ts';
import { chainProfile } from '../core/chains.ts';
import { gasUsedRatioFromBaseFees } from '../core/eip1559.ts';
import { cleanText } from '../core/text.ts';
import { ChainError } from './chain-source.ts';

const LONGEST_QUOTE = 40;

/** A piece of a file's text for a message: short, one line, safe for terminals. */
function quoteText(text: string): string {
  return `"${cleanText(legible(text).trim(), LONGEST_QUOTE + 1)}"`;
}

/** Replaces bytes that are not UTF-8. */
function legible(text: string): string {
  return text.replaceAll('\ufffd', ' ');
}

/** A file's name for a message or a status line. */
export function fileLabel(path: string): string {
  return cleanText(legible(basename(path))).trim() || 'file';
}

/**
 * `blocks.csv line 17: …` as a `ChainError`. `what` states the problem with advice.
 * @param line counted from 1; `null` when the whole file is at fault.
 */
export function badFile(path: string, line: number | null, what: string, cause?: unknown): ChainError {
  const where = line === null ? fileLabel(path) : `${fileLabel(path)} line ${line}`;
  return new ChainError('bad-file', `${where}: ${what}`, { cause });
}

const OPEN_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EACCES: 'may not be read; check its permissions',
  EPERM: 'may not be read; check its permissions',
  EISDIR: 'is a folder; name a file of recorded blocks',
  Z_BUF_ERROR: 'the compressed data ends early; copy the file again',
  Z_DATA_ERROR: 'the compressed data is damaged; copy the file again',
};

/** An error of the system or zlib about a file, as a `ChainError`. */
function fileFailure(path: string, error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return badFile(path, null, OPEN_FAILURES[code] ?? `cannot be read (${code}); check the disk`, error);
}

/** One line of a block file by itself; fields that need the next line are still open. */
export interface BlockRecord extends Omit<Block, 'gasUsedRatio'> {
  readonly gasUsedRatio: number | null;
}

/** The detected format of a file. */
export interface BlockFileDecoder {
  readonly format: 'jsonl' | 'csv';
  readonly chainId: number;
  /** @throws ChainError `bad-file` */
  decode(text: string, line: number): BlockRecord;
  /** @param next the record of the following block, `null` when absent. */
  complete(record: BlockRecord, next: BlockRecord | null): Block;
}

/** Prices and gas are limited to JSON integers. */
export const LARGEST = Number.MAX_SAFE_INTEGER;
/** The year 2100: a larger timestamp is in milliseconds. */
const LATEST_TIMESTAMP = 4_102_444_800;

/** A block with every field takes under 1,000 characters. */
const LONGEST_LINE = 65_536;
const NEWLINE = 10;

/** The start of a line, where reading can continue. */
export interface LinePosition {
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  /** Counted from 1. */
  readonly line: number;
}

const FILE_START: LinePosition = { offset: 0, line: 1 };

/** Consecutive lines without line ends. */
export interface LineBatch {
  readonly lines: readonly string[];
  /** Position of the first line. */
  readonly at: LinePosition;
  /** Whether the file ends without a newline. */
  readonly isCut: boolean;
}

interface ReadLinesOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where to start; a compressed file always starts at its beginning. */
  readonly from?: LinePosition | undefined;
}

/** Whether the file is compressed with gzip, whatever its name. @throws ChainError `bad-file` */
async function isGzip(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      if (!stats.isFile()) throw badFile(path, null, 'is not a plain file; save the blocks to one first');
      const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
      return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileFailure(path, error);
  }
}

/**
 * The lines of a UTF-8 text file, plain or gzip, chunk by chunk in constant memory. Drops a byte order mark and CR
 * before LF. Ends (does not throw) when `signal` aborts.
 * @throws ChainError `bad-file` for a file that cannot be read, is not UTF-8 or has a line too long for a block.
 */
export async function* readLineBatches(
  path: string,
  options: ReadLinesOptions = {},
): AsyncGenerator<LineBatch> {
  const { signal } = options;
  const gzip = await isGzip(path);
  const start = gzip ? FILE_START : (options.from ?? FILE_START);
  const file = createReadStream(path, { start: start.offset });
  const stream = gzip ? unzip(file) : file;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let { offset, line } = start;
  let rest: Buffer = Buffer.alloc(0);

  const batch = (bytes: Buffer, isCut: boolean): LineBatch => {
    const text = decode(path, decoder, bytes, line);
    const lines = text.split('\n').map((each) => (each.endsWith('\r') ? each.slice(0, -1) : each));
    if (!isCut) lines.pop();
    const at = { offset, line };
    const long = lines.findIndex((each) => each.length > LONGEST_LINE);
    if (long >= 0) throw tooLong(path, line + long);
    offset += bytes.length;
    line += lines.length;
    return { lines, at, isCut };
  };

  try {
    for await (const chunk of stream) {
      if (signal?.aborted) return;
      const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield batch(bytes.subarray(0, end), false);
      if (rest.length > LONGEST_LINE) throw tooLong(path, line);
    }
    if (rest.length > 0 && !signal?.aborted) yield batch(rest, true);
  } catch (error) {
    throw fileFailure(path, error);
  } finally {
    file.destroy();
    stream.destroy();
  }
}

function unzip(file: Readable): Readable {
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

function decode(
  path: string,
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  line: number,
): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    const what = 'is not UTF-8 text from here on; give JSON Lines or CSV, plain or gzip';
    throw badFile(path, line, what, error);
  }
}

function tooLong(path: string, line: number) {
  return badFile(path, line, `is longer than ${LONGEST_LINE} characters; write one block per line`);
}

/** The first line of a recording. */
const Header = z.object({
  format: z.literal('gastop-blocks', 'must be "gastop-blocks"'),
  version: z.literal(1, 'must be 1; a newer gastop wrote this file: update gastop'),
  chainId: z.int('must be a whole number').min(0),
});

/** One function rather than a union of schemas: a line has a dozen of these and a recording 100,000 lines. */
function toWhole(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value !== 'string' || !/^\d{1,16}$/.test(value)) return null;
  const whole = BigInt(value);
  return whole <= BigInt(LARGEST) ? whole : null;
}

const message = 'must be a whole number from 0 to 2^53−1, as a number or a string of digits';
const Whole = z.unknown().transform((value, context) => {
  const whole = toWhole(value);
  if (whole !== null) return whole;
  context.issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});
const WholeOrNull = Whole.nullish().transform((value) => value ?? null);
const Hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hexadecimal digits')
  .nullish()
  .transform((value) => (value ?? null) as Hex | null);

const isAscending = (tips: readonly bigint[]) =>
  tips.every((tip, i) => i === 0 || tip >= (tips[i - 1] ?? 0n));
const Tips = z
  .tuple([Whole, Whole, Whole, Whole, Whole, Whole, Whole], `must be ${TIP_PERCENTILES.length} tips`)
  .refine(isAscending, 'must ascend')
  .nullish()
  .transform((tips): BlockTips | null => tips ?? null);

/** A line after the first. Absent fields are `null`. */
const Line = z.object({
  number: z.int('must be a whole number').min(0),
  hash: Hash,
  parentHash: Hash,
  timestamp: z.int('must be whole Unix seconds').min(0).max(LATEST_TIMESTAMP, 'must be Unix seconds'),
  baseFeePerGas: Whole,
  gasUsed: WholeOrNull,
  gasLimit: WholeOrNull,
  gasUsedRatio: z.number('must be a number').min(0).max(1, 'must be 0 to 1'),
  blobBaseFee: WholeOrNull,
  nextBaseFee: WholeOrNull,
  nextBlobBaseFee: WholeOrNull,
  tips: Tips,
});

/** The first line of a recording, with its newline. */
export function encodeHeader(chainId: number): string {
  return `${JSON.stringify({ format: 'gastop-blocks', version: 1, chainId } satisfies z.input<typeof Header>)}\n`;
}

/** One block as a line of a recording, with its newline: wei and gas as decimal strings, all fields present. */
export function encodeBlock(block: Block): string {
  const text = (value: bigint | null) => value?.toString() ?? null;
  const line = {
    number: block.number,
    timestamp: block.timestamp,
    hash: block.hash,
    parentHash: block.parentHash,
    baseFeePerGas: block.baseFeePerGas.toString(),
    gasUsed: text(block.gasUsed),
    gasLimit: text(block.gasLimit),
    gasUsedRatio: block.gasUsedRatio,
    blobBaseFee: text(block.blobBaseFee),
    nextBaseFee: text(block.nextBaseFee),
    nextBlobBaseFee: text(block.nextBlobBaseFee),
    tips: block.tips?.map(String) ?? null,
  };
  return `${JSON.stringify(line)}\n`;
}

/** Reads a recording whose first line is `header`. @throws ChainError `bad-file` */
export function createJsonDecoder(path: string, header: string, line: number): BlockFileDecoder {
  const { chainId } = read(
    path,
    Header,
    header,
    line,
    'start the file with the header line of `gastop record`',
  );
  return {
    format: 'jsonl',
    chainId,
    decode: (text, at): BlockRecord => read(path, Line, text, at, 'correct the line or record again'),
    complete: ({ gasUsedRatio, ...record }) => ({ ...record, gasUsedRatio: gasUsedRatio ?? 0 }),
  };
}

function read<T>(path: string, schema: z.ZodType<T>, text: string, line: number, remedy: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badFile(path, line, `is not JSON (${quoteText(text)}); ${remedy}`, error);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') || 'the line';
  throw badFile(path, line, `${quoteText(field).slice(1, -1)} ${says(issue)}; ${remedy}`);
}

const says = (issue: z.core.$ZodIssue | undefined): string =>
  issue === undefined
    ? 'is wrong'
    : issue.message.replace(/^Invalid input: /, 'is wrong: ').replace(/^Too /, 'is too ');

/** A CSV has no chain id. */
const CSV_CHAIN_ID = 1;
const REQUIRED = 'block_number,timestamp,base_fee_wei';

const ALIASES: Readonly<Record<string, string>> = {
  timestamp_utc_est: 'timestamp',
  gas_used_ratio_derived: 'gas_used_ratio',
};

/** The percentile of each tip column. A block's lowest tip is used for its p10, the mean for its median. */
const TIP_COLUMNS: readonly (readonly [name: string, percentile: number])[] = TIP_PERCENTILES.map((p) => [
  `tip_p${p}_wei`,
  p,
]);
const COARSE_TIP_COLUMNS: typeof TIP_COLUMNS = [
  ['tip_min_wei', 10],
  ['tip_avg_wei', 50],
  ['tip_max_wei', 99],
];

/**
 * Reads rows under the heading `header`: at least `block_number,timestamp,base_fee_wei`; optional `gas_used`,
 * `gas_limit`, `gas_used_ratio`, `blob_base_fee_wei`, `tip_p10_wei` … `tip_p99_wei` or `tip_min_wei`, `tip_avg_wei`,
 * `tip_max_wei`; others are ignored. Missing tip percentiles are interpolated.
 *  From the following row it takes only what the chain knew at this block: its base fee if the gas used is missing
 * (it follows from EIP-1559, and inverting that gives the gas used), and its blob base fee (it follows from the
 * excess blob gas). The last row's unknown gas is assumed to be at the target.
 * @throws ChainError `bad-file`
 */
export function createCsvDecoder(path: string, header: string, line: number): BlockFileDecoder {
  const names = splitRow(header)
    .map((name) => name.trim().toLowerCase())
    .map((name) => ALIASES[name] ?? name);
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (twice !== undefined) throw badFile(path, line, `has the column ${quoteText(twice)} twice; remove one`);
  const missing = REQUIRED.split(',').filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const what = missing.length === 3 ? 'is neither' : `has no column ${missing.join(', ')}: is not`;
    const wanted = `JSON Lines of \`gastop record\` nor CSV with ${REQUIRED}`;
    const expected = missing.length === 3 ? wanted : `CSV with ${REQUIRED}`;
    throw badFile(path, line, `${what} ${expected}; give a file of recorded blocks`);
  }
  const fine = TIP_COLUMNS.filter(([name]) => names.includes(name));
  const tips = fine.length > 0 ? fine : COARSE_TIP_COLUMNS.filter(([name]) => names.includes(name));
  const { feeRule } = chainProfile(CSV_CHAIN_ID);

  return {
    format: 'csv',
    chainId: CSV_CHAIN_ID,
    decode(text, at): BlockRecord {
      const cells = splitRow(text);
      if (cells.length !== names.length) {
        const what = `has ${cells.length} columns where the heading has ${names.length}`;
        throw badFile(path, at, `${what}; correct the row`);
      }
      const row = new CsvRow(path, at, new Map(names.map((name, i) => [name, cells[i]?.trim() ?? ''])));
      const gasUsed = row.whole('gas_used');
      const gasLimit = row.whole('gas_limit');
      if (gasUsed !== null && gasLimit !== null && gasUsed > gasLimit) {
        throw badFile(path, at, 'gas_used is above gas_limit; correct the row');
      }
      const isFull = gasUsed !== null && gasLimit !== null && gasLimit > 0n;
      return {
        number: Number(row.required('block_number')),
        hash: null,
        parentHash: null,
        timestamp: row.timestamp(),
        baseFeePerGas: row.required('base_fee_wei'),
        gasUsed,
        gasLimit,
        gasUsedRatio: isFull ? Number(gasUsed) / Number(gasLimit) : row.ratio('gas_used_ratio'),
        blobBaseFee: row.whole('blob_base_fee_wei'),
        nextBaseFee: null,
        nextBlobBaseFee: null,
        tips: row.tips(tips),
      };
    },
    complete(record, next) {
      const inverted =
        next === null
          ? 1 / feeRule.elasticity
          : gasUsedRatioFromBaseFees(record.baseFeePerGas, next.baseFeePerGas, feeRule);
      const isExact = record.gasUsed !== null && record.gasLimit !== null;
      return {
        ...record,
        gasUsedRatio: record.gasUsedRatio ?? inverted,
        nextBaseFee: isExact ? null : (next?.baseFeePerGas ?? null),
        nextBlobBaseFee: next?.blobBaseFee ?? null,
      };
    },
  };
}

function splitRow(text: string): string[] {
  // No column contains a comma, so quotes are ignored.
  return text.split(',').map((cell) => cell.replace(/^\s*"(.*)"\s*$/, '$1'));
}

class CsvRow {
  readonly #path: string;
  readonly #line: number;
  readonly #cells: ReadonlyMap<string, string>;

  constructor(path: string, line: number, cells: ReadonlyMap<string, string>) {
    this.#path = path;
    this.#line = line;
    this.#cells = cells;
  }

  /** `null` when the column or the value is absent. */
  whole(name: string, fraction = /^0*$/): bigint | null {
    const cell = this.#cells.get(name) ?? '';
    if (cell === '') return null;
    // Data frames write whole numbers as 14402849460.0; a mean may have a true fraction.
    const match = /^(\d{1,16})(?:\.(\d*))?$/.exec(cell);
    const value = match?.[1] !== undefined && fraction.test(match[2] ?? '') ? BigInt(match[1]) : null;
    if (value === null || value > BigInt(LARGEST)) {
      throw this.#wrong(name, cell, 'a whole number from 0 to 2^53−1');
    }
    return value;
  }

  required(name: string): bigint {
    const value = this.whole(name);
    if (value === null) throw this.#wrong(name, '', 'a whole number');
    return value;
  }

  timestamp(): number {
    const value = Number(this.required('timestamp'));
    if (value > LATEST_TIMESTAMP) throw this.#wrong('timestamp', String(value), 'Unix seconds');
    return value;
  }

  ratio(name: string): number | null {
    const cell = this.#cells.get(name) ?? '';
    if (cell === '') return null;
    const value = /^[\d.]+(?:e-?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN;
    if (!(value >= 0 && value <= 1)) throw this.#wrong(name, cell, 'a number from 0 to 1');
    return value;
  }

  /** `null` as soon as one of the columns is empty in this row. */
  tips(columns: typeof TIP_COLUMNS): BlockTips | null {
    if (columns.length === 0) return null;
    const known: { at: number; tip: bigint }[] = [];
    for (const [name, at] of columns) {
      const tip = this.whole(name, /^\d*$/);
      if (tip === null) return null;
      if (tip < (known.at(-1)?.tip ?? 0n)) {
        throw badFile(this.#path, this.#line, `${name} is below the tip column before it; correct the row`);
      }
      known.push({ at, tip });
    }
    const at = (percentile: number) => interpolate(known, percentile);
    return [at(10), at(25), at(50), at(75), at(90), at(95), at(99)];
  }

  #wrong(name: string, cell: string, wanted: string) {
    return badFile(this.#path, this.#line, `${name} ${quoteText(cell)} is not ${wanted}; correct the row`);
  }
}

function interpolate(known: readonly { at: number; tip: bigint }[], percentile: number): bigint {
  const above = known.findIndex(({ at }) => at >= percentile);
  const high = known[above] ?? known.at(-1);
  const low = known[above - 1] ?? known[0];
  if (high === undefined || low === undefined) return 0n;
  if (above <= 0 || high.at === percentile) return high.tip;
  const span = BigInt(high.at - low.at);
  return low.tip + ((high.tip - low.tip) * BigInt(percentile - low.at)) / span;
}
