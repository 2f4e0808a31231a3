import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount } from '../../src/core/units.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { HAS_PRICES, LARGE, openGastop, quit, type Workshop } from './programs.ts';
import { atMost, median, quantile, type Row, range } from './row.ts';

const LENGTH = 300;
const BLOCKS = 40;
/** Blocks come at all phases of whatever is polled. */
const gapMs = (block: number) => 900 + ((block * 373) % 700);

/** Ms from a block at the node to its number on the screen of a monitor that follows it over this URL. */
async function arrivals(workshop: Workshop, way: 'url' | 'wsUrl'): Promise<number[]> {
  const startedAt = Math.floor(Date.now() / 1_000) - LENGTH;
  const node = await startJsonRpcServer(createScriptedChain({ length: LENGTH, startedAt, spacingSec: 1 }));
  try {
    await using gastop = await openGastop(workshop, ['--rpc', node[way]], { size: LARGE });
    await gastop.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
    await sleep(5_000);
    const taken: number[] = [];
    for (let count = 0; count < BLOCKS; count += 1) {
      await sleep(gapMs(count));
      const from = performance.now();
      const block = node.chain.mine();
      node.announce(block);
      const shown = `#${formatCount(block.number)}`;
      await gastop.waitFor((rows) => rows[0]?.includes(shown) === true, { timeoutMs: 30_000 });
      taken.push(performance.now() - from);
    }
    await quit(gastop);
    return taken;
  } finally {
    await node.stop();
  }
}

export async function measureArrival(workshop: Workshop): Promise<Row[]> {
  const heard = await arrivals(workshop, 'wsUrl');
  const polled = await arrivals(workshop, 'url');
  const p95 = (values: readonly number[]) => quantile(values, 0.95);
  const row = (
    how: string,
    own: readonly number[],
    besides: string,
    yard: readonly number[],
    most: number,
  ) => ({
    measure: `a block at the node until it is on the screen, ${how}, p95`,
    gastop: `${p95(own).toFixed(0)} ms (median ${median(own).toFixed(0)})`,
    yardstick: `${besides}, ${p95(yard).toFixed(0)} ms`,
    ratio: p95(own) / p95(yard),
    spread: `${range(own, 0)} ms, ${BLOCKS} blocks`,
    budget: [atMost(p95(own), most, 'ms')],
  });
  return [
    row('newHeads by WebSocket', heard, 'polled by HTTP', polled, 150),
    row('polled by HTTP', polled, 'by WebSocket', heard, 500),
  ];
}
