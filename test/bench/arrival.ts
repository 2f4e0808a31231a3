import { formatCount } from '../../src/core/units.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { HAS_PRICES, openGastop, quit, type Workshop } from './programs.ts';
import type { Row } from './row.ts';
import { quantile, range } from './statistics.ts';

const SIZE = { cols: 120, rows: 40 } as const;
const LENGTH = 300;
const BLOCKS = 40;
/** Blocks come at all phases of whatever is polled. */
const gapMs = (block: number) => 900 + ((block * 373) % 700);
const WEB_SOCKET_MS = 250;
const POLLED_MS = 800;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Ms from a block at the node to its number on the screen of a monitor that follows it in `way`. */
async function arrivals(workshop: Workshop, way: 'http' | 'ws'): Promise<number[]> {
  const startedAt = Math.floor(Date.now() / 1_000) - LENGTH;
  const node = await startJsonRpcServer(createScriptedChain({ length: LENGTH, startedAt, spacingSec: 1 }));
  try {
    const url = way === 'http' ? node.url : node.wsUrl;
    await using gastop = await openGastop(workshop, { args: ['--rpc', url], size: SIZE });
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

/** A block at the node until it is on the screen, by newHeads over WebSocket and polled over HTTP. */
export async function measureArrival(workshop: Workshop): Promise<Row[]> {
  const heard = await arrivals(workshop, 'ws');
  const polled = await arrivals(workshop, 'http');
  const row = (
    how: string,
    own: readonly number[],
    beside: string,
    yard: readonly number[],
    ms: number,
  ): Row => {
    const p95 = quantile(own, 0.95);
    return {
      measure: `a block at the node until it is on the screen, ${how}, p95`,
      gastop: `${p95.toFixed(0)} ms (median ${quantile(own, 0.5).toFixed(0)})`,
      yardstick: `${beside}, ${quantile(yard, 0.95).toFixed(0)} ms`,
      ratio: p95 / quantile(yard, 0.95),
      spread: `${range(own, 0)} ms, ${BLOCKS} blocks`,
      budget: [{ atMost: ms, figure: { value: p95, unit: 'ms' } }],
    };
  };
  return [
    row('newHeads by WebSocket', heard, 'polled by HTTP', polled, WEB_SOCKET_MS),
    row('polled by HTTP', polled, 'by WebSocket', heard, POLLED_MS),
  ];
}
