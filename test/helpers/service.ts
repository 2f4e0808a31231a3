import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import type { ChainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { startService } from '../../src/service/service.ts';
import { openDatabase } from './open-database.ts';
import { QUICK_FOLDER } from './quick-folder.ts';

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(QUICK_FOLDER, 'gastop-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const temporaryFile = async (name: string) => join(await temporaryFolder(), name);

export type RunningService = Awaited<ReturnType<typeof startTestService>>;

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export type TestServiceOptions = Omit<ServiceOptions, 'signal' | 'database'> &
  Partial<Pick<ServiceOptions, 'database'>>;

/** With room for two days of Ethereum instead of eight: to make it takes longer than most tests have it for. */
const createEngine = ({ feeRule }: ChainProfile) => new FeeEngine({ feeRule, capacity: 15_000 });

export async function refused(response: Response, status: number): Promise<ErrorBody> {
  const body = ErrorBody.parse(await response.json());
  expect(response.status, body.message).toBe(status);
  return body;
}

/** A real service over `options.source`, on a database in memory unless told; it ends with the test. */
export async function runService(options: TestServiceOptions): Promise<RunningService> {
  const service = await startTestService(options);
  onTestFinished(service.stop);
  return service;
}

export async function readyService(options: TestServiceOptions): Promise<RunningService> {
  const service = await runService(options);
  await service.ready;
  return service;
}

/** One service for all tests of a file or `describe` that only read; `start` resolves once there is something to read. */
export function shareService(
  start: (run: (options: TestServiceOptions) => Promise<RunningService>) => Promise<RunningService>,
): () => RunningService {
  let shared: RunningService | null = null;
  beforeAll(async () => {
    shared = await start(startTestService);
  });
  afterAll(() => shared?.stop());
  return () => {
    if (shared === null) throw new Error('the service has not been started');
    return shared;
  };
}

export async function startTestService(options: TestServiceOptions) {
  const abort = new AbortController();
  const errors: unknown[] = [];
  const { database = ':memory:' } = options;
  const service = await startService({
    createEngine,
    onError: (error) => errors.push(error),
    ...options,
    database: typeof database === 'string' ? await openDatabase(database) : database,
    signal: abort.signal,
  });
  const stop = async () => {
    abort.abort();
    await service.done;
  };
  const get = (path: string, init?: RequestInit) =>
    service.fetch(new Request(`http://gastop.test${BASE_PATH}${path}`, init));
  const ask = (path: string, { method = 'GET', body, key, headers }: Asked = {}) =>
    get(path, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const read = async (path: string): Promise<unknown> => {
    const response = await get(path);
    const body: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return body;
  };
  const current = async () => GasCurrent.parse(await read(PATHS.gasCurrent));
  return { ...service, get, ask, read, current, stop, errors };
}
