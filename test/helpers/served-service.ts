import { join } from 'node:path';
import { onTestFinished } from 'vitest';
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
import { temporaryFolder } from './service.ts';

export interface ServedService {
  readonly port: number;
  readonly origin: string;
  readonly key: string;
  /** What was logged, a parsed line each. */
  readonly log: Record<string, unknown>[];
  /** Asks a path below v1 with the key. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  stop(): Promise<void>;
}

/** A service on a port of its own with a real gate, as `gastop serve` has it; it ends with the test. */
export async function serveService(
  options: Pick<ServiceOptions, 'source'> &
    Partial<Pick<ServerOptions, 'limits' | 'prefix' | 'served'>> & { readonly logLevel?: LogLevel },
): Promise<ServedService> {
  const file = join(await temporaryFolder(), 'keys.db');
  const store = new KeyStore(await openKeyDatabase(file));
  const key = (await issueKey(store, { name: 'test', plan: 'test', now: Date.now() })).text;
  await store.close();
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
    })();
    return ending;
  };
  onTestFinished(stop);
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    port: server.port,
    origin,
    key,
    log,
    get: (path, headers = {}) =>
      fetch(`${origin}${BASE_PATH}${path}`, { headers: { 'x-api-key': key, ...headers } }),
    stop,
  };
}
