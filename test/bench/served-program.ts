import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { createRequestLog } from '../../src/service/http/log.ts';
import { startServer } from '../../src/service/http/server.ts';
import { createPlans, issueKey } from '../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../src/service/keys/key-gate.ts';
import { startService } from '../../src/service/service.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../src/store/database.ts';
import { isServerUrl } from '../../src/store/database-url.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { blockFeed, quiet } from './stored.ts';

/** A server: `bare FILE` of its bytes, `gastop TARGET` the whole service, `streamed FOLDER KEYS` with a block for each line of input. */

const [kind, path = '', count = '1'] = process.argv.slice(2);
const say = (port: number, keys: readonly string[]) =>
  process.stdout.write(`${JSON.stringify({ port, keys })}\n`);
if (kind === 'bare') startBare(readFileSync(path, 'utf8'));
else await startGastop();

function startBare(text: string): void {
  const app = new Hono().get('/be/api/v1/gas/current', (c) =>
    c.body(text, 200, { 'Content-Type': 'application/json' }),
  );
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => say(port, ['none']));
}

async function startGastop(): Promise<void> {
  const [file, database] = isServerUrl(path)
    ? [path, path]
    : [join(path, 'keys.db'), join(path, `${kind}.db`)];
  const store = new KeyStore(await openKeyDatabase(file));
  const keys: string[] = [];
  while (keys.length < Number(count)) {
    keys.push((await issueKey(store, { name: 'bench', plan: 'bench', now: Date.now() })).text);
  }
  const plans = createPlans({ bench: { dailyLimit: 1_000_000_000, perSecond: 1_000_000 } });
  const gate = await openKeyGate({ file, plans });
  const { signal } = new AbortController();
  const feed = kind === 'streamed' ? blockFeed(makeBlocks(1, 5_000), 400) : null;
  const source = feed?.source ?? createSimulatedSource({ seed: 1 });
  const service = await startService({ source, database, historySec: 3_600, gate, signal });
  await service.ready;
  await feed?.heard;
  await quiet();
  let held = '';
  const log = createRequestLog({
    level: 'info',
    redact: (line) => line,
    write: (line) => {
      if (held === '') {
        setImmediate(() => {
          process.stderr.write(held);
          held = '';
        });
      }
      held += line;
    },
  });
  const server = await startServer({ served: service, host: '127.0.0.1', port: 0, log });
  say(server.port, keys);
  if (feed !== null) for await (const _ of createInterface(process.stdin)) feed.next();
}
