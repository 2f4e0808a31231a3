import {
  type Action,
  type AdviceRecord,
  HORIZONS_SEC,
  type Horizon,
  type Lane,
  type LaneName,
  type Recommendation,
  type Trend,
} from '../advice.ts';
import { HOUR_SEC } from '../time.ts';
import {
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  formatSaving,
  formatSpan,
  formatStated,
} from '../units.ts';
import { type History, REWIND_DEPTH, wholeWei } from './history.ts';
import { type Forecast, type Horizons, LEAST_PROBABILITY, LEAST_SAVING, type Outcome } from './horizons.ts';
import type { LaneScorer } from './lanes.ts';

interface Grounds {
  readonly patienceSec: number;
  readonly decision: Decision;
  readonly forecasts: readonly Forecast[];
  readonly trend: Trend;
  readonly daySec: number;
  /** Wei per gas, at the floor. */
  readonly floor?: bigint | null;
}

interface RecommendationInput extends Grounds {
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly blockSec: number;
  readonly isPaceKnown: boolean;
  /** Share of the history behind sending now that has been judged, 0 to 1. */
  readonly sendNowJudgedRatio: number;
  readonly track: Recommendation['track'];
}

/** Confidence is 0 when the actual share is this far below the stated one. */
const LOST_AT = 0.2;

/** Sending now refers to the Average lane, waiting to one of the alternatives, with its figures. */
export function recommendation(given: RecommendationInput): Recommendation {
  const input = given.lanes.average.price < LARGEST_WEI ? given : withoutForecasts(given);
  const { decision, forecasts, track, lanes, blockSec, isPaceKnown, patienceSec } = input;
  const { price, waitSec, withinBlocks, probability, reason } = lanes.average;
  const reasons = reasonsFor(input);
  if (!isPaceKnown) {
    const every = formatDuration(blockSec);
    reasons.push(`how often blocks come is not known yet: times are as if one came every ${every}`);
  }
  if (decision === null && isMeasured(forecasts) && reason !== null) {
    reasons.push(`no probability of getting in: ${reason}`);
  }
  return {
    patienceSec,
    ...(decision === null
      ? {
          lane: 'average',
          targetPrice: price,
          expectedWaitSec: waitSec.p50,
          deadlineSec: withinBlocks * blockSec,
          probability,
          expectedSavingRatio: 0,
        }
      : {
          lane: 'slow',
          targetPrice: BigInt(wholeWei(decision.price)),
          expectedWaitSec: decision.record.meanWaitSec,
          deadlineSec: decision.horizonSec,
          probability: decision.probability,
          expectedSavingRatio: saving(decision),
        }),
    action: input.floor != null ? 'SEND_NOW' : isMeasured(forecasts) ? advisedAction(decision) : null,
    confidence: confidence(decision?.record.judgedRatio ?? input.sendNowJudgedRatio, track),
    reasons,
    alternatives: forecasts.map(toHorizon),
    track,
  };
}

const LARGEST_WEI = BigInt(Number.MAX_SAFE_INTEGER);

/** Prices that the engine cannot tell apart have no advice. */
const withoutForecasts = (input: RecommendationInput): RecommendationInput => ({
  ...input,
  decision: null,
  forecasts: input.forecasts.map((forecast) => ({
    ...forecast,
    probability: null,
    reason: () => 'the base fee is above 9,007,199 gwei',
  })),
});

const isMeasured = (forecasts: readonly Forecast[]) =>
  forecasts.some(({ probability }) => probability !== null);

/** 0 to 100: the judged share of the history, times the accuracy of stated probabilities. */
function confidence(judgedRatio: number, { hitRatio, statedProbability }: AdviceRecord): number {
  if (hitRatio === null || statedProbability === null) return 0;
  // More successes than stated are no fault.
  const short = Math.max(statedProbability - hitRatio, 0);
  return Math.round(100 * Math.min(judgedRatio, 1) * Math.max(1 - short / LOST_AT, 0));
}

/** Without measurements there is only the reason. */
export function toHorizon({ horizonSec, probability, reason: why, ...figures }: Forecast): Horizon {
  const reason = why();
  const { price, savingRatio, missRatio, windows, windowsKept, isCeiling } = figures;
  return probability === null
    ? { horizonSec, probability, reason, ...UNMEASURED }
    : {
        ...{ horizonSec, probability, reason, savingRatio, windows, windowsKept, isCeiling },
        price: BigInt(wholeWei(price)),
        // Where the price came in every window, no miss was measured.
        missRatio: windowsKept === windows ? null : missRatio,
      };
}

const UNMEASURED = {
  price: null,
  savingRatio: null,
  missRatio: null,
  windows: null,
  windowsKept: null,
  isCeiling: null,
};

/** With less than a minute of history a mean is meaningless. */
const LEAST_RANKED_SEC = 60;

/** Short plain sentences, the decisive one first. Each figure comes from one of the alternatives. */
export const reasonsFor = (grounds: Grounds): string[] => [...decisive(grounds), ...movement(grounds)];

function decisive({ decision, forecasts, patienceSec, floor = null }: Grounds): string[] {
  if (floor !== null) return [`next base fee is at its floor of ${formatGwei(floor)} gwei and cannot fall`];
  if (!isMeasured(forecasts)) return [`no advice yet: ${forecasts[0]?.reason() ?? 'too little history'}`];
  return whyNot(forecasts, patienceSec, decision);
}

/** In one line of 80 columns: why not to wait, where the decision is to send, and what more patience would bring. */
export function whyNot<Row extends PricedWait>(
  waits: readonly Row[],
  patienceSec: number,
  decision: Row | null,
): string[] {
  const best = decide(waits, Number.POSITIVE_INFINITY);
  const isMore = best !== null && best.horizonSec > patienceSec && saving(best) > saving(decision);
  const parts = [
    ...(decision === null ? [refusal(waits, patienceSec)] : []),
    ...(isMore ? [waitWords(best)] : []),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/** `for 1d: 0.117, ≤ 79 % likely, saves 39 %` */
function waitWords({ horizonSec, price, probability, isCeiling, savingRatio }: PricedWait): string {
  const facts = [
    ...(price === null ? [] : [formatGwei(price)]),
    `${formatStated(probability ?? 0, isCeiling === true)} likely`,
    formatSaving(savingRatio ?? 0),
  ];
  return `for ${formatDuration(horizonSec)}: ${facts.join(', ')}`;
}

function refusal(waits: readonly PricedWait[], patienceSec: number): string {
  const [shortest] = HORIZONS_SEC;
  if (patienceSec < shortest) return `the shortest wait takes ${formatDuration(shortest)}`;
  const found = waits.filter((each) => each.horizonSec <= patienceSec && each.probability !== null);
  const ofValue = found.filter((each) => Math.round(saving(each) * 100) > 0);
  const why =
    ofValue.length === 0 ? 'save nothing' : ofValue.some(isLikely) ? 'save too little' : 'are too unlikely';
  return `waits up to ${formatDuration(patienceSec)} ${why}`;
}

function movement({ trend: { direction, changeRatio }, daySec }: Grounds): string[] {
  if (daySec < LEAST_RANKED_SEC) return [];
  const mean = `the mean of the last ${daySec >= 0.99 * HOUR_SEC ? 'hour' : formatSpan(daySec)}`;
  if (direction === 'STABLE') return [`next base fee is close to ${mean}`];
  return direction === 'RISING'
    ? [`next base fee is ${formatPercent(changeRatio)} above ${mean}`]
    : [`next base fee is ${formatLikelihood(-changeRatio)} below ${mean}`];
}

/** A user can wait this long at the terminal; beyond it an alert is better. */
const LONGEST_WAIT_SEC = HOUR_SEC;
/** An alert hours ahead needs a higher saving than a wait of minutes. */
const LEAST_ALERT_SAVING = 0.1;

/** A row of the table of waits, of this engine or of another service, as far as the rule looks at it. */
export interface Wait {
  readonly horizonSec: number;
  readonly probability: number | null;
  readonly savingRatio: number | null;
}

interface PricedWait extends Wait {
  /** Wei per gas. */
  readonly price: bigint | number | null;
  readonly isCeiling: boolean | null;
}

/** The forecast to wait for; `null` for sending now. */
type Decision = Forecast | null;

export const advisedAction = (decision: Wait | null): Action =>
  decision === null ? 'SEND_NOW' : decision.horizonSec <= LONGEST_WAIT_SEC ? 'WAIT' : 'SET_ALERT';

/** The highest saving within the patience that is worth it and likely enough; of equal ones the shorter. */
export const decide = <Row extends Wait>(waits: readonly Row[], patienceSec: number): Row | null =>
  mostSaving(waits.filter((each) => each.horizonSec <= patienceSec && isWorthwhile(each)));

const isWorthwhile = (wait: Wait) => isLikely(wait) && saving(wait) >= leastSaving(wait.horizonSec);
const isLikely = ({ probability }: Wait) => (probability ?? 0) >= LEAST_PROBABILITY;
const saving = (wait: Wait | null) => wait?.savingRatio ?? 0;
const leastSaving = (horizonSec: number) =>
  horizonSec <= LONGEST_WAIT_SEC ? LEAST_SAVING : LEAST_ALERT_SAVING;

/** The row with the highest saving; of equals the sooner one. */
function mostSaving<Row extends Wait>(waits: readonly Row[]): Row | null {
  let best: Row | null = null;
  for (const wait of waits) if (best === null || saving(wait) > saving(best)) best = wait;
  return best;
}

/** A wait that was best stays for at most so many blocks, while it is worthwhile. */
const HOLD_BLOCKS = 3;

/** Number of scored recommendations. */
const SCORED = 100;
/** Advice of neighbouring blocks comes true or fails together: for a patience it is scored so many times as long as it lasts. */
const SCORED_A_PATIENCE = 12;
/** At most so many are searched for them: younger ones are running. */
const SEARCHED = 1_000;

/**
 * The advice for each horizon as the longest within the patience: decides at each block and scores what has ended.
 * @param blockSec the chain's nominal pace
 */
export function createTrackRecord(history: History, blockSec: number, sent: LaneScorer, horizons: Horizons) {
  /** Stated probability of sending now, `NaN` for none. */
  const sendStated = history.column(REWIND_DEPTH + sent.withinBlocks + 1);
  const records = HORIZONS_SEC.map(createRecord);

  function createRecord(patienceSec: number) {
    /** Horizon of the best wait, and of the advised one, in seconds; 0 for sending now. */
    const best = history.column(HOLD_BLOCKS + 1);
    const advised = history.column(REWIND_DEPTH + 1);
    /** Of every `pace`-th block: the advised wait, and what came of sending at once. */
    const pace = Math.max(Math.round(patienceSec / SCORED_A_PATIENCE / blockSec), 1);
    const wait = history.column(SEARCHED);
    const send = {
      stated: history.column(SEARCHED),
      kept: history.column(SEARCHED),
      saved: history.column(SEARCHED),
    };

    /** Advice that changes with every block is noise. */
    function steady(found: Decision, forecasts: readonly Forecast[]): Decision {
      const { head, oldest } = history;
      if (head === oldest) return found;
      const before = advised.at(head - 1);
      const standing = forecastOf(forecasts, before);
      if (standing === null || !isWorthwhile(standing)) return found;
      for (let block = head - 1; block >= Math.max(head - HOLD_BLOCKS, oldest); block -= 1) {
        if (best.at(block) === before) return standing;
      }
      return found;
    }

    return {
      patienceSec,
      advised,
      push(forecasts: readonly Forecast[]): void {
        const { head, oldest } = history;
        const found = decide(forecasts, patienceSec);
        best.put(head, found?.horizonSec ?? 0);
        const waitSec = steady(found, forecasts)?.horizonSec ?? 0;
        advised.put(head, waitSec);
        if (head % pace === 0) wait.put(head / pace, waitSec);
        const ended = head - sent.withinBlocks;
        if (ended < oldest || ended % pace > 0) return;
        send.stated.put(ended / pace, sendStated.at(ended));
        send.kept.put(ended / pace, sent.kept.at(ended));
        send.saved.put(ended / pace, sent.saved.at(ended));
      },
      /** What came of the advice that is scored, youngest first; not of what runs, or stated no probability. */
      *outcomes(): Generator<Outcome & { readonly isWait: boolean }> {
        const { head, oldest } = history;
        const newest = Math.floor(head / pace);
        const first = Math.max(Math.ceil(oldest / pace), newest - SEARCHED + 1);
        for (let state = newest; state >= first; state -= 1) {
          const block = state * pace;
          const waitSec = wait.at(state);
          const isWait = waitSec > 0;
          const outcome = isWait ? horizons.outcomeAt(waitSec, block) : sendOutcomeAt(block);
          if (outcome !== null) yield { ...outcome, isWait };
        }
      },
    };

    function sendOutcomeAt(block: number): Outcome | null {
      const state = block / pace;
      const stated = send.stated.at(state);
      if (block + sent.withinBlocks > history.head || Number.isNaN(stated)) return null;
      return { stated, isKept: send.kept.at(state) === 1, saved: send.saved.at(state) };
    }
  }

  const recordFor = (patienceSec: number) => records.findLast((each) => each.patienceSec <= patienceSec);

  return {
    /** Decides at the head and stores it. @param sendProbability of sending now; `null` for none */
    push(forecasts: readonly Forecast[], sendProbability: number | null): void {
      const { head } = history;
      for (const record of records) record.push(forecasts);
      sendStated.put(head, sendProbability ?? Number.NaN);
    },
    /** The advice at the head. */
    decision: (forecasts: readonly Forecast[], patienceSec: number): Decision =>
      forecastOf(forecasts, recordFor(patienceSec)?.advised.at(history.head) ?? 0),
    /** The last hundred ended recommendations of those that are scored, and the last hundred of either kind. */
    score(patienceSec: number): Recommendation['track'] {
      const all: Outcome[] = [];
      const waits: Outcome[] = [];
      const sends: Outcome[] = [];
      for (const outcome of recordFor(patienceSec)?.outcomes() ?? []) {
        const kind = outcome.isWait ? waits : sends;
        if (kind.length < SCORED) kind.push(outcome);
        if (all.length < SCORED) all.push(outcome);
        if (waits.length === SCORED && sends.length === SCORED) break;
      }
      return { ...recordOf(all), waits: recordOf(waits), sends: recordOf(sends) };
    },
  };
}

function recordOf(outcomes: readonly Outcome[]): AdviceRecord {
  const evaluated = outcomes.length;
  if (evaluated === 0) return { evaluated, hitRatio: null, statedProbability: null, savingRatio: null };
  const mean = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / evaluated;
  return {
    evaluated,
    hitRatio: mean(({ isKept }) => Number(isKept)),
    statedProbability: mean(({ stated }) => stated),
    savingRatio: mean(({ saved }) => saved),
  };
}

export const NO_TRACK = { ...recordOf([]), waits: recordOf([]), sends: recordOf([]) };

const forecastOf = (forecasts: readonly Forecast[], waitSec: number): Decision =>
  forecasts.find(({ horizonSec }) => horizonSec === waitSec) ?? null;
