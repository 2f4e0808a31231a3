import { readFileSync } from 'node:fs';
import { parseTransaction } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  decodeL1Attributes,
  NO_DATA_FEES,
  quotedDataFees,
  transactionDataFee,
  unknownDataFees,
  workDataFee,
} from '../../src/core/data-fee.ts';
import { USUAL_ACTIONS } from '../../src/core/usual-work.ts';
import { L1_VALUES, l1Attributes } from '../helpers/op-stack.ts';

const VALUES = { ...L1_VALUES, operatorFeeScalar: 1_234, operatorFeeConstant: 56n };
const RATE = 16n * 5_227n * 64_512_345n + 1_014_213n * 123_456n;

describe('the L1-attributes transaction', () => {
  it('has no operator fee in Ecotone and Fjord', () => {
    const none = { operatorPerMillionGas: 0n, operatorConstant: 0n };
    expect(decodeL1Attributes(l1Attributes(VALUES, 'ecotone'))).toEqual({ rate: RATE, ...none });
  });

  it('has one for a million gas in Isthmus, and for a hundredth of a gas in Jovian', () => {
    const isthmus = { rate: RATE, operatorPerMillionGas: 1_234n, operatorConstant: 56n };
    expect(decodeL1Attributes(l1Attributes(VALUES, 'isthmus'))).toEqual(isthmus);
    const jovian = { ...isthmus, operatorPerMillionGas: 123_400_000_000n };
    expect(decodeL1Attributes(l1Attributes(VALUES, 'jovian'))).toEqual(jovian);
  });

  it('says nothing where it is of another fork, or not as long as its own', () => {
    const data = l1Attributes(VALUES, 'jovian');
    for (const other of ['0x', '0x3db6be2b', data.slice(0, -2), `${data}00`, `0x12345678${data.slice(10)}`]) {
      expect(decodeL1Attributes(other as `0x${string}`)).toBeNull();
    }
    expect(decodeL1Attributes(`${data.slice(0, -2)}zz` as `0x${string}`)).toBeNull();
  });
});

describe('usual work', () => {
  it('has unsigned bytes of a transaction whose limit covers its gas, which docs/CHAINS.md publishes', () => {
    const document = readFileSync('docs/CHAINS.md', 'utf8');
    for (const { name, gas, unsigned } of USUAL_ACTIONS) {
      expect(document).toContain(`${name}\n${unsigned}\n`);
      const read = parseTransaction(unsigned);
      expect(read).toMatchObject({ type: 'eip1559', chainId: 10 });
      expect(Number(read.gas)).toBeGreaterThanOrEqual(gas.osaka);
    }
  });

  it('pays nothing beside gas, what a node quotes above the lane, or something unknown with its reason', () => {
    const work = { name: 'Swap', gas: 184_000, unsigned: '0x02' } as const;
    expect(workDataFee(NO_DATA_FEES, work, 5n)).toEqual({ wei: 0n, reason: null });
    expect(workDataFee(unknownDataFees('no node'), work, 5n)).toEqual({ wei: null, reason: 'no node' });
    const quoted = (wei: bigint) =>
      workDataFee(quotedDataFees({ Swap: { kind: 'total', wei, gas: 100n } }, true), work, 5n);
    expect([quoted(700n), quoted(400n)]).toEqual([
      { wei: 200n, reason: null },
      { wei: 0n, reason: null },
    ]);
    const fees = quotedDataFees({ Swap: { kind: 'unknown', reason: 'it reverts' } }, true);
    expect(workDataFee(fees, work, 5n)).toEqual({ wei: null, reason: 'it reverts' });
  });
});

const gasLimit = 100_000n;
it('a signed transaction pays by its size where the chain has parameters, and not beside gas where the fee is in it', () => {
  const parameters = { rate: 10n ** 9n, operatorPerMillionGas: 20n, operatorConstant: 3n };
  const fees = { ...NO_DATA_FEES, parameters };
  expect(transactionDataFee(fees, { compressedSize: 110, gasLimit }).wei).toBe(100_000n + 2n + 3n);
  expect(transactionDataFee(fees, { compressedSize: 1_000, gasLimit }).wei).toBe(793_914n + 2n + 3n);
  expect(transactionDataFee(fees, { gasLimit })).toEqual({
    wei: null,
    reason: 'its size is not known here',
  });
  expect(transactionDataFee(quotedDataFees({}, true), { gasLimit }).wei).toBe(0n);
  expect(transactionDataFee(quotedDataFees({}, false), { gasLimit }).wei).toBeNull();
});
