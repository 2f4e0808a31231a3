import * as z from 'zod';
import { preflightAutoTx } from '../client/auto-tx-preflight.ts';
import { ifTold } from '../client/errors.ts';
import type { AlertView } from '../client/views/alerts.ts';
import type { AutoTxView } from '../client/views/auto-txs.ts';
import type { LaneView } from '../client/views/gas.ts';
import { AutoTxCreation } from '../contract/auto-txs.ts';
import {
  ALERT_STATUSES,
  AUTO_TX_STATUSES,
  CHECK_RESULTS,
  LANE_OF_SPEED,
  LONGEST_DEADLINE_SEC,
  PAGE_SIZE_MAX,
} from '../contract/choices.ts';
import { PriceGwei } from '../contract/primitives.ts';
import { TimeFrameParameters, TxParameter } from '../contract/queries.ts';
import { decodeTransaction } from '../core/transactions/decode-transaction.ts';
import { bareHex } from '../core/transactions/signed-text.ts';
import { TransactionError } from '../core/transactions/signed-transaction.ts';
import { usdOf, weiOfGwei } from '../core/units.ts';
import {
  CoinsOrNull,
  CountOrNull,
  defineTool,
  FlagOrNull,
  Gwei,
  GweiOrNull,
  TextOrNull,
  TimeOrNull,
  ToolError,
} from './tool.ts';

const Lane = z.object({
  priceGwei: Gwei.describe('What it expects to pay per gas'),
  maxFeePerGasGwei: GweiOrNull.describe('The cap to sign'),
  maxPriorityFeePerGasGwei: GweiOrNull.describe('The tip to sign; null where tips are not known'),
  waitSec: z.object({ p50: z.number(), p95: z.number() }).nullable().describe('Seconds until inclusion'),
  probability: CountOrNull.describe('Share of its past advice that was included in time, 0 to 1'),
});

const laneOf = (lane: LaneView) => ({
  ...lane,
  priceGwei: lane.price,
  maxFeePerGasGwei: lane.maxFeePerGas,
  maxPriorityFeePerGasGwei: lane.maxPriorityFeePerGas,
});

const gasNow = defineTool({
  name: 'gas_now',
  title: 'Gas prices now',
  description:
    'What gas costs in the next block: three lanes with the caps to sign, the base fee, and the price of the native coin. Where stale is true the figures are old: do not pay by them.',
  effect: 'reads',
  input: z.strictObject({}),
  output: z.object({
    chain: TextOrNull,
    chainId: CountOrNull,
    source: z
      .enum(['rpc', 'replay', 'simulated', 'service'])
      .describe('replay and simulated are no live chain: do not pay by these prices'),
    blockNumber: CountOrNull,
    blockTime: TimeOrNull,
    lanes: z.object({ slow: Lane, average: Lane, fast: Lane }),
    baseFeeGwei: Gwei.describe('Of the newest block'),
    nextBaseFeeGwei: GweiOrNull,
    blobBaseFeeGwei: GweiOrNull,
    gasUsedRatio: CountOrNull.describe('How full the newest block is, 0 to 1'),
    nativeUsd: CountOrNull.describe('US dollars for one native coin'),
    stale: FlagOrNull,
    problem: TextOrNull.describe('Why there is nothing newer'),
  }),
  run: async ({ client, signal }) => {
    const now = await client.gasCurrent({ signal });
    const { slow, average, fast } = now.lanes;
    return {
      ...now,
      chain: now.source.chainName,
      source: now.source.kind,
      blockTime: now.blockTimestamp,
      lanes: { slow: laneOf(slow), average: laneOf(average), fast: laneOf(fast) },
      baseFeeGwei: now.baseFee,
      nextBaseFeeGwei: now.nextBaseFee,
      blobBaseFeeGwei: now.blobBaseFee,
      problem: now.source.problem?.message ?? null,
    };
  },
});

const gasAdvice = defineTool({
  name: 'gas_advice',
  title: 'Send now or wait',
  description:
    'Whether to send now or to wait, for which price and how long, how likely that price comes and what it saves, and where the base fee is going. With targetGwei also how likely that price is reached in time.',
  effect: 'reads',
  input: z.strictObject({
    targetGwei: PriceGwei.optional().describe('A price per gas of your own, base fee and tip together'),
    deadlineSec: z
      .int()
      .min(1)
      .max(LONGEST_DEADLINE_SEC)
      .default(3_600)
      .describe('Within how many seconds targetGwei is wanted'),
  }),
  output: z.object({
    action: TextOrNull.describe('SEND_NOW, WAIT or SET_ALERT; null: no advice yet, see reasons'),
    lane: TextOrNull,
    targetGwei: GweiOrNull.describe('The price to send at'),
    deadlineSec: CountOrNull.describe('Do not wait longer than that'),
    expectedWaitSec: CountOrNull,
    probability: CountOrNull.describe('That the price comes before the deadline, 0 to 1'),
    expectedSavingRatio: CountOrNull.describe('Against sending in the next block'),
    confidence: CountOrNull.describe('How much history stands behind it, 0 to 100'),
    reasons: z.array(z.string()),
    alternatives: z.array(
      z.object({
        waitUpToSec: z.number(),
        priceGwei: GweiOrNull,
        probability: CountOrNull,
        savingRatio: CountOrNull,
      }),
    ),
    track: z
      .object({ evaluated: z.number(), hitRatio: CountOrNull, basis: TextOrNull })
      .nullable()
      .describe('How its past advice did: given, or walked over stored blocks'),
    trend: z
      .object({
        direction: z.string(),
        changeRatio: CountOrNull,
        percentileRank24h: CountOrNull,
        congestion: CountOrNull,
      })
      .nullable()
      .describe('The base fee against the hour before; the share of the last day that was cheaper'),
    ofTarget: z
      .object({ probability: CountOrNull, reason: TextOrNull })
      .nullable()
      .describe('That targetGwei is reached within deadlineSec; null where none was given'),
    validUntil: TimeOrNull,
  }),
  run: async ({ client, signal }, { targetGwei, deadlineSec }) => {
    const reach =
      targetGwei === undefined ? {} : { reach: { targetPrice: weiOfGwei(targetGwei), deadlineSec } };
    const [advice, trend] = await Promise.all([
      client.gasRecommendation({ signal, ...reach }),
      ifTold(client.gasTrend({ signal })),
    ]);
    return {
      ...advice,
      targetGwei: advice.targetPrice,
      reasons: [...advice.reasons],
      alternatives: advice.alternatives.map((each) => ({
        ...each,
        waitUpToSec: each.horizonSec,
        priceGwei: each.price,
      })),
      trend,
      ofTarget: advice.reach,
    };
  },
});

const Spread = z
  .object({ min: Gwei, median: GweiOrNull, mean: GweiOrNull, max: Gwei, now: Gwei, changeRatio: CountOrNull })
  .nullable()
  .describe('Per gas, in gwei, each block counted once');

/** Enough to see a trend, and little to read. */
const MOST_POINTS = 48;

const gasHistory = defineTool({
  name: 'gas_history',
  title: 'Gas prices of the past',
  description:
    'What gas cost over the last hour, day, week or month: how it was spread, its course, cheap hours.',
  effect: 'reads',
  input: TimeFrameParameters,
  output: z.object({
    timeFrame: z.string(),
    baseFee: Spread,
    averageLane: Spread,
    cheapestHourUtc: CountOrNull.describe('Hour of the day, UTC'),
    points: z
      .array(z.object({ time: TimeOrNull, baseFeeGwei: Gwei, averageLaneGwei: GweiOrNull }))
      .describe('Means, oldest first'),
    anomalies: z.array(z.object({ time: TimeOrNull, kind: z.string(), baseFeeGwei: Gwei })),
    problem: TextOrNull.describe('Why there is no history'),
  }),
  run: async ({ client, signal }, { timeFrame }) => {
    const [chart, market] = await Promise.all([
      client.chart(timeFrame, { signal }),
      ifTold(client.statsMarket(timeFrame, { signal })),
    ]);
    return {
      timeFrame,
      baseFee: market?.base ?? null,
      averageLane: market?.average ?? null,
      cheapestHourUtc: market?.cheapestHourUtc ?? null,
      points: thinned(chart.points).map((each) => ({
        time: each.timestamp,
        baseFeeGwei: each.base,
        averageLaneGwei: each.average,
      })),
      anomalies: chart.anomalies.map((each) => ({ ...each, time: each.timestamp, baseFeeGwei: each.value })),
      problem: chart.problem,
    };
  },
});

/** At most {@link MOST_POINTS} points, evenly spaced, including the newest. */
function thinned<Point>(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

const block = defineTool({
  name: 'block',
  title: 'One block',
  description: 'The fees of one block: base fee, tips, how full it was, what was burnt.',
  effect: 'reads',
  input: z.strictObject({
    number: z
      .union([z.literal('latest'), z.int().min(0)], 'must be latest or the number of a block')
      .default('latest'),
  }),
  output: z.object({
    blockNumber: z.number(),
    hash: TextOrNull,
    time: TimeOrNull,
    confirmations: CountOrNull,
    baseFeeGwei: Gwei,
    nextBaseFeeGwei: GweiOrNull,
    gasUsed: CountOrNull,
    gasLimit: CountOrNull,
    gasUsedRatio: CountOrNull,
    transactionCount: CountOrNull,
    tipsGwei: z.record(z.string(), Gwei).nullable().describe('Percentiles of the tips, by gas used'),
    blobBaseFeeGwei: GweiOrNull,
    burntCoins: CoinsOrNull.describe('In native coins'),
    feeRecipient: TextOrNull,
  }),
  run: async ({ client, signal }, { number }) => {
    const found = await client.block(number, { signal });
    return {
      ...found,
      time: found.timestamp,
      baseFeeGwei: found.baseFeePerGas,
      nextBaseFeeGwei: found.nextBaseFeePerGas,
      tipsGwei: found.tips,
      blobBaseFeeGwei: found.blobBaseFee,
      burntCoins: found.burntWei,
    };
  },
});

const transaction = defineTool({
  name: 'transaction',
  title: 'One transaction',
  description:
    'What a transaction paid, whether it is in a block, and how its tip compared with the others there.',
  effect: 'reads',
  input: TxParameter,
  output: z.object({
    hash: z.string(),
    status: TextOrNull.describe('PENDING, SUCCESS or REVERTED'),
    from: TextOrNull,
    to: TextOrNull,
    valueCoins: CoinsOrNull.describe('In native coins'),
    nonce: CountOrNull,
    gasLimit: CountOrNull,
    gasUsed: CountOrNull,
    maxFeePerGasGwei: GweiOrNull,
    maxPriorityFeePerGasGwei: GweiOrNull,
    gasPriceGwei: GweiOrNull,
    effectiveGasPriceGwei: GweiOrNull.describe('What it paid per gas'),
    priorityFeePerGasGwei: GweiOrNull.describe('The part of that above the base fee'),
    costCoins: CoinsOrNull.describe('What it paid in all, in native coins'),
    costUsd: CountOrNull,
    blockNumber: CountOrNull,
    time: TimeOrNull,
    confirmations: CountOrNull,
    tipRank: CountOrNull.describe("Share of its block's other transactions that tipped less, 0 to 1"),
  }),
  run: async ({ client, signal }, { hash }) => {
    const found = await client.tx(hash, { signal });
    return {
      ...found,
      valueCoins: found.value,
      maxFeePerGasGwei: found.maxFeePerGas,
      maxPriorityFeePerGasGwei: found.maxPriorityFeePerGas,
      gasPriceGwei: found.gasPrice,
      effectiveGasPriceGwei: found.effectiveGasPrice,
      priorityFeePerGasGwei: found.priorityFeePerGas,
      costCoins: found.costWei,
      time: found.timestamp,
    };
  },
});

const Cost = z.object({ coins: CoinsOrNull, usd: CountOrNull }).nullable();

const actionCost = defineTool({
  name: 'action_cost',
  title: 'What an action costs',
  description:
    'What usual work (a transfer, a swap, a mint) costs now in each lane, in native coins and US dollars. With gas: what that much gas costs, without the data fee that a rollup adds.',
  effect: 'reads',
  input: z.strictObject({
    gas: z
      .int()
      .min(21_000)
      .max(1_000_000_000)
      .optional()
      .describe('Units of gas that your own action takes'),
  }),
  output: z.object({
    actions: z.array(z.object({ name: z.string(), gas: z.number(), slow: Cost, average: Cost, fast: Cost })),
  }),
  run: async ({ client, signal }, { gas }) => {
    if (gas === undefined) {
      const { actions } = await client.statsMarket('24h', { signal });
      const costOf = (cost: { readonly wei: bigint; readonly usd: number | null } | null) =>
        cost && { coins: cost.wei, usd: cost.usd };
      return {
        actions: actions.map(({ slow, average, fast, ...action }) => ({
          ...action,
          ...{ slow: costOf(slow), average: costOf(average), fast: costOf(fast) },
        })),
      };
    }
    const { lanes, nativeUsd } = await client.gasCurrent({ signal });
    const costOf = ({ price }: LaneView) => {
      const coins = BigInt(gas) * price;
      return { coins, usd: nativeUsd === null ? null : usdOf(coins, nativeUsd) };
    };
    const { slow, average, fast } = lanes;
    const costs = { slow: costOf(slow), average: costOf(average), fast: costOf(fast) };
    return { actions: [{ name: 'your action', gas, ...costs }] };
  },
});

const limit = z.int().min(1).max(PAGE_SIZE_MAX).default(50).describe('How many to list, newest first');

/** Leaves out the targets of notifications: a webhook's URL is a secret. */
export const ListedAlert = z.object({
  id: z.string(),
  status: TextOrNull.describe('PENDING is armed'),
  gasSpeed: TextOrNull,
  condition: TextOrNull,
  thresholdGwei: GweiOrNull,
  cooldownMs: CountOrNull,
  disableOnce: FlagOrNull,
  channels: z.array(z.string()),
  note: TextOrNull,
  createdAt: TimeOrNull,
  lastTriggeredAt: TimeOrNull,
  cooldownUntil: TimeOrNull,
  triggerCount: CountOrNull,
  disabledReason: TextOrNull,
});

export const listedAlert = (alert: AlertView): z.input<typeof ListedAlert> => ({
  ...alert,
  thresholdGwei: alert.threshold,
  channels: [...alert.channels],
});

const listAlerts = defineTool({
  name: 'list_alerts',
  title: 'List alerts',
  description: 'The alerts of this key: what price each watches for, whether it is armed, when it fired.',
  effect: 'reads',
  input: z.strictObject({ status: z.enum(ALERT_STATUSES).optional(), limit }),
  output: z.object({ total: z.number(), alerts: z.array(ListedAlert) }),
  run: async ({ client, signal }, { status, limit }) => {
    const { items } = await client.alerts({ signal });
    const wanted = items.filter((alert) => status === undefined || alert.status === status);
    return { total: wanted.length, alerts: wanted.slice(0, limit).map(listedAlert) };
  },
});

export const ListedAutoTx = z.object({
  id: z.string(),
  status: TextOrNull,
  targetGasPriceGwei: GweiOrNull,
  gasSpeed: TextOrNull,
  strictTargetPrice: FlagOrNull.describe('Compares its own price instead of the lane'),
  chainId: CountOrNull,
  from: TextOrNull,
  to: TextOrNull,
  valueCoins: CoinsOrNull.describe('In native coins'),
  nonce: CountOrNull,
  hash: TextOrNull,
  note: TextOrNull,
  expiresAt: TimeOrNull,
  waitsFor: TextOrNull.describe('What kept it from being broadcast though its target was reached'),
  failure: TextOrNull,
  mayBeMined: FlagOrNull.describe('Nodes may have it, whatever its status'),
  blockNumber: CountOrNull,
  costCoins: CoinsOrNull.describe('In native coins'),
});

export const listedAutoTx = (autoTx: AutoTxView): z.input<typeof ListedAutoTx> => ({
  ...autoTx,
  targetGasPriceGwei: autoTx.target,
  strictTargetPrice: autoTx.isStrict,
  valueCoins: autoTx.value,
  waitsFor: autoTx.hold?.message ?? null,
  failure: autoTx.failure?.message ?? null,
  costCoins: autoTx.costWei,
});

const listAutoTxs = defineTool({
  name: 'list_auto_txs',
  title: 'List auto-txs',
  description:
    'The signed transactions that this key has waiting for a gas price, and what became of earlier ones.',
  effect: 'reads',
  input: z.strictObject({ status: z.enum(AUTO_TX_STATUSES).optional(), limit }),
  output: z.object({ total: z.number(), autoTxs: z.array(ListedAutoTx) }),
  run: async ({ client, signal }, { status, limit }) => {
    const { items } = await client.autoTxs({ signal });
    const wanted = items.filter((autoTx) => status === undefined || autoTx.status === status);
    return { total: wanted.length, autoTxs: wanted.slice(0, limit).map(listedAutoTx) };
  },
});

const { signedTransaction, targetGasPriceGwei, gasSpeed, strictTargetPrice } = AutoTxCreation.shape;

const checkSigned = defineTool({
  name: 'check_signed_transaction',
  title: 'Check a signed transaction',
  description:
    'Reads a raw signed transaction and checks whether the chain would take it now, or at a target price: chain, nonce, balance, caps, gas. It is sent nowhere and kept nowhere. Never give a private key to any tool.',
  effect: 'reads',
  input: z.strictObject({
    signedTransaction: signedTransaction
      .unwrap()
      .describe('The raw signed transaction as hex, as eth_sendRawTransaction takes it; never a private key'),
    targetGasPriceGwei: targetGasPriceGwei
      .optional()
      .describe('Checks it for that price, in gwei; left out: as if it were sent now'),
    gasSpeed,
    strictTargetPrice,
  }),
  output: z.object({
    canBeIncluded: z.boolean().describe('No check says that it can never be'),
    hash: z.string(),
    type: z.number(),
    chainId: CountOrNull,
    from: z.string(),
    to: TextOrNull.describe('null makes a contract'),
    valueCoins: CoinsOrNull.describe('In native coins'),
    nonce: z.number(),
    gasLimit: z.number(),
    maxFeePerGasGwei: GweiOrNull,
    maxPriorityFeePerGasGwei: GweiOrNull,
    gasPriceGwei: GweiOrNull,
    does: TextOrNull.describe('What it calls, as far as its data tells'),
    checks: z.array(z.object({ name: z.string(), result: z.enum(CHECK_RESULTS), message: z.string() })),
    reachProbability: CountOrNull.describe('That its target is reached within a day, 0 to 1'),
  }),
  run: async ({ client, signal, now }, args) => {
    const signed = await readSigned(args.signedTransaction);
    const target = args.targetGasPriceGwei === undefined ? null : weiOfGwei(args.targetGasPriceGwei);
    const order = {
      target,
      lane: LANE_OF_SPEED[args.gasSpeed],
      isStrict: args.strictTargetPrice,
      expiresAt: null,
    };
    const found = await preflightAutoTx(client, { transaction: signed, order }, now(), { signal });
    return {
      ...signed,
      canBeIncluded: found.checks.every(({ result }) => result !== 'block'),
      valueCoins: signed.value,
      gasLimit: Number(signed.gasLimit),
      maxFeePerGasGwei: signed.maxFeePerGas,
      maxPriorityFeePerGasGwei: signed.maxPriorityFeePerGas,
      gasPriceGwei: signed.gasPrice,
      does: found.call?.words ?? null,
      checks: [...found.checks],
      reachProbability: found.reach?.probability ?? null,
    };
  },
});

/** @throws ToolError without any part of `raw`. */
async function readSigned(raw: string) {
  if (/^[0-9a-f]{64}$/.test(bareHex(raw))) {
    throw new ToolError(
      'this is 32 bytes: the hash of a transaction, or a private key, which belongs into a wallet alone; give the raw signed transaction',
    );
  }
  try {
    return decodeTransaction(raw);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw new ToolError(`no node would take this as a transaction: ${error.message}`);
  }
}

/** Tools that only read. */
export const READ_TOOLS = [
  ...[gasNow, gasAdvice, gasHistory, block, transaction, actionCost],
  ...[listAlerts, listAutoTxs, checkSigned],
];
