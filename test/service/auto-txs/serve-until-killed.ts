import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { BASE_PATH } from '../../../src/contract/routes.ts';
import { startService } from '../../../src/service/service.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { fixedPrice } from '../../helpers/fixed-price.ts';
import type { Order, Said } from './killed-service.ts';
import '../../../src/service/auto-txs/engine.ts';

/**
 * Run by crash.test.ts: a service with its routes, in a process of its own, on the database in argv[2] and the node at
 * argv[3]. What it is to do comes on stdin, a line of JSON each, and so does what it says on stdout.
 */
// Read ahead of its time, with all the rest.

const [path = '', url = ''] = process.argv.slice(2);
const CONFIRMATIONS = 4;

let ahead = 0;
const abort = new AbortController();
const wallNow = () => Date.now() + ahead;
const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`);

const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const nextOrder = async (): Promise<Order | null> => {
  const { value, done } = await orders.next();
  return done === true ? null : JSON.parse(value);
};

const first = await nextOrder();
if (first?.type !== 'start') throw new Error('it begins with a start');
ahead = first.ahead;
// That of the test's databases.
const database = await openDatabase(path, Buffer.alloc(32, 7));
const source = createRpcSource({
  urls: [url],
  clock: {
    now: wallNow,
    elapsed: () => performance.now(),
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
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
  onError: (error) => say({ type: 'error', text: String(error) }),
});
await service.ready;
// From now on it takes part, so that a life is not spent on beginning.
while ((service.condition().head ?? -1) < first.head) await setTimeout(2);
say({ type: 'ready' });
// Who is killed does not leave it to the next one by itself.
flushCompileCache();

async function answer({ id, method, path: route, body }: Extract<Order, { type: 'ask' }>): Promise<void> {
  const request = new Request(`http://gastop.test${BASE_PATH}${route}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  say({ type: 'answer', id, status: response.status, body: await response.json() });
}

for (let order = await nextOrder(); order !== null && order.type !== 'end'; order = await nextOrder()) {
  if (order.type === 'pass') ahead += order.ms;
  if (order.type === 'ask') void answer(order);
}
abort.abort();
await service.done;
source.close();
process.stdin.destroy();
