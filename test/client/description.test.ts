import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import {
  alertChoices,
  describedRoute,
  EXTRA_FIELDS,
  offeredValues,
  readDescription,
} from '../../src/client/openapi.ts';
import { ALERT_CHANNELS, CHANNELS } from '../../src/contract/alert-channels.ts';
import { ALERT_CONDITIONS, ALERT_STATUSES, GAS_SPEEDS } from '../../src/contract/choices.ts';
import { OPENAPI_PATH, PATHS } from '../../src/contract/routes.ts';
import { rounds } from '../helpers/rounds.ts';
import { failureOf } from './answering.ts';
import { FOREIGN_30, FOREIGN_WORDS } from './foreign-openapi.ts';
import { type HttpServer, sendJson, serve } from './http-server.ts';

const KEY = 'key-that-must-stay-secret-0123456789';

function keeping(path: string, document: unknown): Promise<HttpServer> {
  return serve((request, response) =>
    request.url === path ? sendJson(response, document) : sendJson(response, {}, 404),
  );
}

describe('the document of a service we do not run', () => {
  it('names routes and the values of parameters', () => {
    const said = readDescription(FOREIGN_30);
    expect(said).toMatchObject({ title: 'Gas Station', version: '4.2' });
    expect(said?.routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'get /gas/current',
      'get /alerts',
      'get /alerts/{id}',
      'post /alerts',
      'delete /alerts/{id}',
      'get /dashboard/stats/chart',
      'get /metrics/priority-fee',
    ]);
    expect(offeredValues(said, PATHS.statsChart, 'timeFrame')).toEqual(['1h', '6h', 'epoch', '7d']);
    expect(offeredValues(said, PATHS.priorityFee, 'percentile')).toEqual(['p50', 'p95', 'max']);
    expect(offeredValues(said, PATHS.priorityFee, 'bucket')).toBeNull();
    expect(describedRoute(said, PATHS.gasTrend)).toBeNull();
  });

  it('names what an alert may be made of, and which of our own additions it does not know', () => {
    expect(alertChoices(readDescription(FOREIGN_30), false)).toEqual({
      gasSpeeds: ['SLOW', 'TURBO'],
      conditions: ['LESS_THAN', 'GREATER_THAN'],
      channels: ['EMAIL', 'WEB_PUSH'],
      statuses: ['PENDING', 'DISABLED'],
      unknown: ['threshold', 'hysteresisGwei', 'confirmBlocks', 'targets'],
    });
    expect(alertChoices(readDescription(FOREIGN_WORDS), false).statuses).toEqual(['ON', 'OFF']);
    const whole = {
      gasSpeeds: [...GAS_SPEEDS],
      conditions: [...ALERT_CONDITIONS],
      channels: [...ALERT_CHANNELS],
      statuses: [...ALERT_STATUSES],
      unknown: [],
    };
    expect(alertChoices(undefined, true)).toEqual(whole);
    expect(alertChoices(null, false)).toEqual({
      ...whole,
      channels: CHANNELS.filter(({ isAddition }) => !isAddition).map(({ name }) => name),
      unknown: [...EXTRA_FIELDS],
    });
  });

  it('cannot reach outside itself, turn in circles or write on the terminal', () => {
    const schema = { enum: ['\u001b[31mred', ' b', 'x'.repeat(99), 'ok', 7, null] };
    const parameters = [
      { name: 'a', in: 'query', schema },
      { $ref: 'https://evil.example/parameter.json' },
      { $ref: '#/components/loop' },
    ];
    const said = readDescription({
      openapi: '3.1.0',
      info: { title: '\u001b]0;owned\u0007\u001b[2Jgas' },
      paths: { '/gas/current': { get: { parameters } } },
      components: { loop: { $ref: '#/components/loop' } },
    });
    expect(said?.title).toBe('gas');
    expect(said?.routes[0]?.parameters).toEqual([{ name: 'a', values: ['ok', '7'] }]);
  });

  it('of any shape is read without an error and in bounded size', () => {
    const multiplying = { properties: { a: { $ref: '#/s' }, b: { $ref: '#/s' }, c: { $ref: '#/s' } } };
    const names = [
      ...['get', 'post', 'requestBody', 'schema', 'properties', 'items', 'allOf', 'enum', 'content'],
      ...['application/json', 'parameters', 'name', 'in', '__proto__', '$ref'],
    ];
    const any = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'x', [], { $ref: '#/s' }, { $ref: '#/paths/~1gas~1current' }),
        fc.dictionary(fc.constantFrom(...names), tie('node')),
        fc.array(tie('node'), { maxLength: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(any, (item) => {
        const said = readDescription({ openapi: '3.1.0', s: multiplying, paths: { '/alerts': item } });
        expect(said?.routes[0]?.parameters.length ?? 0).toBeLessThanOrEqual(100);
      }),
      { seed: 3, numRuns: rounds(2_000) },
    );
  });
});

describe('the search for it', () => {
  it('begins at v1’s own place, takes one question there, and is made once', async () => {
    const server = await keeping(OPENAPI_PATH, FOREIGN_30);
    const client = createGasClient({ url: `${server.url}/be/api/v1/`, apiKey: KEY });
    const [one, other] = await Promise.all([client.description(), client.description()]);
    expect(one?.title).toBe('Gas Station');
    expect(other).toBe(one);
    expect(await client.description()).toBe(one);
    expect(server.requests.map(({ path }) => path)).toEqual([OPENAPI_PATH]);
    expect(server.requests[0]?.headers).toHaveProperty('x-api-key', KEY);
  });

  it.each(['/api-playground', '/api-playground-json'])('finds it at %s', async (path) => {
    const server = await keeping(`/gateway${path}`, FOREIGN_30);
    const client = createGasClient({ url: `${server.url}/gateway` });
    expect((await client.description())?.title).toBe('Gas Station');
  });

  it('that finds nobody is an error, and is made again when asked again', async () => {
    const server = await keeping(OPENAPI_PATH, FOREIGN_30);
    let there = false;
    const client = createGasClient({
      url: server.url,
      fetch: (request) => {
        if (!there) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        return fetch(request);
      },
    });
    expect(await failureOf(client.description())).toMatchObject({ code: 'unreachable' });
    there = true;
    expect(await client.description()).not.toBeNull();
  });
});
