import type { LanePrices } from '../../../src/core/advice.ts';
import type { AlertRule, KeptAlert } from '../../../src/core/alerts/alert-rule.ts';
import type { Block } from '../../../src/core/block.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { keptAlert } from '../../store/alerts/kept-alerts.ts';

/** Long enough that a day, which each start reads, is a few hundred blocks. */
const SPACING_SEC = 240;
const SPACING_MS = SPACING_SEC * 1_000;

/** The chain that the process of crash.test.ts follows: always the same, and without an end. */
export const blockOf = (number: number): Block =>
  makeBlock(number, { timestamp: makeBlock(0).timestamp + number * SPACING_SEC });

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

export function storyAlerts(hookUrl: string): KeptAlert[] {
  return Array.from({ length: 40 }, (_, place) => {
    const rule: AlertRule = {
      lane: (['slow', 'average', 'fast'] as const)[place % 3] ?? 'slow',
      condition: place % 2 === 0 ? 'LESS_THAN' : 'GREATER_THAN',
      threshold: BigInt(110 + ((place * 17) % 80)),
      hysteresis: BigInt((place % 4) * 5),
      confirmBlocks: 1 + (place % 3),
      cooldownMs: ((place * 29) % 120) * SPACING_MS,
      disableOnce: place % 10 === 9,
    };
    return keptAlert(`a${String(place).padStart(2, '0')}`, rule, {
      method: 'WEBHOOK',
      channels: ['WEBHOOK'],
      targets: { WEBHOOK: hookUrl },
    });
  });
}
