import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { openGastop, quit, type Workshop } from './programs.ts';
import type { Row } from './row.ts';
import { median, range } from './statistics.ts';

const CHAINS = 10;
/** As long as the board asks each chain for everything at least once. */
const WATCHED_SEC = 66;
const SAMPLES = 5;
const PAST_BLOCKS = 4_096;

interface CountedNode {
  readonly url: string;
  requests: number;
  stop(): void;
}

/** Counts what is requested of a node. */
async function counted({ url: target }: Anvil): Promise<CountedNode> {
  const server = createServer(async (request, response) => {
    node.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body });
    response.writeHead(200, headers).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const node = { url: `http://127.0.0.1:${port}`, requests: 0, stop: () => void server.close() };
  return node;
}

async function memoryOf(pid: number): Promise<number[]> {
  const samples: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await sleep(1_000);
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    samples.push((Number(kilobytes) * 1_024) / 1e6);
  }
  return samples;
}

/** Memory and requests of a board over ten nodes, beside the monitor on one of them. */
export async function measureBoardCost(workshop: Workshop): Promise<Row[]> {
  const anvils = await Promise.all(Array.from({ length: CHAINS }, () => startAnvil({ blockTime: 2 })));
  const nodes = await Promise.all(anvils.map(counted));
  try {
    for (const anvil of anvils) await anvil.mine(PAST_BLOCKS);
    const config = join(workshop.folder, 'board.json');
    const chains = nodes.map(({ url }, place) => ({ name: `chain-${place}`, rpc: url }));
    await writeFile(config, JSON.stringify({ chains }), { mode: 0o600 });

    await using one = await openGastop(workshop, { args: ['--rpc', nodes[0]?.url ?? ''] });
    await one.waitFor('Average');
    await sleep(WATCHED_SEC * 1_000);
    const alone = await memoryOf(one.pid);
    await quit(one);

    await using board = await openGastop(workshop, { args: ['--config', config] });
    await board.waitFor((rows) => rows.filter((row) => row.includes('Anvil')).length >= CHAINS);
    for (const node of nodes) node.requests = 0;
    await sleep(WATCHED_SEC * 1_000);
    const rates = nodes.map(({ requests }) => requests / WATCHED_SEC);
    // One of them is opened: a full engine, and ten rows.
    await board.press('enter');
    await board.waitFor('Average');
    await sleep(10_000);
    const all = await memoryOf(board.pid);
    await quit(board);

    const more = median(all) - median(alone);
    const most = Math.max(...rates);
    return [
      {
        measure: `resident memory of a board of ${CHAINS} chains, one of them opened`,
        gastop: `${median(all).toFixed(0)} MB`,
        yardstick: `the monitor on one chain, ${median(alone).toFixed(0)} MB`,
        ratio: median(all) / median(alone),
        spread: range(all.flatMap((a) => alone.map((b) => a / b))),
        budget: [{ atMost: 60, figure: { value: more, unit: 'MB more' } }],
      },
      {
        measure: `requests a second to each of ${CHAINS} nodes`,
        gastop: most.toFixed(2),
        yardstick: 'half a request',
        ratio: most / 0.5,
        spread: `${range(rates)} in ${WATCHED_SEC} s`,
        budget: [{ atMost: 1 }],
      },
    ];
  } finally {
    for (const node of nodes) node.stop();
    await Promise.all(anvils.map((anvil) => anvil.stop()));
  }
}
