import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AlertPhase,
  type AlertRule,
  ARMED,
  changedPhase,
  DISABLED,
  enabledPhase,
  type PriceAtBlock,
  previewAlert,
  stepAlert,
  stepMissed,
  wakesOf,
} from '../../../src/core/alerts/alert-rule.ts';
import { rounds } from '../../helpers/rounds.ts';
import { someRule } from './some-rule.ts';

function someSeries(past: boolean): fc.Arbitrary<ModelBlock[]> {
  const step = fc.record({
    price: fc.bigInt({ min: 0n, max: 12n }),
    sec: fc.constantFrom(0, 1, 12, 12, 12, 24),
    turns: fc.integer({ min: 0, max: past ? 5 : 0 }),
  });
  return fc.array(step, { maxLength: 60 }).map((steps) => {
    let timestamp = 1_000;
    let isMissed = false;
    return steps.map(({ price, sec, turns }, place) => {
      timestamp += sec;
      if (turns === 1) isMissed = !isMissed;
      return { number: 100 + place, timestamp, price, isMissed };
    });
  });
}

interface ModelBlock extends PriceAtBlock {
  readonly isMissed: boolean;
}

interface ModelOutcome {
  readonly fired: readonly number[];
  readonly missed: readonly number[];
}

/**
 * What the contract says of an alert that is armed before the first of `blocks`, in its words and from the whole series
 * at each block, with no state but where it fired: it fires where it is armed and the condition has been true for
 * `confirmBlocks` blocks of that time. After that it is armed again once `cooldownMs` are over and, with a hysteresis or
 * without a cooldown, the price has left the threshold by the hysteresis; never with `disableOnce`. Blocks that are past fire nothing; each time the condition
 * came to have been true for long enough there is one missed firing.
 */
function modelAlert(rule: AlertRule, blocks: readonly ModelBlock[]): ModelOutcome {
  const fired: number[] = [];
  const missed: number[] = [];
  for (const [place, { isMissed }] of blocks.entries()) {
    const armedAt = armedSince(rule, blocks.slice(0, place + 1), fired.at(-1) ?? null);
    if (armedAt === null) continue;
    let held = 0;
    while (place - held >= armedAt && isTrue(rule, blocks[place - held])) held += 1;
    if (isMissed && held === rule.confirmBlocks) missed.push(place);
    if (!isMissed && held >= rule.confirmBlocks) fired.push(place);
  }
  return { fired, missed };
}

/** The first place from which the alert is armed, of those so far. */
function armedSince(rule: AlertRule, blocks: readonly ModelBlock[], lastFired: number | null): number | null {
  if (lastFired === null) return 0;
  if (rule.disableOnce) return null;
  const firedMs = (blocks[lastFired]?.timestamp ?? 0) * 1_000;
  let hasLeft = rule.hysteresis === 0n && rule.cooldownMs > 0;
  for (const [place, block] of blocks.entries()) {
    if (place <= lastFired) continue;
    hasLeft ||= isOutside(rule, block);
    if (hasLeft && block.timestamp * 1_000 - firedMs >= rule.cooldownMs) return place;
  }
  return null;
}

function isTrue({ condition, threshold }: AlertRule, block: ModelBlock | undefined): boolean {
  if (block === undefined) return false;
  return condition === 'LESS_THAN' ? block.price < threshold : block.price > threshold;
}

function isOutside({ condition, threshold, hysteresis }: AlertRule, { price }: ModelBlock): boolean {
  if (condition === 'LESS_THAN') return price >= threshold + hysteresis;
  return price <= (threshold > hysteresis ? threshold - hysteresis : 0n);
}

/** Holds of every rule over every series, with blocks that are past among them or without. */
const everyRule = (past: boolean, check: (rule: AlertRule, blocks: ModelBlock[]) => void): void =>
  fc.assert(fc.property(someRule, someSeries(past), check), { numRuns: rounds(3_000), seed: 4 });

const RULE: AlertRule = {
  lane: 'average',
  condition: 'LESS_THAN',
  threshold: 10n,
  hysteresis: 0n,
  confirmBlocks: 1,
  cooldownMs: 60_000,
  disableOnce: false,
};

interface Walk extends ModelOutcome {
  readonly phases: readonly AlertPhase[];
}

function walk(rule: AlertRule, blocks: readonly ModelBlock[], { asleep = false } = {}): Walk {
  let phase = ARMED;
  const fired: number[] = [];
  const missed: number[] = [];
  const phases: AlertPhase[] = [];
  for (const [place, block] of blocks.entries()) {
    if (!asleep || isWoken(rule, phase, block)) {
      if (block.isMissed) {
        const step = stepMissed(rule, phase, block);
        if (step.missesFiring) missed.push(place);
        phase = step.phase;
      } else {
        const step = stepAlert(rule, phase, block);
        if (step.fires) fired.push(place);
        phase = step.phase;
      }
    }
    phases.push(phase);
  }
  return { fired, missed, phases };
}

function isWoken(
  rule: AlertRule,
  phase: AlertPhase,
  { number, timestamp, price, isMissed }: ModelBlock,
): boolean {
  const { atMost, atLeast, fromBlock, fromMs } = wakesOf(rule, phase);
  return (
    (atMost !== null && price <= atMost) ||
    (atLeast !== null && price >= atLeast) ||
    (fromBlock !== null && (isMissed ? number === fromBlock : number >= fromBlock)) ||
    (fromMs !== null && timestamp * 1_000 >= fromMs)
  );
}

const blocksAt = (...prices: number[]): ModelBlock[] =>
  prices.map((price, place) => ({
    number: 100 + place,
    timestamp: 1_000 + place * 12,
    price: BigInt(price),
    isMissed: false,
  }));

describe('an alert', () => {
  it('fires where the contract says and nowhere else, misses each time of past blocks once', () => {
    everyRule(true, (rule, blocks) => {
      const { fired, missed } = walk(rule, blocks);
      expect({ fired, missed }).toEqual(modelAlert(rule, blocks));
    });
  });

  it('that is looked at only when a block wakes it is as one that is looked at at every block', () => {
    everyRule(true, (rule, blocks) => {
      expect(walk(rule, blocks, { asleep: true })).toEqual(walk(rule, blocks));
    });
  });

  it('is previewed as it would have fired', () => {
    everyRule(false, (rule, blocks) => {
      const { fired } = modelAlert(rule, blocks);
      const last = blocks[fired.at(-1) ?? -1] ?? null;
      expect(
        previewAlert(
          rule,
          blocks.map((block) => ({ ...block, threshold: rule.threshold })),
        ),
      ).toEqual({ times: fired.length, last });
    });
    expect(previewAlert(RULE, [])).toEqual({ times: 0, last: null });
  });
});

const staying = Array<number>(20).fill(9);

it.each<[string, Partial<AlertRule>, number[], number[]]>([
  ['a threshold is not below itself', {}, [11, 10, 10], []],
  ['nor above', { condition: 'GREATER_THAN' }, [9, 10, 10], []],
  ['and is left by reaching it', { cooldownMs: 0 }, [9, 9, 10, 9], [0, 3]],
  [
    'with a re-arm margin only beyond it',
    { cooldownMs: 0, hysteresis: 3n },
    [9, 10, 9, 12, 9, 13, 12, 9],
    [0, 7],
  ],
  ['a price that flickers confirms nothing', { confirmBlocks: 3 }, [9, 9, 10, 9, 9, 10, 9, 9, 9], [8]],
  ['a cooldown ends by the time of a block', { cooldownMs: 48_000 }, [9, 11, 9, 9, 9, 9], [0, 4]],
  ['with its last millisecond', { cooldownMs: 48_001 }, [9, 11, 9, 9, 9, 9], [0, 5]],
  ['and is the time between firings', {}, staying, [0, 5, 10, 15]],
  ['before confirmations', { confirmBlocks: 2 }, staying, [1, 7, 13, 19]],
  ['without one it fires once while the price stays', { cooldownMs: 0 }, staying, [0]],
  ['as with a re-arm margin', { hysteresis: 1n }, staying, [0]],
])('by example: %s', (_, change, prices, fired) => {
  expect(walk({ ...RULE, ...change }, blocksAt(...prices)).fired).toEqual(fired);
});

describe('enabling', () => {
  const FIRED_AT = 1_000_000;
  const alert = { rule: RULE, lastTriggeredAt: FIRED_AT };

  it('arms, but a cooldown that is running goes on', () => {
    expect(enabledPhase({ ...alert, lastTriggeredAt: null }, 1_000)).toEqual(ARMED);
    expect(enabledPhase(alert, null)).toEqual(ARMED);
    expect(enabledPhase(alert, 1_060)).toEqual(ARMED);
    const phase = enabledPhase(alert, 1_059);
    expect(phase).toEqual({ kind: 'cooling', cooldownUntil: FIRED_AT + 60_000, mustLeave: false });
    expect(stepAlert(RULE, phase, { number: 1, timestamp: 1_059, price: 9n }).fires).toBe(false);
    expect(stepAlert(RULE, phase, { number: 2, timestamp: 1_060, price: 9n }).fires).toBe(true);
  });

  it('arms an alert that fired in a future that comes again', () => {
    expect(enabledPhase({ ...alert, lastTriggeredAt: 3_600_001 }, 0)).toEqual(ARMED);
  });
});

describe('an alert that is changed', () => {
  const cooling = (mustLeave: boolean): AlertPhase => ({ kind: 'cooling', cooldownUntil: 90_000, mustLeave });
  const leaving = { ...RULE, hysteresis: 1n };

  it('counts its confirming blocks anew', () => {
    const phase = { kind: 'armed', trueSince: 7 } as const;
    expect(changedPhase({ rule: RULE, phase }, { ...RULE, confirmBlocks: 3 })).toEqual(ARMED);
  });

  it('cools down on, counted from its firing', () => {
    expect(changedPhase({ rule: RULE, phase: cooling(false) }, { ...RULE, threshold: 9n })).toEqual(
      cooling(false),
    );
    expect(changedPhase({ rule: RULE, phase: cooling(false) }, { ...RULE, cooldownMs: 10_000 })).toEqual({
      ...cooling(false),
      cooldownUntil: 40_000,
    });
  });

  it('waits for the price to leave the threshold where its new rule says so and it has not left yet', () => {
    const must = (rule: AlertRule, before: boolean, after: AlertRule) =>
      changedPhase({ rule, phase: cooling(before) }, after);
    expect(must(leaving, true, RULE)).toMatchObject({ mustLeave: false });
    expect(must(RULE, false, leaving)).toMatchObject({ mustLeave: true });
    expect(must(leaving, true, { ...leaving, threshold: 9n })).toMatchObject({ mustLeave: true });
    expect(must(leaving, false, leaving)).toMatchObject({ mustLeave: false });
  });

  it('stays disabled', () => {
    expect(changedPhase({ rule: RULE, phase: DISABLED }, leaving)).toEqual(DISABLED);
  });
});
