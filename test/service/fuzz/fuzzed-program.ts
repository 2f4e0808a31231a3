import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { createSimulatedSource } from '../../../src/chain/simulated-source.ts';
import { CreatedAlert } from '../../../src/contract/alerts.ts';
import { BASE_PATH, PATHS } from '../../../src/contract/routes.ts';
import { createRequestLog } from '../../../src/service/http/log.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { createPlans, issueKey } from '../../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../../src/service/keys/key-gate.ts';
import { startService } from '../../../src/service/service.ts';
import { KeyStore } from '../../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../../src/store/database.ts';

/** For http-fuzz.test.ts: `KEYS_FILE live|dead`. Sends port and keys, and its heap after a collection for each message. */

const [file = '', kind] = process.argv.slice(2);
const plans = createPlans({
  fuzz: { dailyLimit: null, perSecond: null },
  slow: { dailyLimit: 1, perSecond: 5, groups: ['gas', 'dashboard'] },
});
const store = new KeyStore(await openKeyDatabase(file));
const key = await issueKey(store, { name: 'fuzz', plan: 'fuzz', now: Date.now() });
const slowKey = await issueKey(store, { name: 'slow', plan: 'slow', now: Date.now() });
await store.close();

const [, , secret = ''] = key.text.split('_');

const source =
  kind === 'live' ? createSimulatedSource({ seed: 1 }) : createRpcSource({ urls: ['http://127.0.0.1:9'] });
const gate = await openKeyGate({ file, plans });
const { signal } = new AbortController();
const onError = (error: unknown) => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
const service = await startService({ source, database: '', historySec: 3_600, gate, signal, onError });
if (kind === 'live') await service.ready;
const server = await startServer({
  served: service,
  host: '127.0.0.1',
  port: 0,
  log: createRequestLog({
    level: 'debug',
    redact: (line) => line,
    write: (line) => {
      if (line.includes(secret)) process.stderr.write(`a key in the log: ${line}`);
    },
  }),
  limits: { headersMs: 400, requestMs: 800, checkEveryMs: 100 },
});
// Not over the port: its limits are shorter than a busy machine may take.
const request = new Request(`http://127.0.0.1${BASE_PATH}${PATHS.alerts}`, {
  method: 'POST',
  headers: { 'x-api-key': key.text, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    thresholdGwei: 1_000_000,
    gasSpeed: 'SLOW',
    condition: 'LESS_THAN',
    channels: ['TERMINAL'],
  }),
});
const { id: alertId } = CreatedAlert.parse(await (await service.fetch(request)).json());
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.send?.({ port: server.port, key: key.text, slowKey: slowKey.text, alertId });
