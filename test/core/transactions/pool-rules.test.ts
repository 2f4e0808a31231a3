import { describe, expect, it } from 'vitest';
import { leastReplacement, POOL_RULES, type PoolFees } from '../../../src/core/transactions/pool-rules.ts';

const GWEI = 1_000_000_000n;

/** What a client's own check says of a replacement, in the arithmetic of its source. */
type Takes = (old: PoolFees, made: PoolFees, baseFee: bigint, isLegacy: boolean) => boolean;

const isBlob = ({ maxFeePerBlobGas }: PoolFees) => maxFeePerBlobGas !== null;
const blobFee = ({ maxFeePerBlobGas }: PoolFees) => maxFeePerBlobGas ?? 0n;
const lower = (one: bigint, other: bigint) => (one - other < 0n ? one : other);

const TAKES: Readonly<Record<string, Takes>> = {
  // list.Add: strictly above, and at least old × (100 + bump) / 100; blobpool: the same of three, with a bump of 100.
  geth(old, made) {
    const bump = isBlob(old) ? 200n : 110n;
    const isAbove =
      made.maxFeePerGas > old.maxFeePerGas && made.maxPriorityFeePerGas > old.maxPriorityFeePerGas;
    if (!isAbove || (isBlob(old) && blobFee(made) <= blobFee(old))) return false;
    return (
      made.maxFeePerGas >= (old.maxFeePerGas * bump) / 100n &&
      made.maxPriorityFeePerGas >= (old.maxPriorityFeePerGas * bump) / 100n &&
      blobFee(made) >= (blobFee(old) * bump) / 100n
    );
  },
  // CompareReplacedTxByFee, CompareReplacedBlobTx: at the exact tip only where both tenths are above 0.
  Nethermind(old, made, _, isLegacy) {
    if (old.maxFeePerGas === 0n) return true;
    if (isBlob(old)) {
      return (
        2n * old.maxFeePerGas <= made.maxFeePerGas &&
        2n * old.maxPriorityFeePerGas <= made.maxPriorityFeePerGas &&
        2n * blobFee(old) <= blobFee(made)
      );
    }
    const [capBump, tipBump] = [old.maxFeePerGas / 10n, old.maxPriorityFeePerGas / 10n];
    if (isLegacy) {
      const least = old.maxFeePerGas + capBump;
      return made.maxFeePerGas > least || (made.maxFeePerGas === least && capBump > 0n);
    }
    if (old.maxFeePerGas + capBump > made.maxFeePerGas) return false;
    const least = old.maxPriorityFeePerGas + tipBump;
    if (made.maxPriorityFeePerGas !== least) return made.maxPriorityFeePerGas > least;
    return capBump > 0n && tipBump > 0n;
  },
  // TransactionReplacementByFeeMarketRule: effective prices at the base fee; …ByGasPriceRule: strictly above.
  Besu(old, made, baseFee, isLegacy) {
    if (isLegacy) return made.maxFeePerGas > (old.maxFeePerGas * 110n) / 100n;
    const priceOf = (fees: PoolFees) => lower(fees.maxFeePerGas, baseFee + fees.maxPriorityFeePerGas);
    const tipOf = (fees: PoolFees) => (priceOf(fees) > baseFee ? priceOf(fees) - baseFee : 0n);
    if (priceOf(old) * 110n > priceOf(made) * 100n || tipOf(made) < tipOf(old)) return false;
    return !isBlob(old) || blobFee(made) >= blobFee(old) * 2n;
  },
  // addLocked: at least old × (100 + bump) / 100.
  Erigon(old, made) {
    const bump = isBlob(old) ? 200n : 110n;
    return (
      blobFee(made) >= (blobFee(old) * bump) / 100n &&
      made.maxPriorityFeePerGas >= (old.maxPriorityFeePerGas * bump) / 100n &&
      made.maxFeePerGas >= (old.maxFeePerGas * bump) / 100n
    );
  },
  // is_underpriced: the same, rounded up; no tip on one side is not compared.
  Reth(old, made) {
    const bump = isBlob(old) ? 200n : 110n;
    const least = (fee: bigint) => (fee * bump + 99n) / 100n;
    const isTipCompared = old.maxPriorityFeePerGas !== 0n && made.maxPriorityFeePerGas !== 0n;
    return (
      made.maxFeePerGas >= least(old.maxFeePerGas) &&
      (!isTipCompared || made.maxPriorityFeePerGas >= least(old.maxPriorityFeePerGas)) &&
      blobFee(made) >= least(blobFee(old))
    );
  },
};

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
