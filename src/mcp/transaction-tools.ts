import * as z from 'zod';
import { costOfCall, workOfGas } from '../client/views/cost.ts';
import type { PendingView, ToSignView } from '../client/views/pending.ts';
import { LANE_OF_SPEED } from '../contract/choices.ts';
import { CallToEstimate } from '../contract/estimate.ts';
import { maybe } from '../contract/primitives.ts';
import { TxOptions, TxParameter } from '../contract/queries.ts';
import { Coins, Count, each, Flag, Gwei, Patience, reading, result, Text, Time, ToolError } from './tool.ts';

export const SIGNED = {
  to: maybe(Text, 'null makes a contract'),
  valueCoins: maybe(Coins, 'In native coins'),
  ...each(Gwei, 'maxFeePerGasGwei', 'maxPriorityFeePerGasGwei', 'gasPriceGwei'),
};

const ToSign = result({
  ...each(Count, 'nonce'),
  type: maybe(Count, 'EIP-2718 type; 0 and 1 sign maxFeePerGasWei as their gas price'),
  ...each(Count, 'maxFeePerGasWei', 'maxPriorityFeePerGasWei', 'maxFeePerBlobGasWei'),
  ...each(Count, 'gasLimit', 'blobCount'),
  mostCoins: maybe(Coins, 'The most it can take beside its value, in native coins'),
  expectedCoins: maybe(Coins, 'What it would take in the next block'),
  missingCoins: maybe(Coins, 'What the balance lacks for it'),
  rule: maybe(Text, 'Who asks for these fees'),
}).nullable();

const wei = (price: bigint | null) => (price === null ? null : Number(price));

const toSignOf = (sign: ToSignView | null) =>
  sign && {
    ...sign,
    maxFeePerGasWei: wei(sign.maxFeePerGas),
    maxPriorityFeePerGasWei: wei(sign.maxPriorityFeePerGas),
    maxFeePerBlobGasWei: wei(sign.maxFeePerBlobGas),
    most: sign.costWei,
    expected: sign.expectedCostWei,
    missing: sign.missingWei,
  };

const Pending = result({
  ...each(Text, 'reason'),
  causes: z.array(result({ ...each(Text, 'code', 'message') })).readonly(),
  probabilities: z
    .array(result({ ...each(Count, 'withinSec', 'probability') }))
    .readonly()
    .describe('That its price comes in time, 0 to 1'),
  ...each(Text, 'probabilityReason'),
  before: z
    .array(result({ ...each(Count, 'nonce'), ...each(Text, 'state', 'hash'), sign: ToSign }))
    .readonly()
    .describe('Earlier nonces that are not mined; sign is what frees one: 0 to oneself where it is missing'),
  replacement: ToSign.describe('The same transaction with these fees'),
  cancellation: ToSign.describe('0 to oneself with the same nonce'),
})
  .nullable()
  .describe('Of one that is in no block: why it waits, and what to sign to free it; null: it is in one');

const pendingOf = (pending: PendingView | null) =>
  pending && {
    ...pending,
    before: pending.before.map(({ sign, ...each }) => ({ ...each, sign: toSignOf(sign) })),
    replacement: toSignOf(pending.replacement),
    cancellation: toSignOf(pending.cancellation),
  };

export const transaction = reading({
  name: 'transaction',
  title: 'One transaction',
  description:
    'What a transaction paid, whether it is in a block, and how its tip compared with the others there. Of one that is stuck: why, how likely it is included as it is, and the exact fees to sign to replace or to cancel it. Nothing is signed here.',
  input: z.strictObject({ ...TxParameter.shape, ...TxOptions.shape }),
  output: {
    hash: Text,
    status: maybe(Text, 'PENDING, SUCCESS or REVERTED'),
    ...each(Text, 'from'),
    ...SIGNED,
    ...each(Count, 'nonce', 'gasLimit', 'gasUsed', 'costUsd', 'blockNumber', 'confirmations'),
    effectiveGasPriceGwei: maybe(Gwei, 'What it paid per gas'),
    priorityFeePerGasGwei: maybe(Gwei, 'The part of that above the base fee'),
    costCoins: maybe(Coins, 'What it paid in all, in native coins'),
    ...each(Time, 'time'),
    tipRank: maybe(Count, "Share of its block's other transactions that tipped less, 0 to 1"),
    pending: Pending,
  },
  run: async ({ client, signal }, { hash, gasSpeed }) => {
    const found = await client.tx(hash, { signal, lane: LANE_OF_SPEED[gasSpeed] });
    return { ...found, cost: found.costWei, time: found.timestamp, pending: pendingOf(found.pending) };
  },
});

export const COST = { ...each(Coins, 'coins'), ...each(Count, 'usd') };

const { data, from, value } = CallToEstimate.shape;

export const callCost = reading({
  name: 'call_cost',
  title: 'What a call costs, now and if it waits',
  description:
    'What so much gas, or a call of your own, costs now in each lane, and at the price of each wait within the patience, in native coins and US dollars. Give gas, or the call itself: its gas is estimated by the node (eth_estimateGas), and what a rollup takes for L1 is in it. Nothing is sent.',
  input: z.strictObject({
    gas: z.int().min(21_000).max(1_000_000_000).optional().describe('Units of gas; left out: of the call'),
    to: from.describe('Whom the call goes to; left out with data: it creates a contract'),
    data: data.unwrap().optional().describe('Its call data, as hex'),
    from: from.describe('Who sends it; some calls fail without'),
    valueWei: value.unwrap().optional().describe('Wei that go with it, as a decimal string'),
    patienceSec: Patience.describe('How many seconds the user can wait'),
  }),
  output: {
    gas: Count,
    isEstimated: Flag,
    l1Coins: maybe(Coins, 'What L1 takes of each cost; null: it is not known, and not in them'),
    l1Reason: maybe(Text, 'Why it is not known'),
    lanes: z.object({ slow: result(COST), average: result(COST), fast: result(COST) }),
    waits: z
      .array(
        result({
          waitUpToSec: Count,
          priceGwei: Gwei,
          ...COST,
          ...each(Count, 'probability', 'savingRatio'),
          ...each(Flag, 'isCeiling'),
        }),
      )
      .readonly(),
  },
  run: async ({ client, signal }, { gas, patienceSec, valueWei, ...call }) => {
    const isCall = Object.values(call).some((each) => each !== undefined) || valueWei !== undefined;
    if (isCall === (gas !== undefined)) throw new ToolError('give either gas, or the call: to, data, from');
    const [snapshot, advice, estimate] = await Promise.all([
      client.gasCurrent({ signal }),
      client.gasRecommendation({ signal, patienceSec }),
      isCall ? client.gasEstimate({ ...call, value: valueWei }, { signal }) : null,
    ]);
    const work = estimate
      ? { ...estimate, dataFee: estimate.dataFeeWei }
      : workOfGas(gas ?? 0, snapshot.chainId);
    const costs = costOfCall(work, snapshot, advice, patienceSec);
    return {
      gas: costs.gas,
      isEstimated: isCall,
      l1: costs.dataFee,
      l1Reason: costs.dataFeeReason,
      lanes: costs.lanes,
      waits: costs.waits.map(({ wait, ...each }) => ({ ...wait, ...each, waitUpToSec: wait.horizonSec })),
    };
  },
});
