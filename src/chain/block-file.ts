import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { type Block, blockTips, type Hex, TIP_PERCENTILES } from '../core/block.ts';
import { chainProfile } from '../core/chains.ts';
import { gasUsedRatioFromBaseFees } from '../core/eip1559.ts';
import { systemCode } from '../core/system-code.ts';
import { cleanText } from '../core/text.ts';
import { ChainError } from './chain-source.ts';
import { nullish } from './rpc/decode.ts';

/** Bytes that are not UTF-8 read as U+FFFD. */
const clean = (text: string, most?: number) => cleanText(text.replaceAll('\ufffd', ' ').trim(), most);

export const fileLabel = (path: string): string => clean(basename(path)) || 'file';

function badFile(path: string, line: number | null, what: string, cause?: unknown): ChainError {
  const where = line === null ? fileLabel(path) : `${fileLabel(path)} line ${line}`;
  return new ChainError('bad-file', `${where}: ${what}`, { cause });
}

const MISSING = 'there is no such file; check the path';
const FORBIDDEN = 'may not be read; check its permissions';
const FAILURES: Readonly<Record<string, string>> = {
  ENOENT: MISSING,
  ENOTDIR: MISSING,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EISDIR: 'is a folder; name a file of recorded blocks',
  Z_BUF_ERROR: 'the compressed data ends early; copy the file again',
  Z_DATA_ERROR: 'the compressed data is damaged; copy the file again',
};

function fileFailure(path: string, error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const code = systemCode(error) || 'unknown error';
  return badFile(path, null, FAILURES[code] ?? `cannot be read (${code}); check the disk`, error);
}

/** A block with every field takes under 1,000 characters. */
const LONGEST_LINE = 65_536;

interface NumberedLine {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

/** The lines that are not blank, of a plain or gzip file, whatever its name. */
async function* readLines(path: string): AsyncGenerator<NumberedLine> {
  try {
    const file = await open(path, 'r');
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    // The stream closes the file.
    const bytes = file.createReadStream({ start: 0 });
    const isGzip = buffer.readUInt16BE() === 0x1f8b;
    let line = 0;
    let rest = '';
    const text = isGzip ? pipeline(bytes, createGunzip(), () => {}) : bytes;
    for await (const chunk of text.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const text of lines) yield* checked(text, ++line);
      if (rest.length > LONGEST_LINE) yield* checked(rest, line + 1);
    }
    yield* checked(rest, line + 1);
  } catch (error) {
    throw fileFailure(path, error);
  }

  function* checked(text: string, line: number): Generator<NumberedLine> {
    if (text.length > LONGEST_LINE)
      throw badFile(path, line, `is longer than ${LONGEST_LINE} characters; write one block per line`);
    const bare = text.replace(/^\ufeff/, '').trim();
    if (bare !== '') yield { text: bare, line };
  }
}

const Header = z.object({
  format: z.literal('gastop-blocks', 'must be "gastop-blocks"'),
  version: z.literal(1, 'must be 1; a newer gastop wrote this file: update gastop'),
  chainId: z.int('must be a whole number').min(0),
});

const WHOLE = 'must be a whole number from 0 to 2^53−1, as a number or a string of digits';
const Whole = z
  .union([z.number(), z.string()], WHOLE)
  .transform((value) => (/^\d{1,16}$/.test(String(value)) ? BigInt(value) : -1n))
  .refine((wei) => wei >= 0n && wei <= BigInt(Number.MAX_SAFE_INTEGER), WHOLE);
const Hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hexadecimal digits')
  .transform((hash) => hash as Hex);
const HOW_MANY = `must be ${TIP_PERCENTILES.length} tips`;
const Tips = z.array(nullish(Whole), HOW_MANY).length(TIP_PERCENTILES.length, HOW_MANY).transform(blockTips);

/** A line after the first. Absent fields are `null`. */
const Line = z.object({
  number: z.int('must be a whole number').min(0),
  timestamp: z
    .int('must be whole Unix seconds')
    .min(0)
    // Until the year 5138, as of nodes: a larger timestamp is in milliseconds.
    .lt(1e11, 'must be Unix seconds'),
  hash: nullish(Hash),
  parentHash: nullish(Hash),
  baseFeePerGas: Whole,
  gasUsed: nullish(Whole),
  gasLimit: nullish(Whole),
  gasUsedRatio: z.number('must be a number').min(0).max(1, 'must be 0 to 1'),
  blobBaseFee: nullish(Whole),
  nextBaseFee: nullish(Whole),
  nextBlobBaseFee: nullish(Whole),
  tips: nullish(Tips),
});
const FIELDS = Object.keys(Line.shape) as (keyof typeof Line.shape)[];

export function encodeHeader(chainId: number): string {
  return `${JSON.stringify({ format: 'gastop-blocks', version: 1, chainId } satisfies z.input<typeof Header>)}\n`;
}

/** One block as a line of a recording, with its newline: wei and gas as decimal strings, all fields present. */
export function encodeBlock(block: Block): string {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, block[field]]));
  return `${JSON.stringify(fields, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`;
}

/** One line by itself; the fullness of a block in CSV may follow from the next line. */
type Recorded = Omit<Block, 'gasUsedRatio'> & { readonly gasUsedRatio: number | null };

interface Decoder {
  readonly chainId: number;
  readonly decode: (line: NumberedLine) => Recorded;
  /** Adds what the block after it tells; `null` when that is absent. */
  readonly complete: (block: Recorded, next: Recorded | null) => Block;
}

function decoderOf(path: string, heading: NumberedLine): Decoder {
  if (!heading.text.startsWith('{')) return csvDecoder(path, heading);
  const decode = <T>(schema: z.ZodType<T>, { text, line }: NumberedLine, remedy: string): T => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw badFile(path, line, `is not JSON ("${clean(text, 41)}"); ${remedy}`, error);
    }
    return parse(path, line, schema, value, remedy);
  };
  return {
    chainId: decode(Header, heading, 'start the file with the header line of `gastop record`').chainId,
    decode: (line) => decode(Line, line, 'correct the line or record again'),
    complete: (block) => ({ ...block, gasUsedRatio: block.gasUsedRatio ?? 0 }),
  };
}

function parse<T>(path: string, line: number, schema: z.ZodType<T>, value: unknown, remedy: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const fault = issue?.message.replace(/^Invalid input: /, 'is wrong: ').replace(/^Too /, 'is too ');
  throw badFile(path, line, `${clean(issue?.path.join('.') ?? '') || 'the line'} ${fault}; ${remedy}`);
}

const CSV_CHAIN_ID = 1;
const REQUIRED = ['block_number', 'timestamp', 'base_fee_wei'];
const ALIASES: Readonly<Record<string, string>> = {
  timestamp_utc_est: 'timestamp',
  gas_used_ratio_derived: 'gas_used_ratio',
};

const CsvLine = Line.extend({ gasUsedRatio: nullish(Line.shape.gasUsedRatio) });

/**
 * Columns: at least `block_number,timestamp,base_fee_wei`; optional `gas_used`, `gas_limit`, `gas_used_ratio`, `blob_base_fee_wei`.
 * From the next row come its base fees, which the chain knew at this block, and by inverting EIP-1559 the gas used where that is
 * missing (in the last row: at the target). A CSV has no tips.
 */
function csvDecoder(path: string, heading: NumberedLine): Decoder {
  const names = cellsOf(heading.text).map((name) => ALIASES[name.toLowerCase()] ?? name.toLowerCase());
  if (!REQUIRED.every((name) => names.includes(name))) {
    const what = `is neither JSON Lines of \`gastop record\` nor CSV with ${REQUIRED.join()}`;
    throw badFile(path, heading.line, `${what}; give a file of recorded blocks`);
  }
  const { feeRule } = chainProfile(CSV_CHAIN_ID);
  return {
    chainId: CSV_CHAIN_ID,
    decode({ text, line }) {
      const cells = cellsOf(text);
      if (cells.length !== names.length) {
        const what = `has ${cells.length} columns where the heading has ${names.length}`;
        throw badFile(path, line, `${what}; correct the row`);
      }
      const cell = (name: string) => cells[names.indexOf(name)] || null;
      // Data frames write whole numbers as 14402849460.0.
      const whole = (name: string) => cell(name)?.replace(/\.0*$/, '') ?? null;
      const number = (text: string | null) => (text === null ? null : Number(text));
      const [gasUsed, gasLimit] = [whole('gas_used'), whole('gas_limit')];
      const gas = { gasUsed, gasLimit, gasUsedRatio: number(cell('gas_used_ratio')) };
      if (gasUsed !== null && gasLimit !== null) gas.gasUsedRatio = Number(gasUsed) / Number(gasLimit);
      const row = {
        ...gas,
        number: number(whole('block_number')),
        timestamp: number(whole('timestamp')),
        baseFeePerGas: whole('base_fee_wei'),
        blobBaseFee: whole('blob_base_fee_wei'),
      };
      return parse(path, line, CsvLine, row, 'correct the row');
    },
    complete(block, next) {
      const inverted =
        next === null
          ? 1 / feeRule.elasticity
          : gasUsedRatioFromBaseFees(block.baseFeePerGas, next.baseFeePerGas, feeRule);
      const isExact = block.gasUsed !== null && block.gasLimit !== null;
      return {
        ...block,
        gasUsedRatio: block.gasUsedRatio ?? inverted,
        nextBaseFee: isExact ? null : (next?.baseFeePerGas ?? null),
        nextBlobBaseFee: next?.blobBaseFee ?? null,
      };
    },
  };
}

/** No column contains a comma, so quotes are ignored. */
const cellsOf = (row: string) =>
  row.split(',').map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );

const isEmpty = (path: string) =>
  badFile(path, null, 'holds no blocks; record some with `gastop record --out FILE`');

/** The chain of a recording. @throws ChainError `bad-file` */
export async function recordedChainId(path: string): Promise<number> {
  for await (const heading of readLines(path)) return decoderOf(path, heading).chainId;
  throw isEmpty(path);
}

/**
 * Plain or gzip, read on demand: JSON Lines of `gastop record`, or CSV (see `csvDecoder`). Numbers increase, times do not decrease,
 * missing numbers are a gap; an incomplete last JSON line is ignored. @throws ChainError `bad-file`, also without any block
 */
export async function* readBlockFile(path: string): AsyncGenerator<Block> {
  let decoder: Decoder | null = null;
  let before: Recorded | null = null;
  let cutOff: unknown = null;
  for await (const line of readLines(path)) {
    if (cutOff !== null) throw cutOff;
    if (decoder === null) {
      decoder = decoderOf(path, line);
      continue;
    }
    let block: Recorded;
    try {
      block = decoder.decode(line);
    } catch (error) {
      // Only the last line may be incomplete, as a killed `gastop record` leaves it.
      if (!(error instanceof ChainError && error.cause instanceof SyntaxError)) throw error;
      cutOff = error;
      continue;
    }
    if (before !== null) {
      const fault = orderFault(before, block);
      if (fault !== null) throw badFile(path, line.line, `${fault}; sort the blocks, without repeats`);
      yield decoder.complete(before, block.number === before.number + 1 ? block : null);
    }
    before = block;
  }
  if (decoder === null || before === null) throw cutOff ?? isEmpty(path);
  yield decoder.complete(before, null);
}

function orderFault(before: Recorded, { number, parentHash, timestamp }: Recorded): string | null {
  if (number === before.number) return `repeats block ${number}`;
  if (number < before.number) return `goes back from block ${before.number} to ${number}`;
  if (timestamp < before.timestamp) return `block ${number} is older than the one before it`;
  const isNext = number === before.number + 1;
  return isNext && parentHash !== null && before.hash !== null && parentHash !== before.hash
    ? `block ${number} is no child of the one before it`
    : null;
}
