import { beforeEach, describe, expect, it } from 'vitest';
import { LISTS_ALL } from '../client/foreign-openapi.ts';
import { sendJson, serve } from '../client/http-server.ts';
import { OWN_ALERT } from '../client/own-answers.ts';
import { slowIt } from '../helpers/rounds.ts';
import { runMain } from './captured-io.ts';

type Likely = Readonly<Record<string, number | null>>;

describe('how likely the price of an alert is', () => {
  let likely: Likely | 'not offered' = {};
  let asked: URLSearchParams[] = [];
  let url = '';
  beforeEach(async () => {
    asked = [];
    ({ url } = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (request.method === 'POST') return sendJson(response, OWN_ALERT, 201);
      if (!pathname.endsWith('/gas/recommendation') || likely === 'not offered') {
        return sendJson(response, { message: 'no such route' }, 404);
      }
      asked.push(searchParams);
      const probability = likely[searchParams.get('deadlineSec') ?? ''] ?? null;
      sendJson(response, { action: 'WAIT', reach: { probability, reason: null } });
    }, LISTS_ALL));
  });
  const create = (...argv: string[]) => runMain(['alerts', 'create', ...argv, '--terminal', '--url', url]);

  it('is said of one hour and of a day once it is made, beside the id', async () => {
    likely = { 3600: 0.25, 86400: 0.995 };
    const { exitCode, stdout, stderr } = await create('--below', '0.04');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'alr_1\n' });
    expect(stderr).toMatch(/\ngastop: likely at or below 0\.04 gwei: 25 % within 1h, over 99 % within 1d\n$/);
    expect(asked.map((query) => query.get('targetGwei'))).toEqual(['0.04', '0.04']);
  });

  it('is not asked of a price that is to rise, nor for programs', async () => {
    likely = { 3600: 0.25, 86400: 0.995 };
    expect((await create('--above', '0.04')).stderr).not.toContain('likely');
    expect((await create('--below', '0.04', '--json')).stderr).toBe('');
    expect(asked).toEqual([]);
  });

  slowIt('is said by preview too, below what would have happened', async () => {
    const argv = ['alerts', 'preview', '--demo', '--below', '1000000'];
    const { exitCode, stdout } = await runMain(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\[SIMULATED\] {2}would have fired [^\n]+\nlikely at or below 1,000,000 gwei: (?:over )?99 % within 1h[^\n]*\n$/,
    );
    expect((await runMain([...argv, '--json'])).stdout).not.toContain('likely');
  });
});
