import * as z from 'zod';
import * as wire from './primitives.ts';
import { flag, listOf, maybe, object, text, whole } from './primitives.ts';

const Lane = object('Lane', 'What to sign for one pace, and what to expect of it', {
  price: wire.Price.describe('What the lane expects to pay per gas, in wei'),
  maxFeePerGas: wire.Price.describe('The cap to sign, in wei per gas (EIP-1559)'),
  maxPriorityFeePerGas: maybe(wire.Wei, 'The tip to sign, in wei per gas; null: tips are unknown'),
  withinBlocks: whole(1).describe('How many blocks the lane aims to be included within'),
  waitSec: z
    .strictObject({ p50: wire.Seconds, p95: wire.Seconds })
    .describe('Seconds until inclusion: the median, and what 19 of 20 stay below'),
  probability: maybe(wire.Ratio, 'Share of its past advice that was included in time; null: too few judged'),
  reason: maybe(z.string(), 'Why there is no probability; null where there is one'),
});

const SourceKind = z.enum(['rpc', 'replay', 'simulated']).meta({
  id: 'SourceKind',
  description: 'Where blocks come from: nodes, a recording, or a simulation',
});

const Source = object('Source', 'Where the blocks behind this response come from', {
  kind: SourceKind,
  name: text('Short, for people: "3 nodes agree", "127.0.0.1:8545", "blocks.csv". Never a whole URL'),
  problem: maybe(
    z.strictObject({ message: z.string(), retryAt: wire.Timestamp.nullable() }),
    "Where stale is true: why the source gives nothing new, and when it is asked again; else why the history is not being written; null while all is well, and with stale while the last run's prices stand until the source has answered",
  ),
  ended: flag('A recording that has been played to its end: nothing new will come, and that is no fault'),
  chainName: text('The name of the chain; a development chain that borrows the id of another one says so'),
  restartedAt: maybe(
    wire.Timestamp,
    'When the chain began anew, as a development chain may: what was known of it before is dropped, and auto-txs that were not final are disabled; null: it never did',
  ),
});

export const GasCurrent = object('GasCurrent', 'What gas costs now. Prices are in wei per gas', {
  chainId: wire.ChainId,
  blockNumber: wire.BlockNumber.describe('The head: the newest block that is known'),
  blockTimestamp: wire.Timestamp.describe("The head block's own time"),
  lowPrice: wire.Price.describe("The slow lane's price, in wei per gas"),
  averagePrice: wire.Price.describe("The average lane's price, in wei per gas"),
  highPrice: wire.Price.describe("The fast lane's price, in wei per gas"),
  basePrice: wire.Price.describe("The head block's base fee, in wei per gas"),
  priorityPrice: maybe(
    wire.Wei,
    'averagePrice − nextBasePrice, at least 0, in wei per gas; null where either is',
  ),
  nextBasePrice: wire.Price.describe(
    "The next block's base fee, in wei per gas; null without a reason: a recording ends and does not tell",
  ),
  reason: wire.WhyNull,
  floorPrice: maybe(wire.Wei, "The base fee's lowest possible value, in wei per gas; null: no known floor"),
  blobBasePrice: maybe(wire.Wei, 'Of the head block, in wei per blob gas (EIP-4844); null: no blobs'),
  gasUsedRatio: wire.Ratio.describe('How full the head block is'),
  lanes: z.strictObject({ slow: Lane, average: Lane, fast: Lane }),
  nativeUsd: maybe(wire.Usd, 'US dollars for one native coin, by a price feed; null: none, or it is old'),
  nativeUsdReason: z.string().optional().describe('Why nativeUsd is null; absent where it is not'),
  updatedAt: wire.Timestamp.describe('When it ingested the last block, or what it says of it changed last'),
  updateFrequencySec: wire.Seconds.describe('How often something new is to be expected, in seconds'),
  stale: flag('No new block for four times updateFrequencySec (at least 12 s), or no source'),
  source: Source,
});
export type GasCurrent = z.infer<typeof GasCurrent>;

export const PriceSummary = object('PriceSummary', 'How a price was spread over the window, in wei per gas', {
  now: wire.Price,
  min: wire.Price,
  p25: wire.Price,
  median: wire.Price,
  p75: wire.Price,
  max: wire.Price,
  reason: wire.WhyNull,
});

export const GasTrend = object('GasTrend', 'Where the price is going', {
  window: z.literal('1h'),
  direction: z.enum(['RISING', 'FALLING', 'STABLE']),
  changeRatio: z
    .number()
    .describe('The base fee now against the mean of the hour before, as a share; negative when it fell'),
  base: PriceSummary.describe('The base fee over the window, in wei per gas'),
  priority: PriceSummary.describe(
    'priorityPrice at each block of the window, in wei per gas; now: the newest',
  ),
  percentileRank24h: wire.Ratio.describe(
    'Share of the blocks of the last 24 h with a base fee below the next',
  ),
  congestion: wire.Ratio.describe('Mean gas-used ratio of the last blocks'),
  baseFeeFan: listOf('Where the base fee of the next blocks can be, in wei per gas', {
    blocksAhead: whole(1, 5),
    min: wire.Price.describe('If every block until then is empty'),
    expected: wire.Price,
    max: wire.Price.describe('If every block until then is full'),
    reason: wire.WhyNull,
  }),
  updatedAt: wire.Timestamp,
});
export type GasTrend = z.infer<typeof GasTrend>;

const AdviceRecord = object('AdviceRecord', 'How advice of one kind did', {
  evaluated: whole(0).describe('How many were judged: the last ones, at most 100'),
  hitRatio: maybe(
    wire.Ratio,
    'To wait: the share whose price was reached in time; to send: the share included in time',
  ),
  statedProbability: maybe(wire.Ratio, 'The probability they had stated, on average'),
  savingRatio: maybe(
    z.number(),
    'What following them really saved on average against sending in the next block, misses counted, as a share; below 0 it cost; null: unknown',
  ),
  since: maybe(wire.Timestamp, 'Block time of the oldest of them; null: none was judged, or walked'),
  versions: z.array(whole(1)).describe('Versions of the method among them, ascending'),
});

const Track = object('Track', "How this service's own past advice did", {
  evaluated: whole(0).describe('How many recommendations were judged: the last ones, at most 100'),
  hitRatio: maybe(wire.Ratio, 'The share of them that came true; null below 50 of them'),
  statedProbability: maybe(wire.Ratio, 'The probability they had stated, on average'),
  basis: z
    .enum(['given', 'walked'])
    .describe(
      'given: recommendations that this service gave, each judged when its time was over. ' +
        'walked: while fewer than 50 of those are judged, what its present method would have given on the stored blocks, twelve times in each span of the patience',
    ),
  since: maybe(wire.Timestamp, 'Block time of the oldest that was given; null where walked'),
  versions: z.array(whole(1)).describe('Versions of the method among them, ascending'),
  unjudged: whole(0).describe('Given since then, but not judged: the blocks that would tell are not known'),
  waits: maybe(AdviceRecord, 'WAIT and SET_ALERT alone, whenever given; null: unknown'),
  sends: maybe(AdviceRecord, 'SEND_NOW alone, whenever given; null: unknown'),
});

const Reach = object('Reach', 'How likely a price is reached in time', {
  targetPrice: wire.Wei.describe('The price that was asked about, in wei per gas'),
  deadlineSec: wire.Seconds.describe('The time that was asked about, in seconds from now'),
  probability: maybe(
    wire.Ratio,
    'That base fee and tip together fall so far until then; null: too little history',
  ),
  reason: maybe(z.string(), 'Why there is no probability, for people; null where there is one'),
});

export const GasRecommendation = object('GasRecommendation', 'Send now, or wait how long for what price', {
  patienceSec: wire.Seconds.describe(
    'How long a user can wait: the advice is the best row of alternatives within that',
  ),
  action: maybe(
    z.enum(['SEND_NOW', 'WAIT', 'SET_ALERT']),
    'null: no advice yet, as the first reason says; the figures are those of sending now',
  ),
  lane: z.enum(['SLOW', 'AVERAGE', 'FAST']),
  targetPrice: wire.Price.describe('The price to send at, in wei per gas'),
  expectedWaitSec: wire.Seconds,
  deadlineSec: wire.Seconds.describe('When waiting any longer is not advised, in seconds from now'),
  probability: maybe(wire.Ratio, 'That the target is reached in time; null while history is too short'),
  expectedSavingRatio: z
    .number()
    .describe('What is expected to be saved against sending in the next block, as a share'),
  confidence: z.number().min(0).max(100).describe('How much history stands behind this, from 0 to 100'),
  reasons: z.array(z.string()).describe('Why, for people'),
  alternatives: listOf(
    'What each horizon promises. Advice to wait is one of them, with the same horizon, price, probability and saving',
    {
      horizonSec: wire.Seconds,
      price: maybe(wire.Wei, 'Price reached within the horizon, in wei per gas; null: not measured'),
      probability: maybe(wire.Ratio, 'That it is reached within the horizon'),
      reason: maybe(z.string(), 'Why there is no probability; null where there is one'),
      savingRatio: maybe(
        z.number(),
        'What waiting for it saved on average against sending in the next block, misses counted, as a share; below 0 it cost',
      ),
      missRatio: maybe(
        z.number(),
        'If the price does not come: what is paid at the end of the horizon on average, over sending in the next block, less 1, as a share; null: no miss was measured',
      ),
      windows: maybe(
        whole(0),
        'Past windows like the present one, one after another, behind the probability',
      ),
      windowsKept: maybe(whole(0), 'Those of them in which the price came'),
      isCeiling: maybe(
        z.boolean(),
        'Whether so few windows support no higher probability: read it as "at most"',
      ),
    },
  ),
  track: Track,
  reach: maybe(Reach, 'Of the price that was asked about; null where none was'),
  validUntil: wire.Timestamp,
  updatedAt: wire.Timestamp,
});
export type GasRecommendation = z.infer<typeof GasRecommendation>;
