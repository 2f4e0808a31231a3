import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startAnvil } from '../helpers/anvil.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { type GastopOptions, HAS_PRICES, openBare, openGastop, quit, type Workshop } from './programs.ts';
import type { Limit, Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const RUNS = 7;
/** An hour of mainnet, which is what a start reads. */
const BLOCKS = 300;
const TIPS = [1_000_000_000, 2_000_000_000, 3_000_000_000] as const;

/** Ms from the start of the process. */
interface Start {
  /** To the first text on the screen. */
  readonly frame: number;
  /** To the first prices, which may be stored ones. */
  readonly prices: number;
  /** To those of the node's newest block; the same where there is no node. */
  readonly live: number;
}

const isOf = (head: number) => (rows: readonly string[]) => rows.some((row) => row.includes(`#${head} `));
const hasText = (rows: readonly string[]) => rows.some((row) => row !== '');

async function measureStart(starting: Promise<Terminal>, head: number | null = null): Promise<Start> {
  await using terminal = await starting;
  await terminal.waitFor(hasText);
  const frame = performance.now() - terminal.startedAt;
  await terminal.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  const prices = performance.now() - terminal.startedAt;
  if (head !== null) await terminal.waitFor(isOf(head), { timeoutMs: 60_000 });
  const live = performance.now() - terminal.startedAt;
  await quit(terminal);
  return { frame, prices, live };
}

/** Until trend is told, which takes all blocks that are read at a start. */
async function storeBlocks(starting: Promise<Terminal>): Promise<void> {
  await using terminal = await starting;
  await terminal.waitFor((rows) => rows.some((row) => row.includes('last blocks')), { timeoutMs: 60_000 });
  await quit(terminal);
}

async function measureBare(workshop: Workshop): Promise<number> {
  await using terminal = await openBare(workshop, 0);
  await terminal.waitFor(hasText);
  const frame = performance.now() - terminal.startedAt;
  await quit(terminal);
  return frame;
}

/**
 * First frame and first prices, of the program with `args` and of one that asks a node on this machine, against the
 * first frame of a bare Ink program, in turns.
 */
export async function measureFirstFrame(workshop: Workshop, args: readonly string[]): Promise<Row[]> {
  const node = await startAnvil();
  try {
    await node.sendTransfers(TIPS);
    await node.mine(BLOCKS);
    const home = join(workshop.folder, 'start-home');
    await mkdir(home, { recursive: true });
    const rpc = ['--rpc', node.url];
    const open = (options: GastopOptions) => () => measureStart(openGastop(workshop, options));
    const demo: Way = { open: open({ args }), starts: [] };
    const first: Way = { open: open({ args, compileCache: 'none' }), starts: [] };
    const ask = (options: GastopOptions) => async () => {
      // What is stored is a block behind, so that it can be told from what the node says.
      await node.mine(1);
      const head = Number(await node.rpc('eth_blockNumber'));
      return measureStart(openGastop(workshop, options), head);
    };
    const stored: Way = { open: ask({ args: rpc, home }), starts: [] };
    const fresh: Way = { open: ask({ args: rpc }), starts: [] };
    await storeBlocks(openGastop(workshop, { args: rpc, home }));
    // Warms the compile cache and the operating system's file cache.
    for (const way of [demo, stored, fresh]) await way.open();
    await measureBare(workshop);
    const bare: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      bare.push(await measureBare(workshop));
      for (const way of [demo, first, stored, fresh]) way.starts.push(await way.open());
    }
    return [
      rowOf('first frame', bare, frames(demo), [{ atMost: 1.2 }]),
      rowOf('first live numbers from a node, its blocks stored', bare, live(stored), [{ atMost: 3 }]),
      rowOf('first live numbers from a node, nothing stored yet', bare, live(fresh), [{ atMost: 3 }]),
      rowOf('first prices, those stored of a node', bare, prices(stored), [{ atMost: 2 }]),
      rowOf('first frame of the first start ever', bare, frames(first)),
      rowOf('first prices of the demo', bare, prices(demo)),
    ];
  } finally {
    await node.stop();
  }
}

/** One way to start, and how long that took each time. */
interface Way {
  readonly open: () => Promise<Start>;
  readonly starts: Start[];
}

const frames = ({ starts }: Way) => starts.map(({ frame }) => frame);
const prices = ({ starts }: Way) => starts.map(({ prices }) => prices);
const live = ({ starts }: Way) => starts.map(({ live }) => live);

function rowOf(
  measure: string,
  bare: readonly number[],
  values: readonly number[],
  budget: readonly Limit[] = [],
): Row {
  const each = ratios(values, bare);
  return {
    measure,
    gastop: `${median(values).toFixed(0)} ms`,
    yardstick: `bare Ink program's first frame, ${median(bare).toFixed(0)} ms`,
    ratio: median(each),
    spread: `${range(each)} in ${RUNS} runs`,
    budget,
  };
}
