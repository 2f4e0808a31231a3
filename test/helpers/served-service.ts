import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/contract/routes.ts';
import { withoutKeys } from '../../src/core/key-text.ts';
import { createRequestLog, type LogLevel } from '../../src/service/http/log.ts';
import { type ServerOptions, startServer } from '../../src/service/http/server.ts';
import { createPlans, issueKey } from '../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../src/service/keys/key-gate.ts';
import { startService } from '../../src/service/service.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../src/store/database.ts';

export interface ServedService {
  readonly port: number;
  readonly origin: string;
  readonly key: string;
  /** Another key, which sees nothing of what was made with the first. */
  newKey(): Promise<string>;
  /** What was logged, a parsed line each. */
  readonly log: Record<string, unknown>[];
  /** Asks a path below v1 with the key. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  stop(): Promise<void>;
}

type ServedOptions = Pick<ServiceOptions, 'source'> &
  Partial<Pick<ServerOptions, 'limits' | 'prefix' | 'served'>> & { readonly logLevel?: LogLevel };

/** A service on a port of its own with a real gate, as `gastop serve` has it; it ends with the test. */
export async function serveService(options: ServedOptions): Promise<ServedService> {
  const service = await startServedService(options);
  onTestFinished(service.stop);
  return service;
}

/** One for all tests of a file; each takes a key of its own. What it gives may be called in a test. */
export function shareServedService(options: () => ServedOptions): () => ServedService {
  let shared: ServedService | null = null;
  beforeAll(async () => {
    shared = await startServedService(options());
  });
  afterAll(() => shared?.stop());
  return () => {
    if (shared === null) throw new Error('the service has not been started');
    return shared;
  };
}

async function startServedService(options: ServedOptions): Promise<ServedService> {
  const folder = await mkdtemp(join(tmpdir(), 'gastop-served-'));
  const file = join(folder, 'keys.db');
  const newKey = async () => {
    const store = new KeyStore(await openKeyDatabase(file));
    const { text } = await issueKey(store, { name: 'test', plan: 'test', now: Date.now() });
    await store.close();
    return text;
  };
  const key = await newKey();
  const plans = createPlans({ test: { dailyLimit: 1_000, perSecond: null } });
  const gate = await openKeyGate({ file, plans });
  const abort = new AbortController();
  const { signal } = abort;
  const service = await startService({
    source: options.source,
    database: ':memory:',
    historySec: 3_600,
    gate,
    signal,
  });
  const log: Record<string, unknown>[] = [];
  const server = await startServer({
    served: options.served ?? service,
    host: '127.0.0.1',
    port: 0,
    log: createRequestLog({
      level: options.logLevel ?? 'info',
      redact: withoutKeys,
      write: (line) => log.push(JSON.parse(line)),
    }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.prefix === undefined ? {} : { prefix: options.prefix }),
  });
  let ending: Promise<void> | null = null;
  const stop = () => {
    ending ??= (async () => {
      await server.stop();
      await gate.close();
      abort.abort();
      await service.done;
      await rm(folder, { recursive: true, force: true });
    })();
    return ending;
  };
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    port: server.port,
    origin,
    key,
    newKey,
    log,
    get: (path, headers = {}) =>
      fetch(`${origin}${BASE_PATH}${path}`, { headers: { 'x-api-key': key, ...headers } }),
    stop,
  };
}
