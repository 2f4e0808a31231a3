import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { listen } from '../helpers/listen.ts';
import { memoryRow, residentMb } from './memory.ts';
import { openGastop, quit, type Workshop } from './programs.ts';
import { atMost, median, type Row, range } from './row.ts';

const CHAINS = 10;
const WATCHED_SEC = 66;
const PAST_BLOCKS = 4_096;

async function counted({ url: target }: Anvil) {
  const server = createServer(async (request, response) => {
    node.requests += 1;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body: await text(request) });
    response.writeHead(200, headers).end(await answer.text());
  });
  const { origin, stop } = await listen(server);
  const node = { url: origin, requests: 0, stop };
  return node;
}

/** Memory and requests of a board over ten nodes, beside the monitor on one of them. */
export async function measureBoard(workshop: Workshop): Promise<Row[]> {
  const anvils = await Promise.all(Array.from({ length: CHAINS }, () => startAnvil({ blockTime: 2 })));
  const nodes = await Promise.all(anvils.map(counted));
  try {
    for (const anvil of anvils) await anvil.mine(PAST_BLOCKS);
    const config = join(workshop.folder, 'board.json');
    const chains = nodes.map(({ url }, place) => ({ name: `chain-${place}`, rpc: url }));
    await writeFile(config, JSON.stringify({ chains }), { mode: 0o600 });

    await using one = await openGastop(workshop, ['--rpc', nodes[0]?.url ?? '']);
    await one.waitFor('Average');
    await sleep(WATCHED_SEC * 1_000);
    const alone = await residentMb(one);
    await quit(one);

    await using board = await openGastop(workshop, ['--config', config]);
    await board.waitFor((rows) => rows.filter((row) => /chain-\d .*\d\.\d/.test(row)).length >= CHAINS);
    for (const node of nodes) node.requests = 0;
    await sleep(WATCHED_SEC * 1_000);
    const rates = nodes.map(({ requests }) => requests / WATCHED_SEC);
    await board.press('enter');
    await board.waitFor('Average');
    await sleep(10_000);
    const all = await residentMb(board);
    await quit(board);

    const most = Math.max(...rates);
    const opened = `resident memory of a board of ${CHAINS} chains, one of them opened`;
    return [
      memoryRow(opened, all, 'the monitor on one chain', alone, () => [
        atMost(median(all) - median(alone), 60, 'MB more'),
      ]),
      {
        measure: `requests a second to each of ${CHAINS} nodes`,
        gastop: most.toFixed(2),
        yardstick: 'half a request',
        ratio: most / 0.5,
        spread: `${range(rates)} in ${WATCHED_SEC} s`,
        budget: [atMost(most / 0.5, 1)],
      },
    ];
  } finally {
    await Promise.all([...nodes, ...anvils].map((each) => each.stop()));
  }
}
