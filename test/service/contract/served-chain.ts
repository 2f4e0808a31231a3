import { openReplaySource } from '../../../src/chain/replay-source.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { ROUTE_GROUPS } from '../../../src/contract/routes.ts';
import { createPlainLog } from '../../../src/service/http/log.ts';
import { startServer } from '../../../src/service/http/server.ts';
import {
  createKey,
  createKeyId,
  createPlans,
  issueKey,
  reissueKey,
} from '../../../src/service/keys/api-keys.ts';
import { createKeyGate } from '../../../src/service/keys/key-gate.ts';
import { startService } from '../../../src/service/service.ts';
import { KeyStore } from '../../../src/store/api-keys.ts';
import { type Database, openDatabase, openKeyDatabase } from '../../../src/store/database.ts';
import { SHORT_RECORDING } from '../../cli/served.ts';

const NOW = Date.now();

const PLANS = {
  open: { dailyLimit: null, perSecond: null },
  spent: { dailyLimit: 0, perSecond: null },
  single: { dailyLimit: null, perSecond: 1 },
  ...Object.fromEntries(
    ROUTE_GROUPS.map((without) => [
      `no-${without}`,
      { dailyLimit: null, perSecond: null, groups: ROUTE_GROUPS.filter((group) => group !== without) },
    ]),
  ),
};

export interface ServedChain {
  readonly origin: string;
  readonly database: Database;
  /** A new key of a plan: `open`, `spent`, `single` (one question per second), `no-GROUP`, or one that is not there. */
  key(plan: string): Promise<string>;
  /** Keys that a service must turn away, by what is wrong with them; '' is no key. */
  badKeys(): Promise<Readonly<Record<string, string>>>;
  /** Errors that nobody foresaw. */
  readonly errors: readonly unknown[];
  stop(): Promise<void>;
}

/** The whole service, keys and all, on a port, over the node at `url`, or over a recording. The gate's clock stands still. */
export async function serveChain(url: string | 'recording'): Promise<ServedChain> {
  const abort = new AbortController();
  const errors: unknown[] = [];
  const node =
    url === 'recording'
      ? null
      : createRpcSource({ urls: [url], requestTimeoutMs: 60_000, pollIntervalMs: 100 });
  const source = node ?? (await openReplaySource({ file: SHORT_RECORDING, speed: 1 }));
  const store = new KeyStore(await openKeyDatabase(':memory:'));
  const gate = createKeyGate({ store, plans: createPlans(PLANS), wallNow: () => NOW });
  const database = await openDatabase(':memory:');
  const service = await startService({
    source,
    database,
    gate,
    historySec: 3_600,
    signal: abort.signal,
    onError: (error) => errors.push(error),
  });
  service.ready.catch(() => {});
  const server = await startServer({
    served: service,
    host: '127.0.0.1',
    port: 0,
    log: createPlainLog({ level: 'silent', write: () => {}, redact: (line) => line }),
  });
  const issue = (plan: string) => issueKey(store, { name: 'test', plan, now: NOW });
  return {
    database,
    origin: `http://127.0.0.1:${server.port}`,
    key: async (plan) => (await issue(plan)).text,
    badKeys: async () => {
      const mistyped = (await issue('open')).text;
      const revoked = await issue('open');
      await store.revoke(revoked.id, NOW / 1_000);
      const rotated = await issue('open');
      await reissueKey(store, rotated.id, NOW);
      return {
        'no key': '',
        'a mistyped key': `${mistyped.slice(0, -1)}${mistyped.endsWith('a') ? 'b' : 'a'}`,
        'an unknown key': createKey(createKeyId()).text,
        'a revoked key': revoked.text,
        'a rotated key': rotated.text,
      };
    },
    errors,
    stop: async () => {
      await server.stop();
      abort.abort();
      await service.done;
      await gate.close();
      node?.close();
    },
  };
}
