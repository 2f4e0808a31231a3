import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startAnvil } from '../helpers/anvil.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { HAS_PRICES, openBare, openGastop, quit, type Workshop } from './programs.ts';
import { atMost, compare, type Row } from './row.ts';

const RUNS = 7;
const BLOCKS = 300;
const PATIENT = { timeoutMs: 60_000 };
const hasText = (rows: readonly string[]) => rows.some((row) => row !== '');

/** Ms from the start of the process to the first text, to the first prices, which may be stored ones, and to those of `head`. */
async function startOf(starting: Promise<Terminal>, head: number | null = null) {
  await using terminal = await starting;
  const since = () => performance.now() - terminal.startedAt;
  await terminal.waitFor(hasText);
  const frame = since();
  await terminal.waitFor(HAS_PRICES, PATIENT);
  const prices = since();
  if (head !== null) await terminal.waitFor((rows) => rows.some((row) => row.includes(`#${head} `)), PATIENT);
  const live = since();
  await quit(terminal);
  return { frame, prices, live };
}

async function bareFrame(workshop: Workshop): Promise<number> {
  await using terminal = await openBare(workshop, 0);
  await terminal.waitFor(hasText);
  const frame = performance.now() - terminal.startedAt;
  await quit(terminal);
  return frame;
}

/** First frame of the demo, first prices on a node of this machine, against the first frame of a bare Ink program. */
export async function measureStart(workshop: Workshop): Promise<Row[]> {
  const node = await startAnvil();
  try {
    await node.sendTransfers([1_000_000_000, 2_000_000_000, 3_000_000_000]);
    await node.mine(BLOCKS);
    const home = join(workshop.folder, 'start-home');
    await mkdir(home, { recursive: true });
    const rpc = ['--rpc', node.url];
    const onNode = async (options: { readonly home?: string }) => {
      // What is stored is a block behind, so that it can be told from what the node says.
      await node.mine(1);
      return startOf(openGastop(workshop, rpc, options), Number(await node.rpc('eth_blockNumber')));
    };
    const round = async () => ({
      bare: await bareFrame(workshop),
      demo: await startOf(openGastop(workshop, ['--demo'])),
      stored: await onNode({ home }),
      fresh: await onNode({}),
    });
    // Until trend is told, which takes all blocks that are read at a start.
    await using storing = await openGastop(workshop, rpc, { home });
    await storing.waitFor((rows) => rows.some((row) => row.includes('last blocks')), PATIENT);
    await quit(storing);
    await round();
    const rounds: Awaited<ReturnType<typeof round>>[] = [];
    const runs = workshop.rounds(RUNS);
    for (let run = 0; run < runs; run++) rounds.push(await round());
    const row = (measure: string, most: number, ms: (each: (typeof rounds)[number]) => number) =>
      compare({
        measure,
        ours: rounds.map(ms),
        against: "bare Ink program's first frame",
        theirs: rounds.map(({ bare }) => bare),
        unit: 'ms',
        runs: `in ${runs} runs`,
        budget: (ratio) => [atMost(ratio, most)],
      });
    return [
      row('first frame', 1.4, ({ demo }) => demo.frame),
      row('first live numbers from a node, its blocks stored', 3, ({ stored }) => stored.live),
      row('first live numbers from a node, nothing stored yet', 3, ({ fresh }) => fresh.live),
      row('first prices, those stored of a node', 2, ({ stored }) => stored.prices),
    ];
  } finally {
    await node.stop();
  }
}
