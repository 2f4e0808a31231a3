import * as z from 'zod';
import { type Block, type Hex, TIP_PERCENTILES, type TipLadder } from '../core/block.ts';
import { badFile, quoteText } from './block-file-error.ts';
import { type BlockFileDecoder, type BlockRecord, LARGEST, LATEST_TIMESTAMP } from './block-file-record.ts';

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
  .transform((tips): TipLadder | null => tips ?? null);

/** A line after the first. Fields that are absent are `null`. */
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
