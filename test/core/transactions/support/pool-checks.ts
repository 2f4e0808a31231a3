import type { PoolFees } from '../../../../src/core/transactions/pool-rules.ts';

/** What a client's own check says of a replacement, in the arithmetic of its source. */
type Takes = (old: PoolFees, made: PoolFees, baseFee: bigint, isLegacy: boolean) => boolean;

const isBlob = ({ maxFeePerBlobGas }: PoolFees) => maxFeePerBlobGas !== null;
const blobFee = ({ maxFeePerBlobGas }: PoolFees) => maxFeePerBlobGas ?? 0n;
const lower = (one: bigint, other: bigint) => (one - other < 0n ? one : other);

export const TAKES: Readonly<Record<string, Takes>> = {
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
