import * as z from 'zod';
import { orderOf, preflightAutoTx } from '../client/auto-tx-preflight.ts';
import { ifTold } from '../client/errors.ts';
import type { AlertView } from '../client/views/alerts.ts';
import type { AutoTxView } from '../client/views/auto-txs.ts';
import { chainStatus } from '../client/views/chain-status.ts';
import {
  type ChainRow,
  chainOf,
  rowProblem,
  sortedRows,
  type Work,
  workCost,
} from '../client/views/chains.ts';
import { AutoTxCreation } from '../contract/auto-txs.ts';
import * as choices from '../contract/choices.ts';
import { maybe, PriceGwei } from '../contract/primitives.ts';
import { TimeFrameParameters } from '../contract/queries.ts';
import { maxCostText, parseMaxCost } from '../core/auto-txs/cost-limit.ts';
import { changedOrder } from '../core/auto-txs/order.ts';
import { describeOutdated, isOutdated } from '../core/chain-status.ts';
import { thresholdText } from '../core/threshold/threshold.ts';
import { readSigned } from '../core/transactions/decode-transaction.ts';
import { bareHex } from '../core/transactions/signed-text.ts';
import { weiOfGwei } from '../core/units.ts';
import { threshold } from './threshold-tool.ts';
import {
  Coins,
  Count,
  defineTool,
  each,
  Flag,
  Gwei,
  Patience,
  reading,
  readRule,
  result,
  type Source,
  Text,
  Time,
  ToolError,
} from './tool.ts';
import { COST, callCost, SIGNED, transaction } from './transaction-tools.ts';

const Lane = result({
  priceGwei: Gwei.describe('What it expects to pay per gas'),
  maxFeePerGasGwei: maybe(Gwei, 'The cap to sign'),
  maxPriorityFeePerGasGwei: maybe(Gwei, 'The tip to sign; null where tips are not known'),
  waitSec: z.object({ p50: Count, p95: Count }).nullable().describe('Seconds until inclusion'),
  probability: maybe(Count, 'Share of its past advice that was included in time, 0 to 1'),
});

const gasNow = reading({
  name: 'gas_now',
  title: 'Gas prices now',
  description:
    'What gas costs in the next block: three lanes with the caps to sign, the base fee, and the price of the native coin. Where stale is true the figures are old: do not pay by them.',
  input: z.strictObject({}),
  output: {
    ...each(Text, 'chain'),
    ...each(Count, 'chainId', 'blockNumber'),
    ...each(Time, 'blockTime'),
    source: z
      .enum(['rpc', 'replay', 'simulated', 'service'])
      .describe('replay and simulated are no live chain: do not pay by these prices'),
    lanes: z.object({ slow: Lane, average: Lane, fast: Lane }),
    baseFeeGwei: Gwei.describe('Of the newest block'),
    ...each(Gwei, 'nextBaseFeeGwei', 'blobBaseFeeGwei'),
    gasUsedRatio: maybe(Count, 'How full the newest block is, 0 to 1'),
    nativeUsd: maybe(Count, 'US dollars for one native coin'),
    ...each(Flag, 'stale'),
    problem: maybe(Text, 'Why there is nothing newer'),
  },
  run: async ({ client, signal, now }) => {
    const snapshot = await client.gasCurrent({ signal });
    const { chainName: chain, kind, problem } = snapshot.source;
    const status = chainStatus(snapshot, now());
    return {
      ...snapshot,
      chain,
      source: kind,
      blockTime: snapshot.blockTimestamp,
      stale: isOutdated(status),
      problem: describeOutdated(status) ?? problem?.message ?? null,
    };
  },
});

const Judged = z
  .object({ evaluated: Count, ...each(Count, 'hitRatio', 'statedProbability', 'savingRatio') })
  .nullable()
  .describe('Advice of this kind: the share that came true, what it had stated, what following it saved');

const gasAdvice = reading({
  name: 'gas_advice',
  title: 'Send now or wait',
  description:
    'Whether to send now or to wait, for which price and how long, how likely that price comes and what it saves, and where the base fee is going. With targetGwei also how likely that price is reached in time.',
  input: z.strictObject({
    patienceSec: Patience.describe('How many seconds the user can wait: the advice is the best within it'),
    targetGwei: PriceGwei.optional().describe('A price per gas of your own, base fee and tip together'),
    deadlineSec: z
      .int()
      .min(1)
      .max(choices.LONGEST_DEADLINE_SEC)
      .default(3_600)
      .describe('Within how many seconds targetGwei is wanted'),
  }),
  output: {
    action: maybe(Text, 'SEND_NOW, WAIT or SET_ALERT; null: no advice yet, see reasons'),
    ...each(Text, 'lane'),
    ...each(Count, 'patienceSec'),
    targetGwei: maybe(Gwei, 'The price to send at'),
    deadlineSec: maybe(Count, 'Do not wait longer than that'),
    ...each(Count, 'expectedWaitSec'),
    probability: maybe(Count, 'That the price comes before the deadline, 0 to 1'),
    expectedSavingRatio: maybe(Count, 'Against sending in the next block'),
    confidence: maybe(Count, 'How much history stands behind it, 0 to 100'),
    reasons: z.array(Text).readonly(),
    alternatives: z.array(
      result({
        waitUpToSec: Count,
        ...each(Gwei, 'priceGwei'),
        ...each(Count, 'probability', 'savingRatio', 'missRatio', 'windows', 'windowsKept'),
        ...each(Flag, 'isCeiling'),
      }),
    ),
    track: z
      .object({ ...each(Text, 'basis'), waits: Judged, sends: Judged })
      .nullable()
      .describe('How its past advice did: given, or walked over stored blocks'),
    trend: z
      .object({ direction: Text, ...each(Count, 'changeRatio', 'percentileRank24h', 'congestion') })
      .nullable()
      .describe('The base fee against the hour before; the share of the last day that was cheaper'),
    ofTarget: z
      .object({ ...each(Count, 'probability'), ...each(Text, 'reason') })
      .nullable()
      .describe('That targetGwei is reached within deadlineSec; null where none was given'),
    ...each(Time, 'validUntil'),
  },
  run: async ({ client, signal }, { patienceSec, targetGwei, deadlineSec }) => {
    const reach =
      targetGwei === undefined ? {} : { reach: { targetPrice: weiOfGwei(targetGwei), deadlineSec } };
    const [advice, trend] = await Promise.all([
      client.gasRecommendation({ signal, patienceSec, ...reach }),
      ifTold(client.gasTrend({ signal })),
    ]);
    const alternatives = advice.alternatives.map((one) => ({ ...one, waitUpToSec: one.horizonSec }));
    return { ...advice, target: advice.targetPrice, alternatives, trend, ofTarget: advice.reach };
  },
});

const Spread = z
  .object({ min: Gwei, max: Gwei, now: Gwei, ...each(Gwei, 'median', 'mean'), ...each(Count, 'changeRatio') })
  .nullable()
  .describe('Per gas, in gwei, each block counted once');

/** Enough to see a trend, and little to read. */
const MOST_POINTS = 48;

const gasHistory = reading({
  name: 'gas_history',
  title: 'Gas prices of the past',
  description:
    'What gas cost over the last hour, day, week or month: how it was spread, its course, cheap hours.',
  input: TimeFrameParameters,
  output: {
    timeFrame: Text,
    baseFee: Spread,
    averageLane: Spread,
    cheapestHourUtc: maybe(Count, 'Hour of the day, UTC'),
    points: z
      .array(result({ time: Time, baseFeeGwei: Gwei, ...each(Gwei, 'averageLaneGwei') }))
      .describe('Means, oldest first'),
    anomalies: z.array(result({ time: Time, kind: Text, baseFeeGwei: Gwei })),
    problem: maybe(Text, 'Why there is no history'),
  },
  run: async ({ client, signal }, { timeFrame }) => {
    const [chart, market] = await Promise.all([
      client.chart(timeFrame, { signal }),
      ifTold(client.statsMarket(timeFrame, { signal })),
    ]);
    const { points, anomalies, problem } = chart;
    return {
      ...{ timeFrame, problem },
      baseFee: market?.base ?? null,
      averageLane: market?.average ?? null,
      cheapestHourUtc: market?.cheapestHourUtc ?? null,
      points: thinned(points).map(({ timestamp: time, base: baseFee, average: averageLane }) => ({
        ...{ time, baseFee, averageLane },
      })),
      anomalies: anomalies.map(({ timestamp: time, value: baseFee, kind }) => ({ time, baseFee, kind })),
    };
  },
});

/** At most {@link MOST_POINTS} points, evenly spaced, including the newest. */
function thinned<Point>(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

const NO_BLOCK = 'must be latest or the number of a block';
/** One type, where clients know no union; numbers are taken as well. */
const BlockNumber = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string(NO_BLOCK)
    .regex(/^(?:latest|\d{1,15})$/, NO_BLOCK)
    .describe('latest, or the number of a block')
    .transform((text) => (text === 'latest' ? text : Number(text))),
);

const block = reading({
  name: 'block',
  title: 'One block',
  description: 'The fees of one block: base fee, tips, how full it was, what was burnt.',
  input: z.strictObject({
    number: BlockNumber.default('latest'),
  }),
  output: {
    blockNumber: Count,
    ...each(Text, 'hash', 'feeRecipient'),
    ...each(Time, 'time'),
    ...each(Count, 'confirmations', 'gasUsed', 'gasLimit', 'gasUsedRatio', 'transactionCount'),
    baseFeeGwei: Gwei,
    ...each(Gwei, 'nextBaseFeeGwei', 'blobBaseFeeGwei'),
    tipsGwei: z.record(z.string(), Gwei).nullable().describe('Percentiles of the tips, by gas used'),
    burntCoins: maybe(Coins, 'In native coins'),
  },
  run: async ({ client, signal }, { number }) => {
    const found = await client.block(number, { signal });
    const { baseFeePerGas: baseFee, nextBaseFeePerGas: nextBaseFee, burntWei: burnt } = found;
    return { ...found, time: found.timestamp, baseFee, nextBaseFee, burnt };
  },
});

const chainRules = reading({
  name: 'chain_rules',
  title: 'Gas rules and the next fork',
  description:
    'Whose gas rules hold on the chain, and which fork changes them when. A fork may make a signed transaction that waits impossible.',
  input: z.strictObject({}),
  output: {
    rules: Text.describe("osaka, amsterdam, own (the chain's own) or unknown"),
    source: Text.describe('What tells: header, eth_config or none'),
    sinceTime: maybe(Time, 'When the rules that hold began'),
    nextFork: maybe(Text, 'amsterdam, blobs (another number of blobs) or unknown; null: none is known'),
    nextForkTime: maybe(Time, 'When it begins'),
    usualWork: z
      .array(z.object({ name: Text, osaka: Count, amsterdam: Count }))
      .describe('Gas of usual work by the rules of Osaka and of Amsterdam'),
  },
  run: async ({ client, signal }) => {
    const { rules, source, since, next, usualWork } = await client.chainRules({ signal });
    return {
      ...{ rules, source, nextFork: next?.kind ?? null },
      usualWork: [...usualWork],
      sinceTime: since === null ? null : since * 1_000,
      nextForkTime: next === null ? null : next.at * 1_000,
    };
  },
});

const Cost = result(COST).nullable();

const actionCost = reading({
  name: 'action_cost',
  title: 'What an action costs',
  description:
    'What usual work (a transfer, a swap, a mint) costs now in each lane, in native coins and US dollars. For a call of your own: call_cost.',
  input: z.strictObject({}),
  output: {
    actions: z.array(
      z.object({
        name: Text,
        gas: Count.describe('By the rules of the newest block'),
        gasNext: maybe(Count, 'By the fork to Amsterdam that is scheduled; null: none is known'),
        newHolder: z
          .object({ name: Text, gas: Count, gasNext: maybe(Count, 'As above') })
          .nullable()
          .describe('Where the account, holder, owner or token is new and that is dearer'),
        ...{ slow: Cost, average: Cost, fast: Cost },
      }),
    ),
  },
  run: async ({ client, signal }) => {
    const { actions } = await client.statsMarket('24h', { signal });
    return { actions: [...actions] };
  },
});

const limit = z
  .int()
  .min(1)
  .max(choices.PAGE_SIZE_MAX)
  .default(50)
  .describe('How many to list, newest first');

/** Leaves out the targets of notifications: a webhook's URL is a secret. */
export const LISTED_ALERT = {
  id: Text,
  status: maybe(Text, 'PENDING is armed'),
  ...each(Text, 'gasSpeed', 'condition', 'note', 'disabledReason'),
  rule: maybe(Text, 'The threshold as written, such as $0.40/swap; null: it is a price in gwei'),
  thresholdGwei: maybe(Gwei, 'The price it waits for: of a rule what it stands for now'),
  thresholdReason: maybe(Text, 'Why what the rule stands for is unknown, so that it waits'),
  ...each(Count, 'cooldownMs', 'triggerCount'),
  ...each(Flag, 'disableOnce'),
  channels: z.array(Text).readonly(),
  ...each(Time, 'createdAt', 'lastTriggeredAt', 'cooldownUntil'),
};

export const listedAlert = ({ rule, ...alert }: AlertView) => ({
  ...alert,
  rule: rule === null ? null : thresholdText(rule),
});

const listAlerts = reading({
  name: 'list_alerts',
  title: 'List alerts',
  description: 'The alerts of this key: what price each watches for, whether it is armed, when it fired.',
  input: z.strictObject({ status: z.enum(choices.ALERT_STATUSES).optional(), limit }),
  output: { total: Count, alerts: z.array(result(LISTED_ALERT)) },
  run: async ({ client, signal }, { status, limit }) => {
    const { items } = await client.alerts({ signal });
    const wanted = items.filter((alert) => status === undefined || alert.status === status);
    return { total: wanted.length, alerts: wanted.slice(0, limit).map(listedAlert) };
  },
});

export const LISTED_AUTO_TX = {
  id: Text,
  ...each(Text, 'status', 'gasSpeed', 'from', 'to', 'hash', 'note', 'failure'),
  ...each(Gwei, 'targetGasPriceGwei'),
  strictTargetPrice: maybe(Flag, 'Compares its own price instead of the lane'),
  maxCost: maybe(
    Text,
    'The most that it may cost in all, from which its target follows: $3, or 2% of its value',
  ),
  thresholdReason: maybe(Text, 'Why that stands for no price now, so that it waits'),
  ...each(Count, 'chainId', 'nonce', 'blockNumber'),
  valueCoins: maybe(Coins, 'In native coins'),
  ...each(Time, 'expiresAt'),
  waitsFor: maybe(Text, 'What kept it from being broadcast though its target was reached'),
  mayBeMined: maybe(Flag, 'Nodes may have it, whatever its status'),
  costCoins: maybe(Coins, 'In native coins'),
};

export const listedAutoTx = (autoTx: AutoTxView): Source<typeof LISTED_AUTO_TX> => ({
  ...autoTx,
  targetGasPrice: autoTx.target,
  strictTargetPrice: autoTx.isStrict,
  maxCost: autoTx.maxCost && maxCostText(autoTx.maxCost),
  waitsFor: autoTx.hold?.message ?? null,
  failure: autoTx.failure?.message ?? null,
  cost: autoTx.costWei,
});

const listAutoTxs = reading({
  name: 'list_auto_txs',
  title: 'List auto-txs',
  description:
    'The signed transactions that this key has waiting for a gas price, and what became of earlier ones.',
  input: z.strictObject({ status: z.enum(choices.AUTO_TX_STATUSES).optional(), limit }),
  output: { total: Count, autoTxs: z.array(result(LISTED_AUTO_TX)) },
  run: async ({ client, signal }, { status, limit }) => {
    const { items } = await client.autoTxs({ signal });
    const wanted = items.filter((autoTx) => status === undefined || autoTx.status === status);
    return { total: wanted.length, autoTxs: wanted.slice(0, limit).map(listedAutoTx) };
  },
});

const { signedTransaction, targetGasPriceGwei, gasSpeed, strictTargetPrice } = AutoTxCreation.shape;

const checkSigned = reading({
  name: 'check_signed_transaction',
  title: 'Check a signed transaction',
  description:
    'Reads a raw signed transaction and checks whether the chain would take it now, or at a target price: chain, nonce, balance, caps, gas. It is sent nowhere and kept nowhere. Never give a private key to any tool.',
  input: z.strictObject({
    signedTransaction: signedTransaction
      .unwrap()
      .describe('The raw signed transaction as hex, as eth_sendRawTransaction takes it; never a private key'),
    targetGasPriceGwei: targetGasPriceGwei
      .unwrap()
      .unwrap()
      .optional()
      .describe('Checks it for that price, in gwei; left out: as if it were sent now'),
    maxCost: Text.optional().describe(
      'Checks it for what it may cost in all instead: $3 in dollars, or 2% of the coins that it sends',
    ),
    gasSpeed,
    strictTargetPrice,
  }),
  output: {
    canBeIncluded: Flag.describe('No check says that it can never be'),
    hash: Text,
    type: Count,
    ...each(Count, 'chainId'),
    from: Text,
    ...SIGNED,
    nonce: Count,
    gasLimit: z.bigint().transform(Number).pipe(Count),
    does: maybe(Text, 'What it calls, as far as its data tells'),
    checks: z
      .array(z.object({ name: Text, result: z.enum(choices.CHECK_RESULTS), message: Text }))
      .readonly(),
    reachProbability: maybe(Count, 'That its target is reached within a day, 0 to 1'),
  },
  run: async ({ client, signal, now }, args) => {
    const signed = transactionOf(args.signedTransaction);
    const maxCost = args.maxCost === undefined ? undefined : readRule('maxCost', args.maxCost, parseMaxCost);
    if (maxCost !== undefined && args.targetGasPriceGwei !== undefined)
      throw new ToolError('give targetGasPriceGwei or maxCost, not both: the price follows from the cost');
    const target = args.targetGasPriceGwei === undefined ? undefined : weiOfGwei(args.targetGasPriceGwei);
    const lane = choices.LANE_OF_SPEED[args.gasSpeed];
    const asked = { target, maxCost, lane, isStrict: args.strictTargetPrice };
    const toCheck = { transaction: signed, order: changedOrder(orderOf(null), asked, true) };
    const { checks, call, reach } = await preflightAutoTx(client, toCheck, now(), { signal });
    const canBeIncluded = checks.every((check) => check.result !== 'block');
    const reachProbability = reach?.probability ?? null;
    return { ...signed, canBeIncluded, does: call?.words ?? null, checks, reachProbability };
  },
});

/** @throws ToolError without any part of `raw`. */
function transactionOf(raw: string) {
  if (/^[0-9a-f]{64}$/.test(bareHex(raw))) {
    throw new ToolError(
      'this is 32 bytes: the hash of a transaction, or a private key, which belongs into a wallet alone; give the raw signed transaction',
    );
  }
  const read = readSigned(raw);
  if (read.problem === null) return read.transaction;
  throw new ToolError(`no node would take this as a transaction: ${read.problem}`);
}

/** Reads these chains side by side; `null`: those that are set up, else the usual ones. */
export type CompareChains = (names: string | null, signal: AbortSignal) => Promise<readonly ChainRow[]>;

interface CompareContext {
  readonly compare: CompareChains;
  readonly signal: AbortSignal;
}

const WorkCost = result({
  coins: maybe(Coins, 'In native coins, L1 included where that is known'),
  ...each(Count, 'usd'),
  l1Coins: maybe(Coins, 'The part for posting to L1; null: it is not known and not counted'),
}).nullable();

const workCostOf = (row: ChainRow, work: Work) => {
  const cost = workCost(row, work);
  return cost && { ...cost, l1: cost.dataFee };
};

export const compareChains = defineTool({
  name: 'compare_chains',
  title: 'Compare chains',
  description:
    'What a swap and a transfer cost on several chains, L1 included, the cheapest swap first, with the average price, trend and advice of each. Where problem is set the chain did not answer.',
  effect: 'reads',
  input: z.strictObject({
    chains: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/i, 'must be the name of a chain, such as base'))
      .min(1)
      .max(20)
      .optional()
      .describe('Names such as ethereum, base, op, arbitrum; default: those set up, else the usual ones'),
  }),
  output: {
    chains: z.array(
      result({
        ...{ name: Text, chain: Text },
        ...each(Count, 'chainId', 'expectedSavingRatio'),
        ...each(Time, 'blockTime'),
        averageGwei: maybe(Gwei, 'What a transaction expects to pay per gas'),
        ...{ swap: WorkCost, transfer: WorkCost },
        direction: maybe(Text, 'RISING, FALLING or STABLE'),
        action: maybe(Text, 'SEND_NOW, WAIT or SET_ALERT; null: no advice yet'),
        deadlineSec: maybe(Count, 'How long to wait at most'),
        usdFrom: maybe(Text, 'The chain whose price of ether stands for its own, where it has none'),
        ...each(Flag, 'stale'),
        ...each(Text, 'problem'),
      }),
    ),
  },
  run: async ({ compare, signal }: CompareContext, { chains }) => {
    const rows = await compare(chains?.join(',') ?? null, signal);
    return {
      chains: sortedRows(rows, 'swap').map((row) => {
        const { snapshot = null, trend = null, advice = null } = row.figures ?? {};
        return {
          name: row.name,
          chain: chainOf(row),
          chainId: snapshot?.chainId ?? null,
          blockTime: snapshot?.blockTimestamp ?? null,
          average: snapshot?.lanes.average.price ?? null,
          swap: workCostOf(row, 'swap'),
          transfer: workCostOf(row, 'send'),
          direction: trend?.direction ?? null,
          action: advice?.action ?? null,
          deadlineSec: advice?.deadlineSec ?? null,
          expectedSavingRatio: advice?.expectedSavingRatio ?? null,
          usdFrom: row.usdFrom,
          stale: snapshot && isOutdated(chainStatus(snapshot, Date.now())),
          problem: rowProblem(row, Date.now())?.message ?? null,
        };
      }),
    };
  },
});

export const READ_TOOLS = [
  ...[gasNow, gasAdvice, gasHistory, chainRules, block, transaction, actionCost, callCost],
  ...[threshold, listAlerts, listAutoTxs, checkSigned],
];
