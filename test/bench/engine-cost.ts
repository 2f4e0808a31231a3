import { FeeEngine } from '../../src/core/fee-engine.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/fee-rule.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';

const DAY_BLOCKS = 7_200;
const MONTH_BLOCKS = 30 * DAY_BLOCKS;
const MEASURED_BLOCKS = 2_000;
/** The median of this many stretches: a collection or a neighbour disturbs one of them, not most. */
const STRETCHES = 5;

export interface EngineCost {
  /** Microseconds to digest one block and advise, with one day and with thirty days of history behind it. */
  readonly microsPerBlockAtOneDay: number;
  readonly microsPerBlockAtThirtyDays: number;
  /** Cost at thirty days over cost at one day; 1 is the aim. */
  readonly ratio: number;
}

/** Measures what one mainnet-like block costs the fee engine as history grows; takes about half a minute. */
export function measureEngineCost(): EngineCost {
  const measured = STRETCHES * MEASURED_BLOCKS;
  const blocks = makeBlocks(restlessSteps(MONTH_BLOCKS + measured));
  const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE, capacity: MONTH_BLOCKS });
  let next = 0;
  const feed = (count: number, advise: boolean): void => {
    for (const block of blocks.slice(next, next + count)) {
      engine.push(block);
      if (advise) engine.advice();
    }
    next += count;
  };
  const cost = (): number => {
    const stretches = Array.from({ length: STRETCHES }, () => {
      const from = performance.now();
      feed(MEASURED_BLOCKS, true);
      return ((performance.now() - from) * 1_000) / MEASURED_BLOCKS;
    });
    return stretches.toSorted((a, b) => a - b)[STRETCHES >> 1] ?? Number.NaN;
  };
  feed(DAY_BLOCKS, true);
  const microsPerBlockAtOneDay = cost();
  feed(MONTH_BLOCKS - next, false);
  const microsPerBlockAtThirtyDays = cost();
  return {
    microsPerBlockAtOneDay,
    microsPerBlockAtThirtyDays,
    ratio: microsPerBlockAtThirtyDays / microsPerBlockAtOneDay,
  };
}
