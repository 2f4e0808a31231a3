import { describe, expect, it } from 'vitest';
import { sendJson, serve } from '../client/http-server.ts';
import { OWN_ALERT } from '../client/own-answers.ts';
import { runMain } from './captured-io.ts';

const ALERT = { ...OWN_ALERT, id: 'a1' };
const LIST = { items: [ALERT], page: 0, size: 500, total: 1 };

/** A service that answers these questions, and has no other route. */
async function serviceOf(answers: Readonly<Record<string, unknown>>, otherwise = 404) {
  const { url } = await serve((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '').slice('/be/api/v1'.length);
    const answer = new Map(Object.entries(answers)).get(`${request.method} ${path}`);
    sendJson(response, answer ?? { message: 'no such route' }, answer === undefined ? otherwise : 200);
  });
  return async (...argv: string[]) => (await runMain(['alerts', ...argv, '--url', url])).stderr;
}

const WITH_ALERT = { 'GET /alerts': LIST, 'GET /alerts/a1': { ...ALERT, deliveries: [{ id: 'd1' }] } };

describe('what a service does not find', () => {
  it.each([404, 405, 501])(
    'is not the alert where that is there and the route is not (%i)',
    async (status) => {
      const alerts = await serviceOf(WITH_ALERT, status);
      for (const argv of [
        ['disable', 'a1'],
        ['delete', 'a1', '--yes'],
        ['savings', 'a1'],
        ['redeliver', 'a1', 'd1'],
      ]) {
        const stderr = await alerts(...argv);
        expect(stderr).not.toContain('there is no');
        expect(stderr).toMatch(/^gastop: the service (has no|does not offer \w+) \/alerts\/a1[^\n]*\n$/);
      }
    },
  );

  it('is not the alert where the service has no alerts at all', async () => {
    const alerts = await serviceOf({});
    expect(await alerts('show', 'a1')).toContain('the service has no /alerts/a1');
  });

  it('is the alert where the list does not have it either', async () => {
    const alerts = await serviceOf(WITH_ALERT);
    for (const argv of [
      ['show', 'a2'],
      ['disable', 'a2'],
      ['savings', 'a2'],
      ['redeliver', 'a2', 'd1'],
    ]) {
      expect(await alerts(...argv)).toBe('gastop: there is no alert a2; gastop alerts list shows them\n');
    }
  });

  it('is the delivery where the alert is there and was never sent so', async () => {
    const alerts = await serviceOf(WITH_ALERT);
    expect(await alerts('redeliver', 'a1', 'd2')).toBe(
      'gastop: there is no delivery d2 of alert a1; gastop alerts show lists them\n',
    );
  });
});
