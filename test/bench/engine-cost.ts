import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';
import type { Row } from './row.ts';

const DAY_BLOCKS = 7_200;
const MONTH_BLOCKS = 30 * DAY_BLOCKS;
const MEASURED_BLOCKS = 2_000;
/** The median of this many stretches: a collection or a neighbour disturbs one of them, not most. */
const STRETCHES = 5;

/** What one mainnet-like block costs the fee engine as history grows; takes about half a minute. */
export function measureEngineCost(): Row {
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
  /** Microseconds to digest one block and advise. */
  const cost = (): number => {
    const stretches = Array.from({ length: STRETCHES }, () => {
      const from = performance.now();
      feed(MEASURED_BLOCKS, true);
      return ((performance.now() - from) * 1_000) / MEASURED_BLOCKS;
    });
    return stretches.toSorted((a, b) => a - b)[STRETCHES >> 1] ?? Number.NaN;
  };
  feed(DAY_BLOCKS, true);
  const day = cost();
  feed(MONTH_BLOCKS - next, false);
  const month = cost();
  return {
    measure: 'one block with 30 days of history',
    gastop: `${month.toFixed(0)} µs`,
    yardstick: `itself with 1 day of history, ${day.toFixed(0)} µs`,
    ratio: month / day,
    spread: `medians of ${STRETCHES} stretches`,
    budget: [],
  };
}
