import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Hex } from '../../../src/core/block.ts';
import type { BlobSchedule } from '../../../src/core/chain-rules.ts';
import type { GasProblem, RulesName } from '../../../src/core/transactions/gas-rules.ts';

const file = (name: string) => new URL(`../../fixtures/amsterdam/${name}`, import.meta.url);
const json = (name: string): unknown => {
  const bytes = readFileSync(file(name));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
};
const cases = <Case>(name: string) => (json(name) as { readonly cases: readonly Case[] }).cases;

type Data = Hex | { readonly runs: readonly (readonly [byte: string, count: number])[] };
type AccessList =
  | readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
  | { readonly addresses: number; readonly keysEach: number };
type Authorizations = readonly unknown[] | { readonly count: number };

export interface VectorTransaction {
  readonly type: number;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly value: string;
  readonly data: Data;
  readonly accessList?: AccessList;
  readonly authorizations?: Authorizations;
  readonly blobVersionedHashes?: readonly Hex[];
  readonly gasLimit: number;
}

interface Expected {
  readonly intrinsic: number;
  readonly floor: number;
  readonly min: number;
  readonly valid: boolean;
  readonly reasons?: readonly GasProblem[];
}

export interface TransactionCase extends VectorTransaction, Readonly<Record<RulesName, Expected>> {
  readonly id: string;
  readonly blockGasLimit: number;
  readonly raw?: Hex;
}

export const transactionCases = () => cases<TransactionCase>('transactions.json.gz');

export const dataOf = (data: Data): Hex =>
  typeof data === 'string' ? data : `0x${data.runs.map(([byte, count]) => byte.repeat(count)).join('')}`;

export interface BlockGasCase {
  readonly id: string;
  readonly gasLimit: number;
  readonly baseFeePerGas: number;
  readonly headerGasUsed: number;
  readonly receipts: readonly { readonly gasUsed: number }[];
  readonly sumOfReceipts: number;
  readonly nextBaseFeePerGas: number;
  readonly burntWei: string;
}

export const blockGasCases = () => cases<BlockGasCase>('block-gas.json.gz');

export interface BlobFeeCase {
  readonly id: string;
  readonly parent: Readonly<Record<'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas', number>>;
  readonly rule: 'eip4844' | 'eip7918';
  readonly schedule: BlobSchedule;
  readonly excessBlobGas: number;
  readonly blobBaseFee: string;
}

export const blobFeeCases = () => cases<BlobFeeCase>('blob-fees.json.gz');

export interface HeaderCase {
  readonly id: string;
  readonly chainId: number;
  readonly header: unknown;
  readonly rules: 'before' | 'amsterdam' | 'unknown';
}

export const headerCases = () => cases<HeaderCase>('headers.json');

interface Schedule {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: number;
}

export interface EthConfigCase {
  readonly id: string;
  readonly chainId: number;
  readonly headTimestamp: number;
  readonly httpStatus?: number;
  readonly response: { readonly result?: unknown; readonly error?: { code: number; message: string } };
  readonly expect: {
    readonly usable: boolean;
    readonly isAmsterdam: boolean | null;
    readonly blobSchedule: Schedule | null;
    readonly next: {
      readonly at: number;
      readonly kind: string;
      readonly blobSchedule: Schedule | null;
    } | null;
  };
}

export const ethConfigCases = () => cases<EthConfigCase>('eth-config.json.gz');

export interface ExecutionCase {
  readonly id: string;
  readonly tx: VectorTransaction;
  readonly raw: Hex;
  readonly amsterdam: { readonly included: boolean; readonly status?: number };
}

interface Account {
  readonly balance?: string;
  readonly code?: Hex;
}

export const executions = () =>
  json('executions.json') as {
    readonly accounts: Readonly<Record<string, Account>>;
    readonly accountsOfOneCase: Readonly<Record<string, Readonly<Record<string, Account>>>>;
    readonly createdBySender0: Hex;
    readonly cases: readonly ExecutionCase[];
  };

export interface UsualWorkCase extends Readonly<Record<RulesName, { readonly gasUsed: number }>> {
  readonly name: string;
}

export const usualWorkCases = () =>
  (json('usual-work.json') as { readonly actions: readonly UsualWorkCase[] }).actions;

export interface TipCase {
  readonly id: string;
  readonly transactions: readonly { readonly gasUsed: number; readonly tip: number }[];
  readonly sumOfReceipts: number;
  readonly headerGasUsed: number;
  readonly rewardByReceipts: readonly number[];
  readonly rewardByHeader: readonly number[];
}

export const tipCases = () => cases<TipCase>('tip-percentiles.json.gz');

export interface BaseFeeCase {
  readonly id: string;
  readonly parent: Readonly<Record<'gasLimit' | 'gasUsed' | 'baseFeePerGas', number>>;
  readonly baseFeePerGas: number;
}

export const baseFeeCases = () => cases<BaseFeeCase>('base-fees.json.gz');

export interface BlobBlock {
  readonly timestamp: number;
  readonly schedule: string;
  readonly baseFeePerGas: number;
  readonly blobGasUsed: number;
  readonly excessBlobGas: number;
  readonly blobBaseFee: string;
}

export const blobSequences = () =>
  (
    json('blob-sequences.json.gz') as {
      readonly sequences: readonly { readonly id: string; readonly blocks: readonly BlobBlock[] }[];
    }
  ).sequences;
