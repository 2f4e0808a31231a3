import { describe, expect, it } from 'vitest';
import { createGasClient, type GasClientOptions } from '../../src/client/client.ts';
import { probeService, verdictOf } from '../../src/client/doctor.ts';
import { Http } from '../../src/client/http.ts';
import { sendJson, serve } from './http-server.ts';
import { OWN_RECOMMENDATION, OWN_SNAPSHOT, OWN_TREND } from './own-answers.ts';

async function probe(options: GasClientOptions, signal = new AbortController().signal) {
  const finding = await probeService({
    http: new Http(options),
    client: createGasClient(options),
    connection: null,
    now: () => Date.now(),
    signal,
  });
  return { finding, outcomes: finding.routes.map(({ outcome }) => outcome) };
}

describe('a service that stops answering', () => {
  it('at the first question is asked nothing more', async () => {
    const { url, requests } = await serve(() => {});
    const { finding, outcomes } = await probe({ url, timeoutMs: 2_000 });
    expect(requests).toHaveLength(1);
    expect(outcomes[0]).toBe('unreachable');
    expect(new Set(outcomes.slice(1))).toEqual(new Set(['not-asked']));
    expect(verdictOf(finding, Date.now())).toMatchObject({
      result: 'unreachable',
      message: expect.stringContaining('did not respond within 2 s'),
    });
  });

  it('under way is given up after two questions, and is usable for what it had answered', async () => {
    const answers: Record<string, unknown> = {
      current: OWN_SNAPSHOT,
      trend: OWN_TREND,
      recommendation: OWN_RECOMMENDATION,
    };
    const { url, requests } = await serve(({ url: path = '' }, response) => {
      const answer = answers[path.split('/').at(-1) ?? ''];
      if (answer !== undefined && path.includes('/gas/')) sendJson(response, answer);
    });
    const { finding, outcomes } = await probe({ url, timeoutMs: 2_000 });
    expect(requests).toHaveLength(5);
    expect(outcomes.slice(0, 6)).toEqual([
      ...['understood', 'understood', 'understood'],
      ...['unreachable', 'unreachable', 'not-asked'],
    ]);
    expect(verdictOf(finding, Date.now())).toMatchObject({ result: 'usable' });
  });
});
