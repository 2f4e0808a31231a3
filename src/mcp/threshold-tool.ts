import * as z from 'zod';
import { ifTold } from '../client/errors.ts';
import { priceNow } from '../client/threshold-basis.ts';
import { watchedPrice } from '../client/views/gas-texts.ts';
import { AlertCreation } from '../contract/alerts.ts';
import * as choices from '../contract/choices.ts';
import { maybe } from '../contract/primitives.ts';
import { holds } from '../core/alerts/alert-rule.ts';
import {
  parseThreshold,
  THRESHOLD_FORMS,
  type Threshold,
  thresholdText,
} from '../core/threshold/threshold.ts';
import { DAY_SEC, HOUR_SEC } from '../core/time.ts';
import { Count, each, Gwei, reading, readRule, Text } from './tool.ts';

/** A threshold in one text, since schemas of tools stay plain. */
export const Written = z
  .string()
  .min(1)
  .max(100)
  .describe(
    `What the price is compared with: ${THRESHOLD_FORMS}. The dollars are what that work costs in all, L1 included; p20/7d is the 20 % point of the lane's price over 7 days, -25%/7d so much below its median`,
  );

/** @throws ToolError that says what to write */
export const readWritten = (text: string): Threshold => readRule('threshold', text, parseThreshold);

const { gasSpeed, condition } = AlertCreation.shape;

export const threshold = reading({
  name: 'threshold',
  title: 'What a threshold stands for now',
  description:
    'The price per gas that a threshold stands for now, such as what a swap for $0.40 allows or the 20 % point of the last 7 days, beside the present price and how likely it is reached. Rules move with the price of the coin, L1 fees and the past: it is the price of now.',
  input: z.strictObject({
    threshold: Written,
    gasSpeed: gasSpeed.default('AVERAGE'),
    condition: condition.default('LESS_THAN'),
  }),
  output: {
    threshold: Text.describe('As it was understood'),
    priceGwei: maybe(Gwei, 'What it stands for now; null: unknown'),
    reason: maybe(Text, 'Why that is unknown: an alert with it waits'),
    ...each(Gwei, 'laneGwei'),
    isReached: maybe(z.boolean(), 'Whether the price of the lane is on its side of the threshold'),
    probabilityHour: maybe(Count, 'That the price comes down to it within an hour, 0 to 1'),
    probabilityDay: maybe(Count, 'The same within a day'),
  },
  run: async ({ client, signal }, given) => {
    const written = readWritten(given.threshold);
    const lane = choices.LANE_OF_SPEED[given.gasSpeed];
    const snapshot = await client.gasCurrent({ signal });
    const priced = { lane, snapshot, thorough: false };
    const found = await priceNow(client, written, given.condition, priced, { signal });
    const price = 'price' in found ? found.price : null;
    const present = watchedPrice(snapshot, lane);
    const rule = price === null ? null : { condition: given.condition, threshold: price };
    const isReached = rule === null || present === null ? null : holds(rule, present);
    const likely = async (deadlineSec: number) => {
      if (price === null || given.condition !== 'LESS_THAN' || isReached || lane === 'blob') return null;
      const query = { reach: { targetPrice: price, deadlineSec }, signal };
      // The price is worth telling where a service has no forecast.
      return (await ifTold(client.gasRecommendation(query)))?.reach?.probability ?? null;
    };
    return {
      threshold: thresholdText(written),
      price,
      reason: 'reason' in found ? found.reason : null,
      lane: present,
      isReached,
      probabilityHour: await likely(HOUR_SEC),
      probabilityDay: await likely(DAY_SEC),
    };
  },
});
