/** Run by crash.test.ts: a service on database argv[2] and node argv[3], told what to do by lines of JSON. */
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { serve } from '@hono/node-server';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { startService } from '../../../src/service/service.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { fixedPrice } from '../../helpers/fixed-price.ts';
import type { Now, Order, Said } from './killed-service.ts';

const [path = '', url = ''] = process.argv.slice(2);
const CONFIRMATIONS = 4;
/** Who waits for it gives up a little later. */
const STALLED_MS = 100_000;

let ahead = 0;
const abort = new AbortController();
const wallNow = () => Date.now() + ahead;
const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`);
const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const first: Now = JSON.parse((await orders.next()).value ?? '{}');
ahead = first.ahead;
// That of the test's databases.
const database = await openDatabase(path, Buffer.alloc(32, 7));
const source = createRpcSource({
  urls: [url],
  clock: {
    now: wallNow,
    elapsed: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
  },
});
const service = await startService({
  source,
  database,
  historySec: 600,
  confirmations: CONFIRMATIONS,
  priceFeed: fixedPrice(2_000),
  wallNow,
  signal: abort.signal,
  onError: (error) => say({ error: String(error) }),
});
const stalled = setTimeout(() => {
  say({
    error: `block ${first.head} has not come: ${inspect(service.condition(), { breakLength: Infinity })}`,
  });
}, STALLED_MS);
await service.ready;
// From now on it takes part, so that a life is not spent on beginning.
while ((service.condition().head ?? -1) < first.head) await sleep(2);
clearTimeout(stalled);
const server = serve(
  { fetch: (request) => service.fetch(request), port: 0, hostname: '127.0.0.1' },
  ({ port }) => say({ port }),
);
// Who is killed does not leave it to the next one by itself.
flushCompileCache();

for await (const line of orders) {
  const order: Order = JSON.parse(line);
  if ('passMs' in order) ahead += order.passMs;
}
server.close();
abort.abort();
await service.done;
source.close();
