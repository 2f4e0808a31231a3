import { paysAt } from '../auto-txs/target.ts';

/**
 * What a node's pool asks of a transaction that takes the place of one with the same sender and nonce. Wei per gas, as `bigint`.
 * The rules are local to each node: these are the defaults, as the sources of the clients have them.
 */

/** The fees of a transaction as pools compare them: one with a gas price has it as both cap and tip. */
export interface PoolFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** `null` without blobs. */
  readonly maxFeePerBlobGas: bigint | null;
}

interface PoolRule {
  readonly client: string;
  /** Where it stands: repository, file, commit. */
  readonly source: string;
  /** The least fees that replace `old`. @param baseFee of the pool's head; both fees are signed as one gas price if `isLegacy` */
  readonly least: (old: PoolFees, baseFee: bigint, isLegacy: boolean) => PoolFees;
}

const PERCENT = 110n;

/** The highest of these, at least 0. */
export function most(...values: readonly bigint[]): bigint {
  let highest = 0n;
  for (const value of values) if (value > highest) highest = value;
  return highest;
}

const raised = (fee: bigint) => (fee * PERCENT) / 100n;
const raisedUp = (fee: bigint) => (fee * PERCENT + 99n) / 100n;

/** Each fee of a blob transaction doubles; where `isAbove`, it rises by a wei at least. */
function doubled({ maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas }: PoolFees, isAbove = false) {
  const twice = (fee: bigint) => most(2n * fee, isAbove ? fee + 1n : 0n);
  return {
    maxFeePerGas: twice(maxFeePerGas),
    maxPriorityFeePerGas: twice(maxPriorityFeePerGas),
    maxFeePerBlobGas: maxFeePerBlobGas === null ? null : twice(maxFeePerBlobGas),
  };
}

/** By `rule` each of both fees; blob transactions by {@link doubled}. */
const eachFee =
  (rule: (fee: bigint) => bigint, isAbove = false): PoolRule['least'] =>
  (old) =>
    old.maxFeePerBlobGas === null
      ? {
          maxFeePerGas: rule(old.maxFeePerGas),
          maxPriorityFeePerGas: rule(old.maxPriorityFeePerGas),
          maxFeePerBlobGas: null,
        }
      : doubled(old, isAbove);

/** 10 % more for both fees, rounded down; where a tenth is less than a wei, the tip has to rise all the same. */
function nethermind(old: PoolFees, _: bigint, isLegacy: boolean): PoolFees {
  if (old.maxFeePerBlobGas !== null) return doubled(old);
  if (old.maxFeePerGas === 0n) return old;
  const isTiny = old.maxFeePerGas < 10n || old.maxPriorityFeePerGas < 10n;
  const tip = raised(old.maxPriorityFeePerGas) + (isTiny ? 1n : 0n);
  return {
    maxFeePerGas: isLegacy ? tip : most(raised(old.maxFeePerGas), tip),
    maxPriorityFeePerGas: tip,
    maxFeePerBlobGas: null,
  };
}

/**
 * 10 % more of the price that would be paid at the base fee of its head, base fee included, rounded up, and no less of it as tip.
 * Gas prices are compared as such, and have to be above. The blob fee doubles, of a blob transaction too the price rises by 10 %.
 */
function besu(old: PoolFees, baseFee: bigint, isLegacy: boolean): PoolFees {
  if (isLegacy) {
    const price = raised(old.maxFeePerGas) + 1n;
    return { maxFeePerGas: price, maxPriorityFeePerGas: price, maxFeePerBlobGas: null };
  }
  const price = raisedUp(paysAt({ ...old, gasPrice: null }, baseFee));
  return {
    maxFeePerGas: price,
    maxPriorityFeePerGas: most(price - baseFee),
    maxFeePerBlobGas: old.maxFeePerBlobGas === null ? null : 2n * old.maxFeePerBlobGas,
  };
}

/**
 * The clients of Ethereum, read in November 2026. anvil (foundry-rs/foundry, crates/anvil/src/eth/pool/transactions.rs, 085e1f6e)
 * takes any higher max fee: no other node would, so that it does not count.
 */
export const POOL_RULES: readonly PoolRule[] = [
  {
    client: 'geth',
    source:
      'ethereum/go-ethereum core/txpool/legacypool/list.go at b5ad1a79, core/txpool/blobpool/blobpool.go at c9b80320',
    least: eachFee((fee) => most(raised(fee), fee + 1n), true),
  },
  {
    client: 'Nethermind',
    source:
      'NethermindEth/nethermind src/Nethermind/Nethermind.TxPool/Comparison/CompareReplacedTxByFee.cs at a7d672e1, CompareReplacedBlobTx.cs at 7c71180e',
    least: nethermind,
  },
  {
    client: 'Besu',
    source:
      'hyperledger/besu ethereum/eth/src/main/java/org/hyperledger/besu/ethereum/eth/transactions/TransactionReplacementByFeeMarketRule.java at 2e4d3bfc, TransactionReplacementByGasPriceRule.java at 39d18fa1',
    least: besu,
  },
  {
    client: 'Erigon',
    source:
      'erigontech/erigon txnprovider/txpool/pool.go at 868f5736, txnprovider/txpool/txpoolcfg/txpoolcfg.go at 05916db2',
    least: eachFee(raised),
  },
  {
    client: 'Reth',
    source:
      'paradigmxyz/reth crates/transaction-pool/src/config.rs at 01e76436, is_underpriced with pull requests 13161 (the exact percentage is enough) and 23012 (rounded up)',
    least: eachFee(raisedUp),
  },
];

const FEES = ['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'] as const;

export interface LeastFees extends PoolFees {
  /** The clients whose rule asks for the most of each fee, else for the highest tip. */
  readonly strictest: readonly string[];
  readonly byClient: readonly (PoolFees & Pick<PoolRule, 'client'>)[];
}

/**
 * The least fees that every pool takes in place of `old`, at any of these base fees: the head's and the next, as a block may come
 * before the replacement does.
 */
export function leastReplacement(old: PoolFees, baseFees: readonly bigint[], isLegacy: boolean): LeastFees {
  const byClient = POOL_RULES.map(({ client, least }) => ({
    client,
    ...strictestOf(baseFees.map((baseFee) => least(old, baseFee, isLegacy))),
  }));
  const fees = strictestOf(byClient);
  const strictest = FEES.map((fee) => byClient.filter((each) => each[fee] === fees[fee]));
  const ofAll = byClient.filter((each) => strictest.every((some) => some.includes(each)));
  const named = ofAll.length > 0 ? ofAll : byClient.filter((each) => strictest[1]?.includes(each));
  return { ...fees, strictest: named.map(({ client }) => client), byClient };
}

function strictestOf(all: readonly PoolFees[]): PoolFees {
  const blobFees = all.flatMap(({ maxFeePerBlobGas }) => maxFeePerBlobGas ?? []);
  return {
    maxFeePerGas: most(...all.map(({ maxFeePerGas }) => maxFeePerGas)),
    maxPriorityFeePerGas: most(...all.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas)),
    maxFeePerBlobGas: blobFees.length === 0 ? null : most(...blobFees),
  };
}
