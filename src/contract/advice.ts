import * as z from 'zod';
import * as wire from './primitives.ts';
import { listOf, maybe, object, whole } from './primitives.ts';

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
