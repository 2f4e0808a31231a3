import {
  alertRuleOf,
  loadDayPrices,
  loadPastBasis,
  previewOver,
  previewWords,
} from '../../../client/alert-preview.ts';
import { alertThreshold, priceNow, windowSecOf } from '../../../client/threshold-basis.ts';
import {
  type AlertCondition,
  type AlertThreshold,
  alertState,
  describeReach,
  distanceToThreshold,
} from '../../../client/views/alert-texts.ts';
import type { AlertView, NewAlert } from '../../../client/views/alerts.ts';
import { describeDistance } from '../../../client/views/distance.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { watchedPrice } from '../../../client/views/gas-texts.ts';
import { laneOf, pricedLaneOf } from '../../../client/views/words.ts';
import { ALERT_CONDITIONS } from '../../../contract/choices.ts';
import { NO_BLOBS } from '../../../core/advice.ts';
import {
  isPricedByHistory,
  type PriceOrReason,
  type Threshold,
  thresholdText,
} from '../../../core/threshold/threshold.ts';
import { DAY_SEC, HOUR_SEC } from '../../../core/time.ts';
import { formatDuration, formatGwei, shortGwei } from '../../../core/units.ts';
import { useMonitor } from '../../data/monitor-context.ts';
import { useMonitorQuery } from '../../data/polled-query.ts';
import { SETTLED_MS, useReach } from '../../data/queries.ts';
import { weiOfTypedGwei } from '../../input/form.ts';
import { usePane } from '../../ui/pane-context.tsx';
import { shortStart, untilText } from '../../ui/time.ts';
import { useElapsed } from '../../ui/use-elapsed.ts';
import type { AlertDraft } from './alert-draft.ts';

/**
 * What would become of the alert now: its price beside its threshold, how likely that comes, and what it would have done.
 * @param threshold as typed; `null`: it is none yet
 * @param alert `null`: it cannot be saved as it is typed
 * @param changed the alert that is changed; `null`: it is a new one
 */
export function useAlertOutlook(
  draft: AlertDraft,
  threshold: Threshold | null,
  alert: NewAlert | null,
  changed: AlertView | null,
) {
  const { snapshot, present } = usePane();
  const { gasSpeed, condition } = draft;
  const watched = { gasSpeed, condition, ...useThresholdNow(threshold, draft) };
  const distance = distanceToThreshold(watched, snapshot);
  const blocks = alert?.confirmBlocks ?? 1;
  const fires = changed === null ? firesNext(blocks) : whenItFires(changed, blocks, snapshot, present);
  return {
    watched,
    beside: besideThreshold(watched, distance, snapshot),
    reach: useThresholdReach(watched, distance, fires),
    preview: useAlertPreview(alert, (at) => untilText(at, present)),
  };
}

type Distance = ReturnType<typeof distanceToThreshold>;

/** `(0.21 gwei now), has to fall 21 %`, `(no dollar price of ETH)`; of a price in gwei `now 0.0507, has to fall 21 %`. */
function besideThreshold(
  { gasSpeed, rule, threshold, thresholdReason }: AlertCondition,
  distance: Distance,
  snapshot: SnapshotView,
): string | null {
  const lane = pricedLaneOf(gasSpeed);
  const present = lane && watchedPrice(snapshot, lane);
  const price = lane && (present === null ? NO_BLOBS : `now ${formatGwei(present)}`);
  const stands = threshold === null ? thresholdReason : `${shortGwei(threshold)} gwei now`;
  const looking = lane === null ? '' : 'what it is in gwei: looking …';
  const now = rule === null ? price : stands ? `(${stands})` : looking;
  return distance === null ? now : [now, describeDistance(distance)].filter((text) => text).join(', ');
}

/** It reads a day block by block: a minute more of it changes little. */
const PREVIEW_MS = 300_000;

function useAlertPreview(alert: NewAlert | null, timeText: (ms: number) => string): string | null {
  const { isOwnService: thorough } = useMonitor();
  const { snapshot } = usePane();
  const rule = alert && alertRuleOf(alert);
  const lane = rule?.lane ?? null;
  const windowSec = rule === null || rule.threshold.kind === 'gwei' ? null : windowSecOf(rule.threshold);
  const { data: day, ...days } = useMonitorQuery({
    key: ['alert-preview', lane],
    enabled: lane !== null,
    ask: async (client) => lane && loadDayPrices(client, lane, thorough),
    shortFrom: (prices) => (prices && lane !== 'blob' ? shortStart(prices.from, prices.to, '24h') : null),
    head: snapshot,
    freshMs: PREVIEW_MS,
  });
  const { data: past = null, ...pasts } = useMonitorQuery({
    // As far back as the prices reach.
    key: ['alert-past', lane, windowSec, day ? shortStart(day.from, day.to, '24h') : null],
    enabled: windowSec !== null && day !== undefined,
    ask: async (client) =>
      lane && day && windowSec !== null
        ? loadPastBasis(client, windowSec, { lane, day, snapshot, thorough })
        : null,
    head: snapshot,
    freshMs: 60_000,
  });
  if (rule === null) return null;
  if (day && (windowSec === null || past !== null)) {
    return previewWords(previewOver(rule, day, past), timeText);
  }
  const error = days.error ?? pasts.error;
  return error === null
    ? 'looking at the last 24 h …'
    : `cannot be previewed: ${error.message.replaceAll('\n', ' ')}`;
}

const PRICED_EVERY_MS = 60_000;

/** A threshold as typed with what it stands for now; nothing while that is looked up. */
function useThresholdNow(
  threshold: Threshold | null,
  { gasSpeed, condition }: Pick<AlertDraft, 'gasSpeed' | 'condition'>,
): AlertThreshold {
  const { isOwnService: thorough, intervalMs } = useMonitor();
  const { snapshot } = usePane();
  const rule = threshold === null || threshold.kind === 'gwei' ? null : threshold;
  const lane = pricedLaneOf(gasSpeed);
  const side = ALERT_CONDITIONS.find((word) => word === condition);
  const isPriced = rule !== null && lane !== null && side !== undefined;
  const text = rule && thresholdText(rule);
  const settled = useElapsed(SETTLED_MS, text);
  const isCheap = thorough && rule !== null && !isPricedByHistory(rule);
  const { data, error } = useMonitorQuery<PriceOrReason | null>({
    key: ['threshold', text, lane, side],
    enabled: isPriced && settled,
    ask: async (client, signal) =>
      isPriced ? priceNow(client, rule, side, { lane, snapshot, thorough }, { signal }) : null,
    everyMs: isCheap ? intervalMs : PRICED_EVERY_MS,
    freshMs: isCheap ? intervalMs : PRICED_EVERY_MS,
  });
  if (threshold === null) return { rule: null, threshold: null, thresholdReason: null };
  if (threshold.kind === 'gwei') return alertThreshold(threshold, threshold);
  const failure = error && { reason: error.message.replaceAll('\n', ' ') };
  return alertThreshold(threshold, data ?? failure);
}

const firesNext = (blocks: number) =>
  `it fires ${blocks === 1 ? 'with the next block' : `once that holds for ${blocks} blocks`}`;

/** When an alert that is there fires at its price: a change leaves its cooldown as it is. */
function whenItFires(alert: AlertView, blocks: number, snapshot: SnapshotView, present: number): string {
  const state = alertState(alert, snapshot, present);
  if (state.kind === 'disabled') return 'it fires once it is enabled';
  if (state.kind === 'cooling')
    return `it may fire once its cooldown is over, in ${formatDuration((state.until - present) / 1_000)}`;
  return state.kind === 'leaving' ? 'it fires once the price has left and come back' : firesNext(blocks);
}

const LOOKING_AHEAD = 'how likely it is reached: looking …';

function useThresholdReach(watched: AlertCondition, distance: Distance, fires: string): string | null {
  const { gasSpeed, condition, rule, threshold, thresholdReason } = watched;
  const { isOwnService } = useMonitor();
  const isForecast = condition === 'LESS_THAN' && laneOf(gasSpeed) !== null;
  const wanted = distance === null || distance.isThere || !isForecast ? null : threshold;
  // What a rule stands for moves with each block: the likelihood is that of the figure beside it.
  const price = rule === null || wanted === null ? wanted : (weiOfTypedGwei(shortGwei(wanted)) ?? wanted);
  const hour = useReach(isOwnService ? price : null, HOUR_SEC);
  const day = useReach(price, DAY_SEC);
  if (distance?.isThere) return `reached now: ${fires}`;
  // What a rule stands for is not known yet.
  if (isForecast && rule !== null && threshold === null && thresholdReason === null) return LOOKING_AHEAD;
  if (price === null)
    return distance === null
      ? null
      : `how likely the price ${distance.ratio < 0 ? 'falls' : 'rises'} so far is not forecast`;
  if (day.data === undefined && day.error === null) return LOOKING_AHEAD;
  const words = describeReach([
    { withinSec: HOUR_SEC, reach: hour.data ?? null },
    { withinSec: DAY_SEC, reach: day.data ?? null },
  ]);
  return rule === null || words === null ? words : `${words}, for ${formatGwei(price)} gwei, its price now`;
}
