import type { ScreenQuestion, Terminal } from '../helpers/terminal.ts';
import { HAS_PRICES, openBare, openGastop, type Workshop } from './programs.ts';
import type { Row } from './row.ts';
import { quantile, range } from './statistics.ts';

const ROUNDS = 4;
const PRESSES = 30;
/** Presses are spread over the programs' own pace, so that none always falls beside a redraw. */
const gapMs = (press: number) => 60 + ((press * 37) % 90);

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Press {
  readonly key: string;
  readonly shows: ScreenQuestion;
}

async function latencies(terminal: Terminal, presses: readonly Press[]): Promise<number[]> {
  const taken: number[] = [];
  for (let count = 0; count < PRESSES; count++) {
    const press = presses[count % presses.length];
    if (press === undefined) break;
    await sleep(gapMs(count));
    const shown = terminal.waitFor(press.shows);
    const from = performance.now();
    const pressed = terminal.press(press.key);
    await shown;
    taken.push(performance.now() - from);
    await pressed;
  }
  return taken;
}

/** Ms from a key press to what it shows on the screen, p50 and p95, against the bare Ink program's echo. */
export async function measureKeyLatency(workshop: Workshop, args: readonly string[]): Promise<Row[]> {
  await using bare = await openBare(workshop, 1_000);
  await using gastop = await openGastop(workshop, { args });
  await gastop.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  await bare.waitFor('typed:');
  const isHelp = (rows: readonly string[]) => rows.some((row) => row.includes('close what is open'));
  const helpKeys: readonly Press[] = [
    { key: '?', shows: isHelp },
    { key: '?', shows: (rows) => !isHelp(rows) },
  ];
  const echoKeys: readonly Press[] = [
    { key: 'x', shows: /typed: .*x$/m },
    { key: 'y', shows: /typed: .*y$/m },
  ];
  await latencies(gastop, helpKeys);
  await latencies(bare, echoKeys);
  const own: number[][] = [];
  const yard: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    yard.push(await latencies(bare, echoKeys));
    own.push(await latencies(gastop, helpKeys));
  }

  return [0.5, 0.95].map((share) => {
    const each = own.map((round, index) => quantile(round, share) / quantile(yard[index] ?? [], share));
    const value = quantile(own.flat(), share);
    const yardstick = quantile(yard.flat(), share);
    return {
      measure: `key press to screen, p${share * 100}`,
      gastop: `${value.toFixed(1)} ms`,
      yardstick: `bare Ink program's echo, ${yardstick.toFixed(1)} ms`,
      ratio: value / yardstick,
      spread: `${range(each)} in ${ROUNDS} rounds of ${PRESSES}`,
      budget: share === 0.95 ? [{ atMost: 20, figure: { value, unit: 'ms' } }] : [],
    };
  });
}
