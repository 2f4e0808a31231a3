import type { ChainSource, PoolView } from '../../chain/chain-source.ts';
import type { Pending } from '../../contract/pending.ts';
import type { Chance, LaneName } from '../../core/advice.ts';
import { gasFactsAt } from '../../core/auto-txs/gas-check.ts';
import { capOf } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import { type ChainRulesName, rulesOfNextBlock } from '../../core/chain-rules.ts';
import {
  gasLimitProblem,
  gasNeeded,
  RULES,
  type TransactionParts,
} from '../../core/transactions/gas-rules.ts';
import type { PoolFees } from '../../core/transactions/pool-rules.ts';
import { explainStuck, type Pooled, type Stuck, type ToSign } from '../../core/transactions/stuck.ts';
import { ifAvailable } from '../chain-reader.ts';
import { type PublishedChain, unlessOutdated } from '../published-chain.ts';
import { explained, gasCount, integerOrNull, toWire, usdOrNull } from './wire.ts';

interface PendingParts {
  readonly source: ChainSource;
  readonly readPublished: () => PublishedChain | null;
  readonly reach: (price: bigint, withinSec: number) => Chance;
  readonly wallNow: () => number;
}

/** Ten minutes, an hour, a day. */
const WITHIN_SEC = [600, 3_600, 86_400] as const;

/** Why a transaction in no block waits, and what frees it; `null` while prices are outdated. Asks each node. */
export async function pendingResponse(
  transaction: Pooled,
  laneName: LaneName,
  { source, readPublished, reach, wallNow }: PendingParts,
): Promise<Pending | null> {
  const published = unlessOutdated(readPublished());
  if (published === null) return null;
  const { head, advice, profile, nativeUsd } = published;
  const { from, hash } = transaction;
  const { nextTime } = gasFactsAt(published, profile, wallNow());
  const rules = rulesOfNextBlock(published.rules, nextTime);
  const [view, balance, transferGas] = await Promise.all([
    poolView(source, hash, from),
    ifAvailable(source.balance(from)),
    transferGasOf(from, { profile, rules }, source),
  ]);
  const mostGas = rules === 'osaka' && profile.gasRules === 'ethereum' ? RULES.osaka.mostGas : null;
  const stuck = explainStuck({
    transaction,
    ...view,
    nodes: view,
    balance,
    transferGas,
    baseFee: head.baseFeePerGas,
    nextBaseFee: advice.nextBaseFee,
    nextBlobBaseFee: advice.nextBlobBaseFee,
    usualTip: advice.lanes.slow.maxPriorityFeePerGas,
    laneName,
    lane: advice.lanes[laneName],
    gasProblem: gasLimitProblem(transaction.gasLimit, head.gasLimit, mostGas),
    symbol: profile.nativeSymbol,
  });
  const signed = (each: ToSign | null) => each && toWireSign(each, nativeUsd);
  return {
    reason: stuck.causes[0].message,
    causes: stuck.causes.map((cause) => ({ ...cause })),
    nodesAsked: view.asked,
    nodesPending: view.pending,
    ...chancesOf(stuck, capOf(transaction), reach),
    before: stuck.before.map(({ sign, ...each }) => ({ ...each, sign: signed(sign) })),
    replacement: signed(stuck.replacement),
    cancellation: signed(stuck.cancellation),
    pools: stuck.pools.map(({ client, ...fees }) => ({ client, ...feesOnWire(fees) })),
    costReason:
      profile.dataFee === undefined ? null : 'what the chain takes for posting to L1 is not in the costs',
  };
}

function chancesOf(
  { waitsForPrice }: Stuck,
  cap: bigint,
  reach: PendingParts['reach'],
): Pick<Pending, 'probabilities' | 'probabilityReason'> {
  const none = { probability: null, reason: 'not its price alone holds it back' };
  const chances = WITHIN_SEC.map((withinSec) => ({
    withinSec,
    ...(waitsForPrice ? reach(cap, withinSec) : none),
  }));
  return {
    probabilities: chances.map(({ withinSec, probability }) => ({ withinSec, probability })),
    probabilityReason: chances.find(({ probability }) => probability === null)?.reason ?? null,
  };
}

/** What the pools say; of a source with one pool, what it says itself. */
async function poolView(source: ChainSource, hash: Hex, from: Hex): Promise<PoolView> {
  const view = source.pools && (await ifAvailable(source.pools({ hash, from })));
  if (view) return view;
  const [nextNonce, pendingNonce] = await Promise.all([
    ifAvailable(source.nonce(from, 'latest')),
    ifAvailable(source.nonce(from, 'pending')),
  ]);
  return { asked: 1, pending: 1, mined: 0, nextNonce, pendingNonce, others: null };
}

const TRANSFER_TO_SELF: TransactionParts = {
  zeroBytes: 0,
  otherBytes: 0,
  accessedAddresses: 0,
  accessedKeys: 0,
  authorizations: 0,
  blobs: 0,
  creates: false,
  isToSelf: true,
  hasValue: false,
};

/** Gas of a transfer of 0 to oneself by the rules of the next block, of a delegated account with its code; `null`: not known. */
async function transferGasOf(
  from: Hex,
  { profile, rules }: Pick<PublishedChain, 'profile'> & { readonly rules: ChainRulesName },
  source: ChainSource,
): Promise<bigint | null> {
  const estimated = async () => {
    if (source.estimateGas === undefined) return null;
    return ifAvailable(source.estimateGas({ from, to: from, data: '0x', value: 0n }));
  };
  if (profile.gasRules === 'own' || rules === 'own') return estimated();
  const rows = rules === 'unknown' ? [RULES.osaka, RULES.amsterdam] : [RULES[rules]];
  const least = BigInt(Math.max(...rows.map((row) => gasNeeded(TRANSFER_TO_SELF, row).min)));
  const code = source.code && (await ifAvailable(source.code(from)));
  if (!code || code === '0x') return least;
  const withCode = (await estimated()) ?? least;
  return withCode > least ? withCode : least;
}

const feesOnWire = ({ maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas }: PoolFees) => ({
  ...explained(toWire({ maxFeePerGas, maxPriorityFeePerGas })),
  maxFeePerBlobGas: integerOrNull(maxFeePerBlobGas),
});

const toWireSign = (sign: ToSign, nativeUsd: number | null) => ({
  nonce: sign.nonce,
  type: sign.type,
  ...feesOnWire(sign),
  gasLimit: gasCount(sign.gasLimit),
  blobCount: sign.blobCount,
  costWei: sign.cost.toString(),
  costUsd: usdOrNull(sign.cost, nativeUsd),
  expectedCostWei: sign.expectedCost.toString(),
  missingWei: sign.missing?.toString() ?? null,
  rule: sign.rule,
});
