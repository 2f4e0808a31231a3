import * as z from 'zod';
import * as choices from './choices.ts';
import { whole } from './primitives.ts';

const Usd = z.number().min(choices.THRESHOLD_LEAST_USD).max(choices.MOST_COST_USD);
const Share = z.number().min(choices.THRESHOLD_LEAST_RATIO);
const action = z.enum(choices.WORK_WORDS).describe('A row of usual work');
const gas = whole(choices.WORK_GAS.least, choices.WORK_GAS.most).describe('So much gas');
const windowSec = whole(choices.WINDOW_SEC.least, choices.WINDOW_SEC.most)
  .multipleOf(60)
  .describe('How far the window reaches back, in whole minutes');
const usd = Usd.describe('US dollars in all, what a rollup takes for L1 included');
const shareRatio = Share.max(1).describe('Share of the dollars that the work costs at most, 0.02 for 2 %');
const ofUsd = Usd.describe('US dollars of which it is a share');

/** A rule for a price, as v1 writes it; one in gwei has a field of its own. */
export const ThresholdWire = z
  .union(
    [
      z.strictObject({ usd, action }),
      z.strictObject({ usd, gas }),
      z.strictObject({
        percentile: whole(1, 99).describe("Of the lane's price over the window"),
        windowSec,
      }),
      z.strictObject({
        belowMedianRatio: Share.lt(1).describe('How far below the median of the window, 0.25 for 25 %'),
        windowSec,
      }),
      z.strictObject({ shareRatio, ofUsd, action }),
      z.strictObject({ shareRatio, ofUsd, gas }),
    ],
    'must be one of {"usd": 0.4, "action": "swap"}, {"usd": 2, "gas": 200000}, {"percentile": 20, "windowSec": 604800}, {"belowMedianRatio": 0.25, "windowSec": 604800}, {"shareRatio": 0.02, "ofUsd": 35, "action": "swap"}',
  )
  .meta({ id: 'Threshold', description: 'A rule in dollars or against history, for which a price stands' });
