import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { threshold } from '../../src/mcp/threshold-tool.ts';
import { sendJson, serve } from '../client/http-server.ts';

const PRICES = { chainId: 1, lowPrice: 9.5e9, averagePrice: 10e9, highPrice: 11e9, basePrice: 9e9 };

describe('the tool that says what a threshold stands for', () => {
  it.each([
    ['has no forecast', 404, {}],
    ['fails at its forecast', 500, {}],
    ['says something else', 200, { hello: 'world' }],
  ])('says all but the probability where a service %s', async (_, status, body) => {
    const server = await serve((request, response) =>
      request.url?.endsWith('/gas/current') ? sendJson(response, PRICES) : sendJson(response, body, status),
    );
    const client = createGasClient({ url: server.url });
    const context = { client, signal: AbortSignal.timeout(10_000), now: Date.now };
    expect(await threshold.call({ threshold: '5' }, async () => context)).toEqual({
      threshold: '5',
      priceGwei: 5,
      reason: null,
      laneGwei: 10,
      isReached: false,
      probabilityHour: null,
      probabilityDay: null,
    });
  });
});
