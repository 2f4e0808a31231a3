import { describe, expect, it } from 'vitest';
import { leastReplacement, POOL_RULES, type PoolFees } from '../../../src/core/transactions/pool-rules.ts';
import { TAKES } from './support/pool-checks.ts';

const GWEI = 1_000_000_000n;

const fees = (
  maxFeePerGas: bigint,
  maxPriorityFeePerGas: bigint,
  maxFeePerBlobGas: bigint | null = null,
) => ({
  maxFeePerGas,
  maxPriorityFeePerGas,
  maxFeePerBlobGas,
});

const OLD: readonly (readonly [name: string, old: PoolFees, isLegacy?: boolean])[] = [
  ['of 30 gwei with a tip of 1', fees(30n * GWEI, GWEI)],
  ['of an odd number of wei', fees(1_234_567_891n, 101_010_101n)],
  ['below the base fee', fees(7n * GWEI + 3n, 2n * GWEI)],
  ['of a few wei', fees(9n, 3n)],
  ['of 19 wei', fees(19n, 11n)],
  ['without a tip', fees(25n * GWEI, 0n)],
  ['with a gas price', fees(12_345_678_901n, 12_345_678_901n), true],
  ['with a gas price of a wei', fees(1n, 1n), true],
  ['with blobs', fees(30n * GWEI + 7n, 3n, 5n)],
  ['with dear blobs', fees(3n * GWEI, GWEI, 20n * GWEI + 1n)],
];
const BASE_FEES = [0n, 7n, 10n * GWEI, 40n * GWEI];

describe('the pool rules', () => {
  it('name each client once, with the file and the commit or the pull request of each rule', () => {
    expect(POOL_RULES.map(({ client }) => client)).toEqual(Object.keys(TAKES));
    for (const { source } of POOL_RULES) expect(source).toMatch(/^\S+\/\S+ \S+\.\w+ at [0-9a-f]{8}/);
  });

  it.each(POOL_RULES)(
    'of $client take their own number, and not one wei less of any fee',
    ({ client, least }) => {
      let refused = 0;
      for (const [name, old, isLegacy = false] of OLD) {
        for (const baseFee of BASE_FEES) {
          const made = least(old, baseFee, isLegacy);
          const takes = (replacement: PoolFees) => TAKES[client]?.(old, replacement, baseFee, isLegacy);
          const said = `${client}, ${name}, base fee ${baseFee}`;
          expect(made.maxFeePerGas, said).toBeGreaterThanOrEqual(made.maxPriorityFeePerGas);
          expect(takes(made), said).toBe(true);
          const lesser = isLegacy
            ? [
                {
                  ...made,
                  maxFeePerGas: made.maxFeePerGas - 1n,
                  maxPriorityFeePerGas: made.maxFeePerGas - 1n,
                },
              ]
            : [
                { ...made, maxFeePerGas: made.maxFeePerGas - 1n },
                // A tip of 0 has none below it.
                ...(made.maxPriorityFeePerGas === 0n
                  ? []
                  : [{ ...made, maxPriorityFeePerGas: made.maxPriorityFeePerGas - 1n }]),
                ...(made.maxFeePerBlobGas === null
                  ? []
                  : [{ ...made, maxFeePerBlobGas: made.maxFeePerBlobGas - 1n }]),
              ];
          for (const each of lesser) {
            expect(takes(each), `${said}, one wei less`).toBe(false);
            refused += 1;
          }
        }
      }
      expect(refused).toBeGreaterThan(60);
    },
  );
});

describe('the least replacement', () => {
  it('is taken by every pool, before and after the next block', () => {
    for (const [name, old, isLegacy = false] of OLD) {
      for (const baseFee of BASE_FEES) {
        const next = (baseFee * 9n) / 8n;
        const made = leastReplacement(old, [baseFee, next], isLegacy);
        for (const { client } of POOL_RULES) {
          for (const at of [baseFee, next]) {
            expect(TAKES[client]?.(old, made, at, isLegacy), `${client}, ${name}, base fee ${at}`).toBe(true);
          }
        }
      }
    }
  });

  it('names the clients that ask for the most', () => {
    const plain = leastReplacement(fees(30n * GWEI, 30n * GWEI), [10n * GWEI], false);
    expect(plain).toMatchObject({ maxFeePerGas: 33n * GWEI, maxPriorityFeePerGas: 33n * GWEI });
    expect(plain.strictest).toContain('geth');
    // 10 % more of the price that is paid, base fee included, is much more of the tip.
    const dear = leastReplacement(fees(30n * GWEI, GWEI), [10n * GWEI], false);
    expect(dear).toMatchObject({ maxFeePerGas: 33n * GWEI, maxPriorityFeePerGas: 2_100_000_000n });
    expect(dear.strictest).toEqual(['Besu']);
    const gethOnly = dear.byClient.find(({ client }) => client === 'geth');
    expect(gethOnly?.maxPriorityFeePerGas).toBe(1_100_000_000n);
    const blobs = leastReplacement(fees(30n * GWEI, 3n, 5n), [0n], false);
    expect(blobs).toMatchObject({
      maxFeePerGas: 60n * GWEI,
      maxPriorityFeePerGas: 6n,
      maxFeePerBlobGas: 10n,
    });
  });
});
