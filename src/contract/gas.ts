import * as z from 'zod';
import {
  BlockNumber,
  ChainId,
  flag,
  listOf,
  maybe,
  object,
  Price,
  Ratio,
  Seconds,
  Timestamp,
  text,
  Usd,
  Wei,
  WhyNull,
  whole,
} from './primitives.ts';

const Lane = object('Lane', 'What to sign for one pace, and what to expect of it', {
  price: Price.describe('What the lane expects to pay per gas, in wei'),
  maxFeePerGas: Price.describe('The cap to sign, in wei per gas (EIP-1559)'),
  maxPriorityFeePerGas: maybe(Wei, 'The tip to sign, in wei per gas; null: tips are unknown'),
  withinBlocks: whole(1).describe('How many blocks the lane aims to be included within'),
  waitSec: z
    .strictObject({ p50: Seconds, p95: Seconds })
    .describe('Seconds until inclusion: the median, and what 19 of 20 stay below'),
  probability: maybe(Ratio, 'Share of its past advice that was included in time; null: too few judged'),
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
    z.strictObject({ message: z.string(), retryAt: Timestamp.nullable() }),
    "Where stale is true: why the source gives nothing new, and when it is asked again; else why the history is not being written; null while all is well, and with stale while the last run's prices stand until the source has answered",
  ),
  ended: flag('A recording that has been played to its end: nothing new will come, and that is no fault'),
  chainName: text('The name of the chain; a development chain that borrows the id of another one says so'),
  restartedAt: maybe(
    Timestamp,
    'When the chain began anew, as a development chain may: what was known of it before is dropped, and auto-txs that were not final are disabled; null: it never did',
  ),
});

export const GasCurrent = object('GasCurrent', 'What gas costs now. Prices are in wei per gas', {
  chainId: ChainId,
  blockNumber: BlockNumber.describe('The head: the newest block that is known'),
  blockTimestamp: Timestamp.describe("The head block's own time"),
  lowPrice: Price.describe("The slow lane's price, in wei per gas"),
  averagePrice: Price.describe("The average lane's price, in wei per gas"),
  highPrice: Price.describe("The fast lane's price, in wei per gas"),
  basePrice: Price.describe("The head block's base fee, in wei per gas"),
  priorityPrice: maybe(Wei, 'averagePrice − nextBasePrice, at least 0, in wei per gas; null where either is'),
  nextBasePrice: Price.describe(
    "The next block's base fee, in wei per gas; null without a reason: a recording ends and does not tell",
  ),
  reason: WhyNull,
  floorPrice: maybe(Wei, "The base fee's lowest possible value, in wei per gas; null: no known floor"),
  blobBasePrice: maybe(Wei, 'Of the head block, in wei per blob gas (EIP-4844); null: no blobs'),
  gasUsedRatio: Ratio.describe('How full the head block is'),
  lanes: z.strictObject({ slow: Lane, average: Lane, fast: Lane }),
  nativeUsd: maybe(Usd, 'US dollars for one native coin, by a price feed; null: none, or it is old'),
  nativeUsdReason: z.string().optional().describe('Why nativeUsd is null; absent where it is not'),
  updatedAt: Timestamp.describe('When it ingested the last block, or what it says of it changed last'),
  updateFrequencySec: Seconds.describe('How often something new is to be expected, in seconds'),
  stale: flag('No new block for four times updateFrequencySec (at least 12 s), or no source'),
  source: Source,
});
export type GasCurrent = z.infer<typeof GasCurrent>;

export const PriceSummary = object('PriceSummary', 'How a price was spread over the window, in wei per gas', {
  now: Price,
  min: Price,
  p25: Price,
  median: Price,
  p75: Price,
  max: Price,
  reason: WhyNull,
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
  percentileRank24h: Ratio.describe('Share of the blocks of the last 24 h with a base fee below the next'),
  congestion: Ratio.describe('Mean gas-used ratio of the last blocks'),
  baseFeeFan: listOf('Where the base fee of the next blocks can be, in wei per gas', {
    blocksAhead: whole(1, 5),
    min: Price.describe('If every block until then is empty'),
    expected: Price,
    max: Price.describe('If every block until then is full'),
    reason: WhyNull,
  }),
  updatedAt: Timestamp,
});
export type GasTrend = z.infer<typeof GasTrend>;

const AdviceRecord = object('AdviceRecord', 'How advice of one kind did', {
  evaluated: whole(0).describe('How many were judged: the last ones, at most 100'),
  hitRatio: maybe(
    Ratio,
    'To wait: the share whose price was reached in time; to send: the share included in time',
  ),
  statedProbability: maybe(Ratio, 'The probability they had stated, on average'),
  savingRatio: maybe(
    z.number(),
    'What following them really saved on average against sending in the next block, misses counted, as a share; below 0 it cost; null: unknown',
  ),
  since: maybe(Timestamp, 'Block time of the oldest of them; null: none was judged, or walked'),
  versions: z.array(whole(1)).describe('Versions of the method among them, ascending'),
});

const Track = object('Track', "How this service's own past advice did", {
  evaluated: whole(0).describe('How many recommendations were judged: the last ones, at most 100'),
  hitRatio: maybe(Ratio, 'The share of them that came true; null below 50 of them'),
  statedProbability: maybe(Ratio, 'The probability they had stated, on average'),
  basis: z
    .enum(['given', 'walked'])
    .describe(
      'given: recommendations that this service gave, each judged when its time was over. ' +
        'walked: while fewer than 50 of those are judged, what its present method would have given on the stored blocks, twelve times in each span of the patience',
    ),
  since: maybe(Timestamp, 'Block time of the oldest that was given; null where walked'),
  versions: z.array(whole(1)).describe('Versions of the method among them, ascending'),
  unjudged: whole(0).describe('Given since then, but not judged: the blocks that would tell are not known'),
  waits: maybe(AdviceRecord, 'WAIT and SET_ALERT alone, whenever given; null: unknown'),
  sends: maybe(AdviceRecord, 'SEND_NOW alone, whenever given; null: unknown'),
});

const Reach = object('Reach', 'How likely a price is reached in time', {
  targetPrice: Wei.describe('The price that was asked about, in wei per gas'),
  deadlineSec: Seconds.describe('The time that was asked about, in seconds from now'),
  probability: maybe(
    Ratio,
    'That base fee and tip together fall so far until then; null: too little history',
  ),
  reason: maybe(z.string(), 'Why there is no probability, for people; null where there is one'),
});

export const GasRecommendation = object('GasRecommendation', 'Send now, or wait how long for what price', {
  patienceSec: Seconds.describe(
    'How long a user can wait: the advice is the best row of alternatives within that',
  ),
  action: maybe(
    z.enum(['SEND_NOW', 'WAIT', 'SET_ALERT']),
    'null: no advice yet, as the first reason says; the figures are those of sending now',
  ),
  lane: z.enum(['SLOW', 'AVERAGE', 'FAST']),
  targetPrice: Price.describe('The price to send at, in wei per gas'),
  expectedWaitSec: Seconds,
  deadlineSec: Seconds.describe('When waiting any longer is not advised, in seconds from now'),
  probability: maybe(Ratio, 'That the target is reached in time; null while history is too short'),
  expectedSavingRatio: z
    .number()
    .describe('What is expected to be saved against sending in the next block, as a share'),
  confidence: z.number().min(0).max(100).describe('How much history stands behind this, from 0 to 100'),
  reasons: z.array(z.string()).describe('Why, for people'),
  alternatives: listOf(
    'What each horizon promises. Advice to wait is one of them, with the same horizon, price, probability and saving',
    {
      horizonSec: Seconds,
      price: maybe(Wei, 'Price reached within the horizon, in wei per gas; null: not measured'),
      probability: maybe(Ratio, 'That it is reached within the horizon'),
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
  validUntil: Timestamp,
  updatedAt: Timestamp,
});
export type GasRecommendation = z.infer<typeof GasRecommendation>;
