import { type Hex, serializeTransaction } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { type DataFeeParameters, dataFee, fastLzLength, SIGNATURE_SIZE } from '../../../src/core/data-fee.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import {
  type Fork,
  GAS_PRICE_ORACLE,
  L1_VALUES,
  putPredeploys,
  setL1Values,
} from '../../helpers/op-stack.ts';
import { isSlowRun } from '../../helpers/rounds.ts';

const ROUNDS = isSlowRun ? 1_000 : 50;

function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function randomData(dice: (below: number) => number): Hex {
  const random = (bytes: number) =>
    Array.from({ length: bytes }, () => dice(256).toString(16).padStart(2, '0')).join('');
  const same = random(32);
  const parts = Array.from({ length: dice(24) }, () => {
    const kind = dice(5);
    if (kind === 0) return '00'.repeat(1 + dice(40));
    if (kind === 1) return random(1 + dice(64));
    if (kind === 2) return same;
    if (kind === 3) return random(2).repeat(1 + dice(300));
    return random(20).padStart(64, '0');
  });
  return `0x${parts.join('')}`;
}

function randomTransaction(dice: (below: number) => number): Hex {
  return serializeTransaction({
    type: 'eip1559',
    chainId: 10,
    nonce: dice(100_000),
    gas: BigInt(21_000 + dice(5_000_000)),
    maxFeePerGas: BigInt(1 + dice(2 ** 31)),
    maxPriorityFeePerGas: 1n,
    to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    value: BigInt(dice(2 ** 31)) ** 2n,
    data: randomData(dice),
  });
}

const word = (value: bigint | number) => value.toString(16).padStart(64, '0');

describe.each<Fork>(['isthmus', 'jovian'])('data fees on a chain with the contracts of %s', (fork) => {
  const values = { ...L1_VALUES, operatorFeeScalar: 1_234_567, operatorFeeConstant: 8_901n };
  let anvil: Anvil;
  let parameters: DataFeeParameters;
  const told = async (data: string) =>
    BigInt(String(await anvil.rpc('eth_call', [{ to: GAS_PRICE_ORACLE, data }, 'latest'])));

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 10, args: ['--network', 'optimism'] });
    await putPredeploys(anvil, fork);
    await setL1Values(anvil, values, fork);
    const source = createRpcSource({ urls: [anvil.url] });
    const fees = await source.dataFees?.();
    source.close();
    if (fees?.parameters == null) throw new Error(`no parameters: ${fees?.reason}`);
    parameters = fees.parameters;
  });
  afterAll(() => anvil.stop());

  it('are those of the gas price oracle, to the wei', async () => {
    const dice = createDice(20_261_123);
    for (let round = 0; round < ROUNDS; round += 1) {
      const unsigned = randomTransaction(dice);
      const bytes = unsigned.slice(2);
      const gas = BigInt(dice(30_000_000));
      const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
      const [l1, operator] = await Promise.all([
        told(`0x49948e0e${word(32)}${word(bytes.length / 2)}${padded}`),
        told(`0x275aedd2${word(gas)}`),
      ]);
      const size = fastLzLength(Buffer.from(bytes, 'hex')) + SIGNATURE_SIZE;
      const ours = [
        dataFee(parameters, size, 0n) - values.operatorFeeConstant,
        dataFee(parameters, size, gas),
      ];
      expect(ours, unsigned).toEqual([l1, l1 + operator]);
    }
  });

  it('come from the oracle where the first transaction of the block does not tell them', async () => {
    await anvil.mine();
    const source = createRpcSource({ urls: [anvil.url] });
    const fees = await source.dataFees?.();
    source.close();
    const { rate = 0n, ...operator } = fees?.parameters ?? {};
    expect(operator).toEqual({
      operatorPerMillionGas: parameters.operatorPerMillionGas,
      operatorConstant: parameters.operatorConstant,
    });
    const least = (each: bigint) => dataFee({ ...parameters, rate: each }, 0, 0n);
    expect(least(rate)).toBe(least(parameters.rate));
    expect(Number(rate) / Number(parameters.rate)).toBeCloseTo(1, 6);
  });
});
