import { readFileSync } from 'node:fs';
import type { Hex } from '../../src/core/block.ts';
import { L1_ATTRIBUTES_DEPOSITOR, L1_BLOCK } from '../../src/core/data-fee.ts';
import type { Anvil } from './anvil.ts';
import { waitFor } from './wait-for.ts';

export const GAS_PRICE_ORACLE: Hex = '0x420000000000000000000000000000000000000f';

export type Fork = 'isthmus' | 'jovian';

/** What the sequencer tells the chain of L1; wei. */
export interface L1Values {
  readonly baseFeeScalar: number;
  readonly blobBaseFeeScalar: number;
  readonly baseFee: bigint;
  readonly blobBaseFee: bigint;
  readonly operatorFeeScalar: number;
  readonly operatorFeeConstant: bigint;
}

/** As of OP Mainnet in 2026, with an operator fee of nothing. */
export const L1_VALUES: L1Values = {
  baseFeeScalar: 5_227,
  blobBaseFeeScalar: 1_014_213,
  baseFee: 64_512_345n,
  blobBaseFee: 123_456n,
  operatorFeeScalar: 0,
  operatorFeeConstant: 0n,
};

const uint = (value: bigint | number, bytes: number) => value.toString(16).padStart(2 * bytes, '0');

export function l1Attributes(values: L1Values, fork: Fork | 'ecotone'): Hex {
  const scalars = uint(values.baseFeeScalar, 4) + uint(values.blobBaseFeeScalar, 4);
  const ecotone =
    scalars + uint(7, 8) + uint(1_795_000_000, 8) + uint(25_000_000, 8) + uint(values.baseFee, 32);
  const hashes = uint(values.blobBaseFee, 32) + uint(0xabcdefn, 32) + uint(0x1234n, 32);
  if (fork === 'ecotone') return `0x440a5e20${ecotone}${hashes}`;
  const operator = uint(values.operatorFeeScalar, 4) + uint(values.operatorFeeConstant, 8);
  if (fork === 'isthmus') return `0x098999be${ecotone}${hashes}${operator}`;
  return `0x3db6be2b${ecotone}${hashes}${operator}${uint(400, 2)}`;
}

/** Puts the fee predeploys of a fork on an anvil that was started with `--network optimism`. */
export async function putPredeploys(anvil: Anvil, fork: Fork): Promise<void> {
  const contracts = [
    [`${fork}-gas-price-oracle`, GAS_PRICE_ORACLE],
    [`${fork}-l1-block`, L1_BLOCK],
  ] as const;
  for (const [name, address] of contracts) {
    const creation = readFileSync(`test/fixtures/opstack/${name}.hex`, 'utf8').trim();
    const code = await anvil.rpc('eth_call', [{ data: creation }, 'latest']);
    await anvil.rpc('anvil_setCode', [address, code]);
  }
  // Ecotone, Fjord, Isthmus and, where the contract knows it, Jovian.
  const forks = fork === 'jovian' ? '01010101' : '010101';
  await anvil.rpc('anvil_setStorageAt', [GAS_PRICE_ORACLE, '0x0', `0x${forks.padStart(64, '0')}`]);
  await anvil.rpc('anvil_impersonateAccount', [L1_ATTRIBUTES_DEPOSITOR]);
  await anvil.rpc('anvil_setBalance', [L1_ATTRIBUTES_DEPOSITOR, '0xffffffffffffffffff']);
}

export async function setL1Values(anvil: Anvil, values: L1Values, fork: Fork): Promise<void> {
  const data = l1Attributes(values, fork);
  const transaction = { from: L1_ATTRIBUTES_DEPOSITOR, to: L1_BLOCK, data, gas: '0xf4240' };
  const hash = await anvil.rpc('eth_sendTransaction', [transaction]);
  const read = () => anvil.rpc('eth_getTransactionReceipt', [hash]);
  await waitFor(async () => (await read()) !== null);
  const { status } = (await read()) as { status: string };
  if (status !== '0x1') throw new Error('L1Block did not take the values');
}
