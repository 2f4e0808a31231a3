import { LANES, type LanePrices } from '../../../src/core/advice.ts';
import {
  type AlertRule,
  type DollarBasis,
  noPast,
  type StoredAlert,
} from '../../../src/core/alerts/alert-rule.ts';
import type { Block } from '../../../src/core/block.ts';
import type { RelativeThreshold } from '../../../src/core/threshold/threshold.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { storedAlert } from '../../store/alerts/stored-alerts.ts';

/** Long enough that a day, which each start reads, is a few hundred blocks. */
const SPACING_SEC = 240;
const SPACING_MS = SPACING_SEC * 1_000;

/** The chain that the process of crash.test.ts follows: always the same, and without an end. */
export const blockOf = (number: number): Block =>
  makeBlock(number, {
    timestamp: makeBlock(0).timestamp + number * SPACING_SEC,
    baseFeePerGas: wave(number, 73),
    tips: [0n, 0n, 0n, 0n, 0n, 0n, 0n],
  });

/** What the lanes cost after a block: they rise and fall, each in its own time, and flicker. */
export function pricesOf(number: number): LanePrices {
  return { slow: wave(number, 97), average: wave(number, 61), fast: wave(number, 41) };
}

function wave(number: number, period: number): bigint {
  const phase = (number % period) / period;
  const rise = phase < 0.5 ? phase * 2 : 2 - phase * 2;
  const flicker = ((number * 7_919) % 13) - 6;
  return BigInt(Math.round(100 + rise * 100) + flicker);
}

const GAS = 1_000_000_000;

/** Cents for a coin after a block: they rise and fall by a fifth, and at times nobody knows them. */
const centsOf = (number: number): number | null =>
  number % 89 < 3 ? null : 200_000 + 400 * (Number(wave(number, 53)) - 150);

/** What L1 takes after a block, wei for each gas. */
const l1Of = (number: number) => BigInt(number % 31 < 20 ? 0 : 20);

/** What rules in dollars are priced by after a block. */
export function basisOf(number: number): DollarBasis {
  const cents = centsOf(number);
  const fee = l1Of(number) * BigInt(GAS);
  return {
    key: `${cents} ${fee}`,
    nativeUsd: cents === null ? null : cents / 100,
    gasOf: () => GAS,
    dataFeeOf: () => fee,
    pastPrice: noPast,
  };
}

const HOUR_SEC = 3_600;
const SLOT_SEC = 300;

/** The price that a rule stands for after a block, by the story alone; `null`: it waits. */
export function thresholdOf(rule: AlertRule, number: number): bigint | null {
  const { relative, threshold, condition } = rule;
  if (relative == null) return threshold;
  const { written } = relative;
  const isLess = condition === 'LESS_THAN';
  if (written.kind === 'usd') {
    const cents = centsOf(number);
    if (cents === null) return null;
    const [units, per] = [BigInt(Math.round(written.usd * 1e6)) * 10n ** 14n, BigInt(cents) * BigInt(GAS)];
    const price = (isLess ? units / per : (units + per - 1n) / per) - l1Of(number);
    return price > 0n ? price : isLess ? null : 0n;
  }
  const { timestamp } = blockOf(number);
  const end = timestamp - (timestamp % SLOT_SEC);
  const slotOf = (each: number) => Math.floor(blockOf(each).timestamp / SLOT_SEC) * SLOT_SEC;
  if (written.kind !== 'percentile' || end - slotOf(0) < HOUR_SEC * 0.95) return null;
  const past = Array.from({ length: 20 }, (_, back) => number - back).filter(
    (each) => each >= 0 && slotOf(each) < end && slotOf(each) >= end - HOUR_SEC,
  );
  const means = [...Map.groupBy(past, slotOf).values()]
    .map((slot) => slot.reduce((sum, each) => sum + Number(wave(each, 73)), 0) / slot.length)
    .sort((a, b) => a - b);
  const at = ((means.length - 1) * written.percentile) / 100;
  const [low = 0, high = 0] = [means[Math.floor(at)], means[Math.ceil(at)]];
  return BigInt(Math.round(low + (high - low) * (at - Math.floor(at))));
}

/** Of every third alert, in dollars and against the hour before in turns. */
function ruleOf(place: number): RelativeThreshold | null {
  if (place % 3 !== 2) return null;
  const usd = Number(((110 + ((place * 17) % 80)) * 2e-6).toFixed(6));
  if (place % 4 === 1 || place % 4 === 2) return { kind: 'usd', usd, work: { gas: GAS } };
  return { kind: 'percentile', percentile: 20 + ((place * 13) % 60), windowSec: HOUR_SEC };
}

export function storyAlerts(hookUrl: string): StoredAlert[] {
  return Array.from({ length: 40 }, (_, place) => {
    const written = ruleOf(place);
    const rule: AlertRule = {
      lane: LANES[Math.floor(written === null ? place : place / 3) % 3] ?? 'slow',
      condition: place % 2 === 0 ? 'LESS_THAN' : 'GREATER_THAN',
      threshold: BigInt(110 + ((place * 17) % 80)),
      relative: written && { written, since: null, reason: null },
      hysteresis: BigInt((place % 4) * 5),
      confirmBlocks: 1 + (place % 3),
      cooldownMs: ((place * 29) % 120) * SPACING_MS,
      disableOnce: place % 10 === 9,
    };
    return storedAlert(`a${String(place).padStart(2, '0')}`, rule, {
      method: 'WEBHOOK',
      channels: ['WEBHOOK'],
      targets: { WEBHOOK: hookUrl },
    });
  });
}
