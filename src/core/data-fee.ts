import type { Hex } from './block.ts';

/**
 * What a rollup takes beside gas for posting a transaction to Ethereum. Wei as `bigint`.
 * OP stack: https://specs.optimism.io/protocol/fjord/exec-engine.html, …/isthmus/exec-engine.html, …/jovian/exec-engine.html
 */

/** The parameters of the data fee on an OP-stack chain. All 0 when there is no fee beside gas. */
export interface DataFeeParameters {
  /** 16 × base fee scalar × L1 base fee + blob base fee scalar × L1 blob base fee. */
  readonly rate: bigint;
  /** Operator fee: wei for a million gas, and of each transaction. */
  readonly operatorPerMillionGas: bigint;
  readonly operatorConstant: bigint;
}

/** A node's quote for the cost of one usual action. */
export type Quote =
  /** Beside gas. */
  | { readonly kind: 'fee'; readonly wei: bigint }
  /** In all, of which the lane's price pays for `gas`. */
  | { readonly kind: 'total'; readonly wei: bigint; readonly gas: bigint }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface DataFees {
  /** Of a signed transaction; `null`: not to be worked out. */
  readonly parameters: DataFeeParameters | null;
  readonly reason: string | null;
  /** Quotes by action, on chains whose fee only a node knows; `null`: computed from the parameters. */
  readonly quotes: Readonly<Record<string, Quote>> | null;
}

const ZERO: DataFeeParameters = { rate: 0n, operatorPerMillionGas: 0n, operatorConstant: 0n };

export const NO_DATA_FEES: DataFees = { parameters: ZERO, reason: null, quotes: null };

export const unknownDataFees = (reason: string): DataFees => ({ parameters: null, reason, quotes: null });

/** Fees that a node quotes for usual work. `isInGas`: a signed transaction pays them by its gas limit and cap. */
export const quotedDataFees = (quotes: Readonly<Record<string, Quote>>, isInGas: boolean): DataFees => ({
  parameters: isInGas ? ZERO : null,
  reason: isInGas ? null : 'only the node can tell the L1 fee of a transaction of this chain',
  quotes,
});

/** In wei, or the reason why it is unknown. */
export interface KnownFee {
  readonly wei: bigint | null;
  readonly reason: string | null;
}

/** What the gas price oracle adds to unsigned bytes: y parity, r and s take 67, or fewer. */
export const SIGNATURE_SIZE = 68;

/** What usual work pays beside gas; `price`: wei per gas of the average lane. */
export function workDataFee(
  { parameters, reason, quotes }: DataFees,
  { name, gas, unsigned }: { readonly name: string; readonly gas: number; readonly unsigned: Hex },
  price: bigint,
): KnownFee {
  const quote = quotes?.[name];
  if (quote?.kind === 'unknown') return { wei: null, reason: quote.reason };
  if (quote !== undefined) {
    const wei = quote.kind === 'fee' ? quote.wei : quote.wei - quote.gas * price;
    return { wei: wei > 0n ? wei : 0n, reason: null };
  }
  if (parameters === null) return { wei: null, reason };
  const size = fastLzLength(bytesOf(unsigned)) + SIGNATURE_SIZE;
  return { wei: dataFee(parameters, size, BigInt(gas)), reason: null };
}

/** Without viem, which commands that only show prices do not load. */
const bytesOf = (hex: Hex): Uint8Array =>
  Uint8Array.from(hex.slice(2).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

/** What a signed transaction pays beside gas if it uses its whole gas limit: nodes require that balance. */
export function transactionDataFee(
  { parameters, reason }: Pick<DataFees, 'parameters' | 'reason'>,
  { compressedSize, gasLimit }: { readonly compressedSize?: number | null; readonly gasLimit: bigint },
): KnownFee {
  if (parameters === null) return { wei: null, reason };
  if (parameters.rate === 0n) return { wei: dataFee(parameters, 0, gasLimit), reason: null };
  return compressedSize == null
    ? { wei: null, reason: 'its size is not known here' }
    : { wei: dataFee(parameters, compressedSize, gasLimit), reason: null };
}

/** L1 data fee (Fjord) and operator fee (Isthmus, Jovian); `size`: FastLZ length of the signed bytes. */
export function dataFee(parameters: DataFeeParameters, size: number, gas: bigint): bigint {
  const { rate, operatorPerMillionGas, operatorConstant } = parameters;
  const estimated = 836_500n * BigInt(size) - 42_585_600n;
  const onL1 = estimated > LEAST_SIZE ? estimated : LEAST_SIZE;
  return (onL1 * rate) / 10n ** 12n + (operatorPerMillionGas * gas) / 1_000_000n + operatorConstant;
}

/** Bytes × 10^6. */
const LEAST_SIZE = 100_000_000n;

/** The highest parameters by which the oracle's L1 fee for a transaction of the least size comes out: no fee falls short. */
export function parametersFromOracle(
  leastFee: bigint,
  operator: Omit<DataFeeParameters, 'rate'>,
): DataFeeParameters {
  return { rate: ((leastFee + 1n) * 10n ** 12n - 1n) / LEAST_SIZE, ...operator };
}

/** The system contract that each block's first transaction updates with L1's state, and its caller. */
export const L1_BLOCK: Hex = '0x4200000000000000000000000000000000000015';
export const L1_ATTRIBUTES_DEPOSITOR: Hex = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';

/** Length of the call data, and how much gas the operator fee's scalar is for. */
const ATTRIBUTES: Readonly<Record<string, { readonly bytes: number; readonly operator: bigint | null }>> = {
  '0x440a5e20': { bytes: 164, operator: null },
  '0x098999be': { bytes: 176, operator: 1n },
  '0x3db6be2b': { bytes: 178, operator: 100_000_000n },
};

/**
 * From the call data of an L1-attributes transaction of Ecotone (and Fjord), Isthmus or Jovian; `null` for any other. Packed: base
 * fee scalar (4 bytes, after the selector), blob base fee scalar (4), sequence number, time and L1 block (8 each), base fee and
 * blob base fee (32 each), two hashes, then operator fee scalar (4) and constant (8).
 */
export function decodeL1Attributes(data: Hex): DataFeeParameters | null {
  const layout = ATTRIBUTES[data.slice(0, 10)];
  if (layout === undefined || data.length !== 2 + 2 * layout.bytes || !/^0x[0-9a-f]*$/.test(data))
    return null;
  const field = (at: number, length: number) => BigInt(`0x${data.slice(2 + 2 * at, 2 + 2 * (at + length))}`);
  const rate = 16n * field(4, 4) * field(36, 32) + field(8, 4) * field(68, 32);
  if (layout.operator === null) return { ...ZERO, rate };
  return { rate, operatorPerMillionGas: field(164, 4) * layout.operator, operatorConstant: field(168, 8) };
}

/** Operator fee of a receipt with its scalars (Isthmus); Jovian's says the scalar of the data's footprint too. */
export function operatorFee(
  gasUsed: bigint,
  { scalar, constant, isJovian }: { scalar: bigint; constant: bigint; isJovian: boolean },
): bigint {
  return (isJovian ? gasUsed * scalar * 100n : (gasUsed * scalar) / 1_000_000n) + constant;
}

const TABLE = 8_192;
const LONGEST_DISTANCE = 8_191;
const LONGEST_MATCH = 262;
const TAIL = 13;

/** How many bytes FastLZ (level 1) makes of `bytes`, as the chain counts them: `FlzCompressLen` of op-geth. */
export function fastLzLength(bytes: Uint8Array): number {
  const seen = new Uint32Array(TABLE);
  const at = (place: number) => bytes[place] ?? 0;
  const three = (place: number) => at(place) | (at(place + 1) << 8) | (at(place + 2) << 16);
  const slotOf = (value: number) => Math.imul(value, 2_654_435_769) >>> 19;
  const end = Math.max(bytes.length - TAIL, 0);
  let length = 0;
  let written = 0;
  const literals = (count: number) => {
    length += 33 * Math.floor(count / 32) + (count % 32 === 0 ? 0 : (count % 32) + 1);
  };
  for (let place = 2; place < end; ) {
    const value = three(place);
    const slot = slotOf(value);
    const before = seen[slot] ?? 0;
    seen[slot] = place;
    if (place - before > LONGEST_DISTANCE || three(before) !== value) {
      place += 1;
      continue;
    }
    if (place + 1 >= end) break;
    if (place > written) literals(place - written);
    const most = end + 6 - place;
    let matched = 0;
    while (matched < most && bytes[before + 3 + matched] === bytes[place + 3 + matched]) matched += 1;
    // The byte that differs counts.
    if (matched < most) matched += 1;
    const rest = matched - 1;
    length += 3 * Math.floor(rest / LONGEST_MATCH) + (rest % LONGEST_MATCH >= 6 ? 3 : 2);
    place += matched;
    for (const next of [place, place + 1]) seen[slotOf(three(next))] = next;
    place += 2;
    written = place;
  }
  literals(bytes.length - written);
  return length;
}
