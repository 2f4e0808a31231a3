import { formatCount } from '../units.ts';

/**
 * What a transaction costs before it runs, and what it may ask for, by the rules of the block that it goes into. Facts of the
 * transaction (`TransactionParts`) are stored; numbers are computed, as they change with a fork.
 */
export interface TransactionParts {
  /** Zero and other bytes of its data, or of the code that it creates a contract with. */
  readonly zeroBytes: number;
  readonly otherBytes: number;
  /** Of its access list (EIP-2930). */
  readonly accessedAddresses: number;
  readonly accessedKeys: number;
  /** Of type 4 (EIP-7702). */
  readonly authorizations: number;
  readonly blobs: number;
  /** It has no `to`: its data is initcode. */
  readonly creates: boolean;
  /** `to` is the sender. */
  readonly isToSelf: boolean;
  /** Its value is above 0. */
  readonly hasValue: boolean;
}

/** One row: the gas of each part, and limits. */
export interface GasRules {
  readonly name: string;
  readonly base: number;
  /** Added where `to` is another account; and where that gets value. */
  readonly otherAccount: number;
  readonly valueToOther: number;
  readonly creation: number;
  readonly zeroByte: number;
  readonly otherByte: number;
  readonly initcodeWord: number;
  readonly accessedAddress: number;
  readonly accessedKey: number;
  readonly authorization: number;
  /** The floor, per byte of data; and per address and key of the access list. */
  readonly floorZeroByte: number;
  readonly floorOtherByte: number;
  readonly floorAddress: number;
  readonly floorKey: number;
  /** Whether the floor is on all of the base, or on `base` alone. */
  readonly isFloorOnWholeBase: boolean;
  readonly mostInitcodeBytes: number;
  readonly mostBlobs: number;
  /** The most of `cappedGas`: the gas limit, or the minimum (what is charged before it runs, or the floor). */
  readonly mostGas: number;
  readonly cappedGas: 'limit' | 'minimum';
  /** Charged while it runs where an account comes to be, or is delegated at first (EIP-8037, EIP-2780); 0: before Amsterdam. */
  readonly newAccount: number;
  readonly delegation: number;
  /** To write an account that nothing else of it has written (EIP-8038). */
  readonly accountWrite: number;
  /** To load the code of a recipient that is delegated (EIP-7702). */
  readonly delegatedRecipient: number;
}

export type RulesName = 'osaka' | 'amsterdam';

/** Mainnet since December 2025, and the execution layer of Glamsterdam (EIP-7773) with its numbers of August 2026. */
export const RULES: Readonly<Record<RulesName, GasRules>> = {
  osaka: {
    name: 'Osaka',
    base: 21_000,
    otherAccount: 0,
    valueToOther: 0,
    creation: 32_000, // EIP-2
    zeroByte: 4,
    otherByte: 16, // EIP-2028
    initcodeWord: 2, // EIP-3860
    accessedAddress: 2_400, // EIP-2930
    accessedKey: 1_900,
    authorization: 25_000, // EIP-7702, of an account that is still empty; the chain refunds the excess
    floorZeroByte: 10, // EIP-7623
    floorOtherByte: 40,
    floorAddress: 0,
    floorKey: 0,
    isFloorOnWholeBase: false,
    mostInitcodeBytes: 49_152, // EIP-3860
    mostBlobs: 6, // EIP-7594
    mostGas: 16_777_216, // EIP-7825
    cappedGas: 'limit',
    newAccount: 0,
    delegation: 0,
    accountWrite: 0,
    delegatedRecipient: 0,
  },
  amsterdam: {
    name: 'Amsterdam',
    base: 12_000, // EIP-2780
    otherAccount: 3_000,
    valueToOther: 6_000,
    creation: 12_000,
    zeroByte: 4,
    otherByte: 16,
    initcodeWord: 2,
    accessedAddress: 4_180, // EIP-8038, and 64 for each of its 20 bytes (EIP-7981)
    accessedKey: 4_048, // the same, with 32 bytes
    authorization: 7_816, // EIP-8037
    floorZeroByte: 64, // EIP-7976
    floorOtherByte: 64,
    floorAddress: 1_280, // EIP-7981
    floorKey: 2_048,
    isFloorOnWholeBase: true,
    mostInitcodeBytes: 131_072, // EIP-7954
    mostBlobs: 6,
    mostGas: 16_777_216, // EIP-8037
    cappedGas: 'minimum',
    newAccount: 183_600, // 120 bytes of state at 1,530
    delegation: 35_190, // 23 bytes
    accountWrite: 9_000,
    delegatedRecipient: 3_000,
  },
};

interface GasNeeded {
  /** Charged before it runs. */
  readonly intrinsic: number;
  /** What its data costs at least (EIP-7623, EIP-7976). */
  readonly floor: number;
  /** The larger of both: the least gas limit. */
  readonly min: number;
}

export function gasNeeded(parts: TransactionParts, rules: GasRules): GasNeeded {
  const { zeroBytes, otherBytes, accessedAddresses, accessedKeys, authorizations, creates } = parts;
  const isToOther = !creates && !parts.isToSelf;
  const creation = creates ? rules.creation : 0;
  const wholeBase =
    rules.base +
    creation +
    (isToOther ? rules.otherAccount : 0) +
    (isToOther && parts.hasValue ? rules.valueToOther : 0);
  const intrinsic =
    wholeBase +
    (creates ? initcodeWords(parts) * rules.initcodeWord : 0) +
    zeroBytes * rules.zeroByte +
    otherBytes * rules.otherByte +
    accessedAddresses * rules.accessedAddress +
    accessedKeys * rules.accessedKey +
    authorizations * rules.authorization;
  const floor =
    (rules.isFloorOnWholeBase ? wholeBase : rules.base) +
    zeroBytes * rules.floorZeroByte +
    otherBytes * rules.floorOtherByte +
    accessedAddresses * rules.floorAddress +
    accessedKeys * rules.floorKey;
  return { intrinsic, floor, min: Math.max(intrinsic, floor) };
}

/** Of its data. */
export const dataBytes = ({ zeroBytes, otherBytes }: TransactionParts): number => zeroBytes + otherBytes;

const initcodeWords = (parts: TransactionParts) => Math.ceil(dataBytes(parts) / 32);

export type GasProblem =
  | 'gas_below_intrinsic'
  | 'gas_below_floor'
  /** EIP-7825: the gas limit. */
  | 'gas_above_tx_cap'
  /** EIP-8037: what it needs at least. */
  | 'work_above_tx_cap'
  | 'gas_above_block_limit'
  | 'initcode_too_long'
  | 'too_many_blobs';

/** Why no block by these rules can include it, whatever the accounts are; empty: one can. @param blockGasLimit `null`: unknown */
export function gasProblems(
  parts: TransactionParts,
  gasLimit: bigint,
  rules: GasRules,
  blockGasLimit: bigint | null,
): readonly GasProblem[] {
  const { intrinsic, floor, min } = gasNeeded(parts, rules);
  const { cappedGas, mostGas } = rules;
  const problems: readonly (readonly [GasProblem, boolean])[] = [
    ['gas_below_intrinsic', gasLimit < intrinsic],
    ['gas_below_floor', gasLimit < floor],
    ['gas_above_tx_cap', cappedGas === 'limit' && gasLimit > mostGas],
    ['work_above_tx_cap', cappedGas === 'minimum' && min > mostGas],
    ['gas_above_block_limit', blockGasLimit !== null && gasLimit > blockGasLimit],
    ['initcode_too_long', parts.creates && dataBytes(parts) > rules.mostInitcodeBytes],
    ['too_many_blobs', parts.blobs > rules.mostBlobs],
  ];
  return problems.filter(([, applies]) => applies).map(([problem]) => problem);
}

/** Why no block can include this gas limit, for people; `null`: one can, or it is not known. @param mostGas of EIP-7825 */
export function gasLimitProblem(
  gasLimit: bigint,
  blockGasLimit: bigint | null,
  mostGas: number | null = null,
): string | null {
  const words = `its gas limit of ${formatCount(Number(gasLimit))}`;
  if (blockGasLimit !== null && blockGasLimit > 0n && gasLimit > blockGasLimit) {
    return `${words} is above the ${formatCount(Number(blockGasLimit))} of a block: no block can include it`;
  }
  if (mostGas === null || gasLimit <= mostGas) return null;
  return `${words} is above the ${formatCount(mostGas)} that a transaction may have (EIP-7825): no block can include it`;
}
