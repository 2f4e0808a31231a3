import { createInterface } from 'node:readline';
import { createRequestLog } from '../../src/service/http/log.ts';
import { startServer } from '../../src/service/http/server.ts';
import { createPlans, issueKey } from '../../src/service/keys/api-keys.ts';
import { createKeyGate } from '../../src/service/keys/key-gate.ts';
import { startService } from '../../src/service/service.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../src/store/database.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { blockFeed } from './block-feed.ts';
import { quiet } from './stored-service.ts';

/**
 * A service of its own process, for stream-cost.ts: `KEYS NAME_LENGTH`. It prints its port and keys, and takes in a block
 * for each line of its input. The length of the source's name makes its events as large as is wanted.
 */

const [keys = 1, nameLength = 5] = process.argv.slice(2).map(Number);
const KNOWN = 400;
const store = new KeyStore(await openKeyDatabase(':memory:'));
const plans = createPlans({ bench: { dailyLimit: null, perSecond: null } });
const gate = createKeyGate({ store, plans });
const issued: string[] = [];
for (let made = 0; made < keys; made += 1) {
  issued.push((await issueKey(store, { name: 'bench', plan: 'bench', now: Date.now() })).text);
}
const feed = blockFeed(makeBlocks(1, 5_000), KNOWN);
const source = { ...feed.source, name: 'b'.repeat(nameLength) };
const service = await startService({
  source,
  database: ':memory:',
  historySec: 3_600,
  gate,
  signal: new AbortController().signal,
});
await service.ready;
await waitFor(() => feed.isHeard());
await quiet();
const log = createRequestLog({ level: 'silent', redact: (line) => line, write: () => {} });
const server = await startServer({ served: service, host: '127.0.0.1', port: 0, log });
process.stdout.write(`${JSON.stringify({ port: server.port, keys: issued })}\n`);
for await (const _ of createInterface(process.stdin)) feed.next();
process.exit(0);
