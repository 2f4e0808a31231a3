/** What is answered without the router is what the router answers: an empty query is enough to be led there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { GasRecommendation } from '../../src/contract/gas.ts';
import { BaseFeeMetrics } from '../../src/contract/metrics.ts';
import { API_KEY_HEADER, PATHS } from '../../src/contract/routes.ts';
import { isoFromSec } from '../../src/service/answers/wire.ts';
import { ApiFailure } from '../../src/service/http/api-failure.ts';
import type { Gate } from '../../src/service/http/gate.ts';
import { SECURITY_HEADERS } from '../../src/service/http/security-headers.ts';
import { BLOCK_ZERO_TIME, makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const AT_HAND = [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.statsCurrent];
const SECURITY = new Set(Object.keys(SECURITY_HEADERS).map((name) => name.toLowerCase()));

const BLOCKS = 270;

const limits = () => Promise.reject(new Error('nobody asks'));
const refusing = (failure: Error): Gate => ({ admit: () => Promise.reject(failure), limits });

function start(gate: Gate) {
  const source = new ScriptedSource(makeBlocks(0, BLOCKS - 1), { kind: 'simulated' });
  return runService({ source, gate, wallNow: () => source.now() });
}

/** Without the headers that a refusal by the router gets from the server. */
async function seen(response: Response) {
  const headers = [...response.headers].filter(([name]) => !SECURITY.has(name)).sort();
  return {
    status: response.status,
    headers,
    body: Buffer.from(await response.arrayBuffer()).toString('hex'),
  };
}

describe('the quick answer is the answer of the router', () => {
  it('as it is, packed, and to who has it already; each is counted once for the same key', async () => {
    const admitted: unknown[] = [];
    const service = await start({
      admit: async (request) => {
        admitted.push(request);
        return { keyId: 'somebody' };
      },
      limits,
    });
    await service.ready;
    // While history comes in, two questions may be about different things.
    await waitFor(async () => {
      const first = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
      const { total } = BaseFeeMetrics.parse(
        await service.read(`${PATHS.baseFee}?from=${isoFromSec(BLOCK_ZERO_TIME)}&bucket=block&size=1`),
      );
      await sleep(100);
      const next = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
      return total === BLOCKS && isDeepStrictEqual(first, next);
    });
    for (const path of AT_HAND) {
      const tag = (await service.get(path)).headers.get('etag') ?? '';
      expect(tag).not.toBe('');
      for (const headers of [
        {},
        { 'accept-encoding': 'gzip' },
        { 'accept-encoding': 'gzip;q=0, br' },
        { 'if-none-match': tag },
        { 'if-none-match': `W/${tag}, "other"` },
        { 'if-none-match': '*', [API_KEY_HEADER]: 'some-key' },
      ]) {
        admitted.length = 0;
        const quick = await seen(await service.get(path, { headers }));
        expect(quick).toEqual(await seen(await service.get(`${path}?`, { headers })));
        expect(admitted).toHaveLength(2);
        expect(admitted[0]).toEqual(admitted[1]);
      }
    }
  });

  it.each([
    ['a key that is missing', new ApiFailure('api_key_missing', 'send a key')],
    ['a limit', new ApiFailure('rate_limit_exceeded', 'too many', { headers: { 'Retry-After': '7' } })],
    ['what nobody foresaw', new Error('the secret of it')],
  ])('to %s', async (_, failure) => {
    const service = await start(refusing(failure));
    await service.ready;
    const quick = await seen(await service.get(PATHS.gasCurrent));
    expect(quick).toEqual(await seen(await service.get(`${PATHS.gasCurrent}?`)));
    expect(quick.status).toBeGreaterThanOrEqual(400);
    expect(Buffer.from(quick.body, 'hex').toString()).not.toContain('secret');
  });
});
