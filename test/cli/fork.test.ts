import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/contract/routes.ts';
import { LISTS_ALL } from '../client/foreign-openapi.ts';
import { sendJson, serve } from '../client/http-server.ts';
import { OWN_SNAPSHOT } from '../client/own-answers.ts';
import { runMain } from './captured-io.ts';
import { OWN_ROUTES, serveAnswers } from './doctor-services.ts';

describe('gastop fork', () => {
  it('says of the simulated chain which rules hold and when the fork comes that it is to cross', async () => {
    const { exitCode, stdout } = await runMain(['fork', '--demo', '--fork', '50']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^gas rules +those of Osaka, by the header of the newest block$/m);
    expect(stdout).toMatch(/^next fork +Amsterdam on .* UTC, in \d+m/m);
  });

  it('puts what usual work takes before and after Amsterdam beside each other while that is ahead', async () => {
    const { stdout } = await runMain(['fork', '--demo', '--fork', '50']);
    expect(stdout).toMatch(/^gas of usual work +Osaka, now +Amsterdam, then$/m);
    expect(stdout).toMatch(/^ETH transfer to a new account +21,000 +204,600$/m);
    expect(stdout).toMatch(/^ERC-20 transfer to a new holder +51,567 +140,787$/m);
    expect(stdout).toMatch(/^Swap +101,095 +139,695$/m);
    const alone = await runMain(['fork', '--demo']);
    expect(alone.stdout).toMatch(/^gas of usual work +Osaka, now$/m);
    expect(alone.stdout).not.toContain('204,600');
  });

  it.each([[[]], [['--fork']], [['--fork', '50']]])('says why it names no auto-tx with %j', async (more) => {
    const { stdout } = await runMain(['fork', '--demo', ...more]);
    expect(stdout).toMatch(/^auto-txs: none waits here$/m);
  });

  it.each(['PENDING', 'DISABLED'])(
    'names an auto-tx that is %s and whose gas is not enough',
    async (status) => {
      const check = { name: 'intrinsic-gas', result: 'pass', ok: false, code: 'gas_too_low_after_fork' };
      const waiting = { id: 'atx_1', status, checks: [{ ...check, message: 'enough until Amsterdam' }] };
      const ended = { ...waiting, id: 'atx_2', status: 'CANCELLED' };
      const answers: Readonly<Record<string, unknown>> = {
        '/gas/current': OWN_SNAPSHOT,
        [PATHS.chainRules]: { rules: 'osaka', source: 'header', usualWork: [] },
        [PATHS.autoTxs]: { items: [waiting, ended], page: 0, size: 20, total: 2 },
      };
      const { url } = await serve(
        (request, response) => {
          const path = (request.url ?? '').replace(/^.*\/v1/, '').replace(/\?.*$/, '');
          sendJson(response, answers[path] ?? {}, path in answers ? 200 : 404);
        },
        { ...LISTS_ALL, paths: { ...LISTS_ALL.paths, [PATHS.chainRules]: { get: {} } } },
      );
      const { stdout } = await runMain(['fork', '--url', url]);
      expect(stdout).toMatch(/^ {2}atx_1 {2}enough until Amsterdam$/m);
      expect(stdout).not.toContain('atx_2');
    },
  );

  it('prints the response of the service as it is with --json', async () => {
    const { stdout } = await runMain(['fork', '--demo', '--fork', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ rules: 'osaka', source: 'header', blobSchedule: { target: 14, max: 21 } },
      next: { kind: 'amsterdam', at: expect.any(Number) },
      usualWork: expect.arrayContaining([{ name: 'Swap', osaka: 101_095, amsterdam: 139_695 }]),
    });
  });

  it('says that none is known where none is scheduled', async () => {
    const { stdout } = await runMain(['fork', '--demo']);
    expect(stdout).toMatch(/^next fork +none is known/m);
  });

  it('says of a service that does not tell of forks that it does not', async () => {
    const { url } = await serveAnswers(OWN_ROUTES);
    const { exitCode, stderr } = await runMain(['fork', '--url', url]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('which gas rules hold');
  });

  it.each([
    [['fork', '--fork', '20', '--url', 'http://127.0.0.1:1'], '--fork goes with --demo'],
    [['fork', '--demo', '--fork=0'], '"0" is not a number of blocks'],
    [['fork', '--demo', '--fork=soon'], '"soon" is not a number of blocks'],
  ])('refuses %j', async (argv, words) => {
    const { exitCode, stderr } = await runMain(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});
