import { TIP_PERCENTILES, type TipLadder } from '../core/block.ts';
import { chainProfile } from '../core/chains.ts';
import { gasUsedRatioFromBaseFees } from '../core/eip1559.ts';
import { badFile, quoteText } from './block-file-error.ts';
import { type BlockFileDecoder, type BlockRecord, LARGEST, LATEST_TIMESTAMP } from './block-file-record.ts';

/** A CSV says nothing of its chain. */
const CSV_CHAIN_ID = 1;
const REQUIRED = 'block_number,timestamp,base_fee_wei';

/** Names under which published recordings carry the same column. */
const ALIASES: Readonly<Record<string, string>> = {
  timestamp_utc_est: 'timestamp',
  gas_used_ratio_derived: 'gas_used_ratio',
};

/** Where a tip column stands on the ladder. The lowest of a block stands for its p10, the mean for its median. */
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
 * `gas_limit`, `gas_used_ratio`, `blob_base_fee_wei`, `tip_p10_wei` … `tip_p99_wei` or `tip_min_wei`,
 * `tip_avg_wei`, `tip_max_wei`; others are ignored. Tip percentiles without a column are interpolated between those
 * that have one.
 *
 * Of the following row only what the chain itself knew at this block is taken: its base fee where the gas used
 * is not given (it follows from EIP-1559, and inverting that gives the gas used), and its blob base fee (it
 * follows from the excess blob gas). The last row's unknown gas is taken to be at the target.
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
  // No column of ours holds a comma, so quotes can only be decoration.
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

  /** `null` where the column or the value is absent. */
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

  /** `null` as soon as one of the columns has no value in this row. */
  tips(columns: typeof TIP_COLUMNS): TipLadder | null {
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
