import type { Terminal } from '../helpers/terminal.ts';
import { HAS_PRICES, openBare, openGastop, quit, type Workshop } from './programs.ts';
import type { Limit, Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const RUNS = 7;

const hasText = (rows: readonly string[]) => rows.some((row) => row !== '');

/** Ms from the start of the process to the first text on the screen, and to the first prices. */
async function measureStart(starting: Promise<Terminal>, withPrices: boolean) {
  await using terminal = await starting;
  await terminal.waitFor(hasText);
  const frame = performance.now() - terminal.startedAt;
  if (withPrices) await terminal.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  const prices = performance.now() - terminal.startedAt;
  await quit(terminal);
  return { frame, prices };
}

/** First frame and first prices of `gastop --demo` against the first frame of a bare Ink program, in turns. */
export async function measureFirstFrame(workshop: Workshop, args: readonly string[]): Promise<Row[]> {
  // Warms the compile cache and the operating system's file cache for both.
  await measureStart(openGastop(workshop, { args }), true);
  await measureStart(openBare(workshop, 0), false);
  const bare: number[] = [];
  const warm: number[] = [];
  const cold: number[] = [];
  const prices: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    bare.push((await measureStart(openBare(workshop, 0), false)).frame);
    const start = await measureStart(openGastop(workshop, { args }), true);
    warm.push(start.frame);
    prices.push(start.prices);
    cold.push((await measureStart(openGastop(workshop, { args, compileCache: 'none' }), true)).frame);
  }
  const row = (measure: string, values: readonly number[], budget: readonly Limit[] = []): Row => {
    const each = ratios(values, bare);
    return {
      measure,
      gastop: `${median(values).toFixed(0)} ms`,
      yardstick: `bare Ink program's first frame, ${median(bare).toFixed(0)} ms`,
      ratio: median(each),
      spread: `${range(each)} in ${RUNS} runs`,
      budget,
    };
  };
  return [
    row('first frame', warm, [{ atMost: 1 }]),
    row('first frame of the first start ever', cold),
    row('first prices on the screen', prices),
  ];
}
