import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATHS } from '../../src/contract/routes.ts';
import type { Gate } from '../../src/service/http/auth.ts';
import { ApiFailure } from '../../src/service/http/errors.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const MARKET = `${PATHS.statsMarket}?timeFrame=1h`;
const CACHED = [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.statsCurrent, MARKET];
const limits = () => Promise.reject(new Error('not requested'));

async function start(gate?: Gate) {
  const source = new ScriptedSource(makeBlocks(200, 269));
  const service = await readyService({
    source,
    wallNow: () => source.now(),
    ...(gate === undefined ? {} : { gate }),
  });
  return { service, source };
}

const tagOf = async (service: RunningService, path: string) =>
  (await service.get(path)).headers.get('etag') ?? '';

describe('a response that is requested again', () => {
  it('is the same body and ETag, as it is, compressed and as 304', async () => {
    const { service } = await start();
    for (const path of CACHED) {
      // While the history is filled in, the engine may be fed again in between.
      await waitFor(async () => {
        const first = await service.get(path);
        const tag = first.headers.get('etag') ?? '';
        const text = await first.text();
        const again = await service.get(path);
        const packed = await service.get(path, { headers: { 'accept-encoding': 'gzip' } });
        const bytes = Buffer.from(await packed.arrayBuffer());
        const unpacked = packed.headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes;
        const known = await Promise.all(
          [tag, `W/${tag}, "other", ${tag}`, '*'].map((value) =>
            service.get(path, { headers: { 'if-none-match': value } }),
          ),
        );
        return (
          (await again.text()) === text &&
          unpacked.toString() === text &&
          known.every(({ status }) => status === 304)
        );
      });
      const plain = await service.get(path, { headers: { 'accept-encoding': 'gzip;q=0, br' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
    }
  });

  it('changes with the next block, and with the query', async () => {
    const { service, source } = await start();
    const before = await Promise.all(CACHED.map((path) => tagOf(service, path)));
    expect(new Set(before).size).toBe(CACHED.length);
    const reach = (gwei: number) =>
      tagOf(service, `${PATHS.gasRecommendation}?targetGwei=${gwei}&deadlineSec=3600`);
    expect(await reach(1)).not.toBe(await reach(40));
    source.mine(...makeBlocks(270, 271));
    await waitFor(async () => {
      const after = await Promise.all(CACHED.map((path) => tagOf(service, path)));
      return after.every((tag, index) => tag !== before[index]);
    });
  });

  it('is computed once where a hundred ask for it at once', async () => {
    const { service } = await start();
    const count = vi.spyOn(HistoryStore.prototype, 'prices');
    onTestFinished(() => count.mockRestore());
    const all = await Promise.all(Array.from({ length: 100 }, () => tagOf(service, MARKET)));
    expect(all.every((tag) => tag === all[0])).toBe(true);
    expect(count).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a missing key', new ApiFailure('api_key_missing', 'send a key'), 401],
    [
      'a used quota',
      new ApiFailure('rate_limit_exceeded', 'too many', { headers: { 'Retry-After': '7' } }),
      429,
    ],
    ['an unforeseen failure', new Error('the secret of it'), 500],
  ])('is refused for %s although it is cached', async (_, failure, status) => {
    let isOpen = true;
    const { service } = await start({
      admit: async () => {
        if (isOpen) return { keyId: null };
        throw failure;
      },
      limits,
    });
    expect((await service.get(PATHS.gasCurrent)).status).toBe(200);
    isOpen = false;
    const refused = await service.get(PATHS.gasCurrent);
    expect(refused.status).toBe(status);
    expect(await refused.text()).not.toContain('secret');
  });
});
