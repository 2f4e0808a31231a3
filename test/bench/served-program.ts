import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { quiet } from './stored-service.ts';

/**
 * A server of its own process, for http-cost.ts: `bare FILE` answers the bytes of FILE from one Hono route, `gastop
 * TARGET` is the service with its gate, limits, metrics and log, on the files of a folder or on a PostgreSQL database.
 * Prints its port, and the key where there is one.
 */

const [kind, path = ''] = process.argv.slice(2);
if (kind === 'bare') startBare(readFileSync(path, 'utf8'));
else if (isServerUrl(path)) await startGastop(path, path);
else await startGastop(join(path, 'keys.db'), join(path, 'history.db'));

function startBare(text: string): void {
  const app = new Hono().get('/be/api/v1/gas/current', (c) =>
    c.body(text, 200, { 'Content-Type': 'application/json' }),
  );
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => say({ port, key: '' }));
}

async function startGastop(file: string, database: string): Promise<void> {
  const store = new KeyStore(await openKeyDatabase(file));
  const key = await issueKey(store, { name: 'bench', plan: 'bench', now: Date.now() });
  const plans = createPlans({ bench: { dailyLimit: 1_000_000_000, perSecond: 1_000_000 } });
  const gate = await openKeyGate({ file, plans });
  const { signal } = new AbortController();
  const source = createSimulatedSource({ seed: 1 });
  const service = await startService({ source, database, historySec: 3_600, gate, signal });
  await service.ready;
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
  say({ port: server.port, key: key.text });
}

function say(what: { readonly port: number; readonly key: string }): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
