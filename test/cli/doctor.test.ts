import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { PATHS, V1_ROUTES } from '../../src/contract/routes.ts';
import { fixture } from '../client/answering.ts';
import { HAS_OPENSSL, selfSigned } from '../client/certificates.ts';
import { OWN_ALERT_DETAILS, OWN_ALERTS, OWN_SAVINGS } from '../client/own-answers.ts';
import { closedPort } from '../helpers/receiver.ts';
import { type RunOptions, runMain } from './captured-io.ts';
import { type Answering, OWN_ROUTES, send, serveAnswers } from './doctor-services.ts';
import { SHORT_RECORDING } from './served.ts';

const KEY = 'gk_a-very-secret-key';
const READ_PATHS = V1_ROUTES.filter(({ method }) => method === 'get').map(({ path }) => path);

const doctor = (url: string, argv: readonly string[] = [], options: RunOptions = {}) =>
  runMain(['doctor', '--url', url, ...argv], { env: { GASTOP_API_KEY: KEY }, ...options });

const REPORTED =
  'service usable verdict exitCode message warnings connection clock headAgeSec quota description routes'.split(
    ' ',
  );

async function reportOn(url: string, options: RunOptions = {}) {
  const { exitCode, stdout } = await doctor(url, ['--json'], options);
  const report = JSON.parse(stdout);
  expect(Object.keys(report)).toEqual(expect.arrayContaining(REPORTED));
  expect(report.exitCode).toBe(exitCode);
  expect(stdout).not.toContain(KEY);
  return {
    ...report,
    route: (path: string) => report.routes.find((route: { path: string }) => route.path === path),
  };
}

/** Lines are broken where the terminal ends, which is not what a test is about. */
const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ');

function expectHarmless({ stdout, stderr }: { stdout: string; stderr: string }): void {
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(stdout + stderr).not.toContain(KEY);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
}

describe('a service that speaks v1', () => {
  it('is usable: each read route is told, each asked once', async () => {
    const { url, asked, keys } = await serveAnswers(OWN_ROUTES);
    const result = await doctor(url);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expectHarmless(result);
    for (const path of READ_PATHS) expect(result.stdout).toContain(`\n${path} `);
    expect(result.stdout).toMatch(/\n\/gas\/current {17}200 +\d+ {2}valid, [34]\d fields\n/);
    expect(result.stdout).toContain('/alerts                      404');
    expect(result.stdout).toMatch(/\nusable: its prices are understood/);
    const v1 = asked.filter((path) => !/openapi|api-docs|playground/.test(path));
    expect(new Set(v1).size).toBe(v1.length);
    expect(v1).toHaveLength(16);
    expect(new Set(keys)).toEqual(new Set([KEY]));
  });

  it('without alerts: not offered is no failure, and what hangs on them is skipped and says why', async () => {
    const { url } = await serveAnswers(OWN_ROUTES);
    const { route, warnings } = await reportOn(url);
    expect(route(PATHS.alerts)).toMatchObject({ outcome: 'not-offered', status: 404 });
    expect(route(PATHS.alert)).toMatchObject({ outcome: 'skipped', asked: null });
    expect(route(PATHS.alertSavings)?.note).toContain('no alert to ask for');
    expect(warnings).toEqual([]);
  });

  it('with alerts: the first one is asked for by its id', async () => {
    const { url } = await serveAnswers({
      ...OWN_ROUTES,
      '/alerts': { items: [{ _id: 'a/1', status: 'PENDING' }], page: 0, size: 5, total: 1 },
      '/alerts/a%2F1': { id: 'a/1', status: 'PENDING' },
      '/alerts/a%2F1/savings': { alertId: 'a/1', events: 0 },
      '/auto-txs': [],
    });
    const { route } = await reportOn(url);
    for (const path of [PATHS.alerts, PATHS.alert, PATHS.alertSavings, PATHS.autoTxs]) {
      expect(route(path)).toMatchObject({ path, outcome: 'understood' });
    }
    expect(route(PATHS.alert)?.asked).toBe('/alerts/a%2F1');
    expect(route(PATHS.autoTx)).toMatchObject({ outcome: 'skipped' });
  });

  it('with alerts like ours has them understood to the letter', async () => {
    const { url } = await serveAnswers({
      ...OWN_ROUTES,
      '/alerts': OWN_ALERTS,
      '/alerts/alr_1': OWN_ALERT_DETAILS,
      '/alerts/alr_1/savings': OWN_SAVINGS,
    });
    const { route } = await reportOn(url);
    for (const path of [PATHS.alerts, PATHS.alert, PATHS.alertSavings]) {
      expect(route(path)).toMatchObject({
        outcome: 'understood',
        reading: { match: 'letter', missing: [], senseless: [], renamed: [], unknown: [] },
      });
    }
  });

  it('that tells of limits and a description has all that told', async () => {
    const { url } = await serveAnswers({
      ...OWN_ROUTES,
      '/api-playground/openapi.json': {
        openapi: '3.1.0',
        info: { title: 'Gas of others', version: '9' },
        paths: { '/be/api/v1/gas/current': { get: { responses: {} } } },
      },
    });
    expect(await reportOn(url)).toMatchObject({
      quota: { remainingToday: 9_960 },
      description: { routes: 1 },
    });
    const { stdout } = await doctor(url);
    expect(stdout).toContain('9,960 of 10,000 left today');
    expect(stdout).toContain('description   OpenAPI, Gas of others 9: 1 route of v1');
  });

  it.each([
    ['an hour ahead', 3_600, 'ahead of ours'],
    ['a minute behind', -60, 'behind ours'],
  ])('whose clock is %s is usable, with a warning', async (_title, offSec, words) => {
    const date = () => new Date(Date.now() + offSec * 1_000).toUTCString();
    const { url } = await serveAnswers(OWN_ROUTES, { headers: { date: date() } });
    const { exitCode, clock, warnings } = await reportOn(url);
    expect(exitCode).toBe(0);
    expect(Math.abs((clock?.skewSec ?? 0) - offSec)).toBeLessThan(30);
    expect(warnings.join()).toContain(words);
  });

  it('that is stale and old is usable, with warnings', async () => {
    const old = { ...own('/gas/current'), stale: true, blockTimestamp: '2026-01-20T12:00:00.000Z' };
    const { url } = await serveAnswers({ ...OWN_ROUTES, '/gas/current': old });
    const { exitCode, warnings, headAgeSec } = await reportOn(url);
    expect(exitCode).toBe(0);
    expect(headAgeSec).toBeGreaterThan(300);
    const reason = 'the blocks since the last run are still to come';
    expect(warnings).toEqual([`its prices are stale: ${reason}`]);
  });

  it.each([[[]], [['its tips are odd']], [['one', 'another\u001b[2J']]])(
    'whose node is odd (%j) is usable, with a warning for each oddity',
    async (notes) => {
      const { health, ...summary } = own('/dashboard/summary');
      const node = { name: 'a:1', state: 'ok', head: 1, latencyMs: 1, message: '', notes };
      const answer = { ...summary, health: { ...Object(health), nodes: [node] } };
      const { url } = await serveAnswers({ ...OWN_ROUTES, '/dashboard/summary': answer });
      const { exitCode, warnings, oddities } = await reportOn(url);
      expect(exitCode).toBe(0);
      expect(warnings).toEqual(notes.map((note) => `a:1: ${note.replace('\u001b[2J', '')}`));
      expect(oddities).toEqual(warnings);
    },
  );

  it('is drawn in colour on a terminal only, and not with NO_COLOR or CLICOLOR=0', async () => {
    const { url } = await serveAnswers(OWN_ROUTES);
    const colour = /\u001b\[32m/;
    expect((await doctor(url, [], { terminal: true })).stdout).toMatch(colour);
    expect((await doctor(url)).stdout).not.toContain('\u001b');
    for (const [name, value] of [
      ['NO_COLOR', '1'],
      ['CLICOLOR', '0'],
    ] as const) {
      const env = { [name]: value };
      expect((await doctor(url, [], { terminal: true, env })).stdout).not.toContain('\u001b');
    }
  });
});

function own(path: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(OWN_ROUTES[path]);
}

describe('a service that we did not write', () => {
  it('with the six fields of a hosted one is usable, and told what is guessed and what is missing', async () => {
    const { url } = await serveAnswers({
      '/gas/current': JSON.parse(fixture('hosted-snapshot-gwei.json')),
      '/metrics/base-fee': JSON.parse(fixture('metrics-paged.json')),
      '/metrics/priority-fee': JSON.parse(fixture('metrics-refused.json')),
      '/dashboard/rate-limits': { plan: 'Pro', daily_limit: 5_000, usedToday: 4_990, remainingToday: 10 },
    });
    const { exitCode, route, warnings } = await reportOn(url);
    expect(exitCode).toBe(0);
    expect(route(PATHS.gasCurrent)).toMatchObject({
      outcome: 'understood',
      reading: { match: 'tolerant', prices: 'gwei' },
    });
    expect(route(PATHS.gasTrend)).toMatchObject({ outcome: 'not-offered' });
    expect(route(PATHS.priorityFee)?.asked).toMatch(/\?from=20.*Z&to=20.*Z&percentile=p95$/);
    expect(route(PATHS.priorityFee)).toMatchObject({ outcome: 'unreadable' });
    expect(warnings).toContainEqual(expect.stringContaining('from must be before to'));
    expect(warnings).toContainEqual(expect.stringContaining("10 requests are left of today's quota"));
    const result = await doctor(url);
    expectHarmless(result);
    expect(result.stdout).toContain('understood, 6 of ');
    expect(result.stdout).toContain('prices taken for gwei, by their size');
    expect(unwrapped(result.stdout)).toMatch(/missing: chainId, .*nextBasePrice/);
    expect(unwrapped(result.stdout)).toContain('data[].mean = mean_wei');
  });

  it('whose snapshot lacks a price is not usable: exit 1, with the field', async () => {
    const { url } = await serveAnswers({ '/gas/current': fixture('snapshot-missing-average.json') });
    const { exitCode, stdout } = await doctor(url);
    expect(exitCode).toBe(1);
    expect(unwrapped(stdout)).toMatch(
      / not usable: the response of \S+ to \/gas\/current has no averagePrice/,
    );
  });
});

describe('a service that cannot be used', () => {
  const refusing = (status: number, errorCode: string, message?: string, headers = {}): Answering => {
    return (_request, response) => send(response, { errorCode, message }, status, headers);
  };

  it('because nothing listens: exit 3, and nothing else is tried', async () => {
    const host = `127.0.0.1:${await closedPort()}`;
    const { exitCode, stdout } = await doctor(`http://${host}`);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`nothing listens at ${host}`);
    expect(stdout.match(/no answer\n/g)).toHaveLength(1);
    expect(stdout).toContain('\n18 routes were not asked: the service does not answer\n');
    expect(stdout).toMatch(/\nno answer: /);
  });

  it('because its chain is down: exit 3', async () => {
    const refuse = refusing(503, 'upstream_unavailable', 'no node answers');
    const { url } = await serveAnswers({ '/gas/current': refuse });
    expect(await reportOn(url)).toMatchObject({ exitCode: 3, message: 'no node answers' });
  });

  it.each([
    [401, 'api_key_invalid', 4, 'key'],
    [403, 'plan_forbidden', 4, 'key'],
    [429, 'daily quota', 5, 'quota'],
  ])('because it answers %i: the exit code says so', async (status, errorCode, expected, verdict) => {
    const refuse = refusing(status, errorCode, `refused ${KEY}`);
    const { url, asked } = await serveAnswers(Object.fromEntries(READ_PATHS.map((path) => [path, refuse])));
    const report = await reportOn(url);
    expect(report).toMatchObject({ exitCode: expected, verdict });
    // What says no to everything is asked for nothing more.
    if (status !== 403) expect(asked).toEqual(['/gas/current']);
    expectHarmless(await doctor(url));
  });

  it('without a key says how to set one', async () => {
    const { url } = await serveAnswers({ '/gas/current': refusing(401, 'api_key_missing') });
    const { exitCode, stdout } = await runMain(['doctor', '--url', url]);
    expect(exitCode).toBe(4);
    expect(stdout).toContain('GASTOP_API_KEY');
    expect(stdout).toContain(', without a key');
    expect(stdout).toContain('18 routes were not asked: the service asks for a key');
  });

  it('in part, because the plan allows its prices only, is usable and says what is not in the plan', async () => {
    const refuse = refusing(403, 'plan_forbidden', 'ask for another');
    const { url } = await serveAnswers({ ...OWN_ROUTES, '/alerts': refuse, '/auto-txs': refuse });
    const { exitCode, message, warnings } = await reportOn(url);
    expect({ exitCode, warnings }).toEqual({ exitCode: 0, warnings: [] });
    expect(message).toBe(
      'its prices are understood, and so are 14 of 19 read routes; 2 are not in the plan of this key; 3 are skipped',
    );
  });

  it('because the quota ends under way: it stops there, exit 5, and tells what it had', async () => {
    const refuse = refusing(429, 'rate_limit_exceeded', 'the daily quota');
    const { url, asked } = await serveAnswers({ ...OWN_ROUTES, '/dashboard/stats/chart': refuse });
    const { exitCode, route, verdict } = await reportOn(url);
    expect({ exitCode, verdict }).toEqual({ exitCode: 5, verdict: 'quota' });
    expect(route(PATHS.gasCurrent)?.outcome).toBe('understood');
    expect(route(PATHS.summary)).toMatchObject({
      outcome: 'not-asked',
      note: 'the quota is used up',
    });
    expect(asked.at(-1)).toContain('/dashboard/stats/chart');
  });

  it('because it is too quick for the key: says so, not that the quota is used up', async () => {
    const words = 'more than 1 requests per second';
    const refuse = refusing(429, 'rate_limit_exceeded', words, { 'retry-after': '2' });
    const { url } = await serveAnswers({ ...OWN_ROUTES, '/dashboard/stats/chart': refuse });
    const { exitCode, stdout } = await runMain(['doctor', '--url', url]);
    expect(exitCode).toBe(5);
    expect(stdout).toMatch(/routes were not asked: they came too fast for this key/);
  });
});

it('a service that takes its time has the question under way shown on stderr, on a terminal, and taken away again', async () => {
  let answer = () => {};
  const slow: Answering = (_request, response) => {
    answer = () => {
      answer = () => {};
      send(response, OWN_ROUTES['/gas/trend']);
    };
  };
  const { url } = await serveAnswers({ ...OWN_ROUTES, '/gas/trend': slow });
  const onStderr = (text: string) => {
    if (text.includes('asking /gas/trend')) answer();
  };
  const { exitCode, stdout, stderr } = await doctor(url, [], { terminal: true, onStderr });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('asking');
  expect(stderr.endsWith('\r\u001b[K')).toBe(true);
});

describe('a source in this process', () => {
  it('is probed without a network, and says that it is in this process', async () => {
    const { exitCode, stdout, stderr } = await runMain(['doctor', '--demo']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('seed 1, a service in this process');
    expect(stdout).toContain('[SIMULATED]');
    expect(stdout).not.toContain('not set up');
    expect(stdout).not.toMatch(/^(dns|tcp|tls|clock) /m);
  });

  it('says what to set so that its alerts can be sent on channels that need settings', async () => {
    const { stdout } = await runMain(['doctor', '--replay', SHORT_RECORDING]);
    expect(unwrapped(stdout)).toContain(
      'alerts EMAIL is not set up: set smtp in the config file, or GASTOP_SMTP_URL and GASTOP_SMTP_FROM',
    );
    expect(unwrapped(stdout)).toContain('TELEGRAM is not set up: set telegram.token in the config file');
  });
});

describe.skipIf(!HAS_OPENSSL)('over TLS (where it is skipped: no openssl to make a certificate)', () => {
  const trusting = (cert: string) => {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    onTestFinished(() => setDefaultCACertificates(before));
  };

  it('with an untrusted certificate: exit 3, and the report names the certificate', async () => {
    const { url } = await serveAnswers(OWN_ROUTES, { secure: selfSigned() });
    const result = await doctor(url);
    expect(result.exitCode).toBe(3);
    expectHarmless(result);
    expect(result.stdout).toContain('tls           TLSv1.3');
    expect(result.stdout).toMatch(/certificate {3}gas\.example\.org, Test of gastop, issued by/);
    expect(unwrapped(result.stdout)).toContain('not trusted: it is self-signed');
  });

  it('with one that is trusted: usable, and a certificate that ends soon is a warning', async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const certificate = selfSigned({ to: soon });
    trusting(certificate.cert);
    const { url } = await serveAnswers(OWN_ROUTES, { secure: certificate });
    const { exitCode, connection, warnings } = await reportOn(url);
    expect({ exitCode, connection }).toMatchObject({
      exitCode: 0,
      connection: { encrypted: true, tls: { ok: true, trusted: true } },
    });
    expect(warnings).toEqual([expect.stringMatching(/^the certificate ends in 2d/)]);
  });
});
