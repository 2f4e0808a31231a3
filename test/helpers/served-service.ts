import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/contract/routes.ts';
import { withoutKeys } from '../../src/core/key-text.ts';
import { createRequestLog, type LogLevel } from '../../src/service/http/log.ts';
import { type Served, type ServerOptions, startServer } from '../../src/service/http/server.ts';
import { createPlans, issueKey, type PlanSetting } from '../../src/service/keys/api-keys.ts';
import { KeyGate } from '../../src/service/keys/key-gate.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../src/store/database.ts';
import { type RunningService, startTestService, type TestServiceOptions } from './service.ts';

export type ServedService = Awaited<ReturnType<typeof startServedService>>;

interface ServedOptions
  extends Omit<TestServiceOptions, 'gate'>,
    Partial<Pick<ServerOptions, 'limits' | 'prefix' | 'publicName' | 'served'>> {
  readonly logLevel?: LogLevel;
  readonly plans?: Readonly<Record<string, PlanSetting>>;
  /** What else stands on the port, around the service. */
  readonly mount?: (service: RunningService, gate: KeyGate) => Served;
  readonly gateNow?: () => number;
  /** The database of the keys; default: in memory. */
  readonly keysAt?: string;
}

/** A service on a port of its own with a gate, as `gastop serve` has it; it ends with the test. */
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

export async function startServedService({
  limits,
  prefix,
  publicName,
  served,
  mount = (service) => service,
  logLevel = 'info',
  plans = { test: { dailyLimit: 1_000, perSecond: null } },
  gateNow = Date.now,
  keysAt = ':memory:',
  ...options
}: ServedOptions) {
  const keys = new KeyStore(await openKeyDatabase(keysAt));
  const newKey = async (plan = Object.keys(plans)[0] ?? 'test') =>
    (await issueKey(keys, { name: 'test', plan, now: gateNow() })).text;
  const key = await newKey();
  const gate = new KeyGate({ store: keys, plans: createPlans(plans), wallNow: gateNow });
  const service = await startTestService({ historySec: 3_600, ...options, gate });
  const log: Record<string, unknown>[] = [];
  const server = await startServer({
    served: served ?? mount(service, gate),
    host: '127.0.0.1',
    port: 0,
    publicName,
    log: createRequestLog({
      level: logLevel,
      redact: withoutKeys,
      write: (line) => log.push(JSON.parse(line)),
    }),
    ...(limits === undefined ? {} : { limits }),
    ...(prefix === undefined ? {} : { prefix }),
  });
  let ending: Promise<void> | null = null;
  const stop = () => {
    ending ??= (async () => {
      await server.stop();
      await gate.close();
      await service.stop();
    })();
    return ending;
  };
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    port: server.port,
    origin,
    key,
    keys,
    newKey,
    log,
    errors: service.errors,
    /** Once all history is read. */
    filled: service.filled,
    get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${origin}${BASE_PATH}${path}`, { headers: { 'x-api-key': key, ...headers } }),
    stop,
  };
}
