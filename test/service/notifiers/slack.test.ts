import { expect, it } from 'vitest';
import type { AlertMessage } from '../../../src/core/alerts/alert-rule.ts';
import { createNotifiers } from '../../../src/service/alerts/notifiers/notifiers.ts';
import { messageOf } from '../../helpers/fired-alert.ts';
import { answering, type Behaviour, startReceiver } from '../../helpers/receiver.ts';

const HOOK = '/services/T0000/B0000/s3cretpath';

async function post(behaviour: Behaviour, message: Partial<AlertMessage> = {}) {
  const receiver = await startReceiver(behaviour);
  const { SLACK } = createNotifiers({ smtp: null, telegram: null, allowPrivateTargets: true });
  const attempt = await SLACK?.deliver(
    {
      id: 'alr_1.1.slack',
      target: new URL(HOOK, receiver.url).href,
      message: messageOf('alr_1', message),
      signingSecrets: [],
    },
    AbortSignal.timeout(30_000),
  );
  const body = JSON.parse(receiver.received[0]?.body ?? '{}') as { text: string };
  return { attempt, body };
}

it('is posted what fired, as plain words', async () => {
  const { attempt, body } = await post(answering(200, 'ok'), { note: 'deploy now' });
  expect(attempt).toMatchObject({ kind: 'delivered', answer: '200 OK: ok' });
  expect(body).toMatchObject({ mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false });
  expect(body.text.split('\n\n').slice(0, 2)).toEqual([
    'Average gas on Ethereum is at 4.32 gwei, below 5 gwei.',
    'deploy now',
  ]);
});

it('mentions, links and dates nothing, whatever a note says', async () => {
  const note =
    '<!channel> <@U123> <https://evil.test|your bank> <!date^1^x|y> &lt;!here> @here @channel me@receiver.test';
  const { body } = await post(answering(200, 'ok'), { note });
  expect(body.text).not.toMatch(/[<>]/);
  expect(body.text).not.toMatch(/@(?:here|channel)/);
  expect(body.text).toContain('&lt;!channel&gt; &lt;@\u2060U123&gt;');
  expect(body.text).toContain('me@receiver.test');
  const shown = body.text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('\u2060', '');
  expect(shown).toContain(note);
});

it.each([
  [404, 'no_service', '404 Not Found: no_service'],
  [403, 'action_prohibited', '403 Forbidden: action_prohibited'],
  [410, 'channel_is_archived', '410 Gone: channel_is_archived'],
  [400, 'invalid_payload', '400 Bad Request: invalid_payload'],
])('that says for good that it takes nothing (%d %s) is not tried again', async (status, words, answer) => {
  const { attempt } = await post(answering(status, words));
  expect(attempt).toEqual({ kind: 'never', answer, retryAfterSec: null });
});

it.each([
  [404, '404 page not found', '404 Not Found: 404 page not found'],
  [404, 'constructor', '404 Not Found: constructor'],
  [410, '', '410 Gone'],
  [500, 'no_service', '500 Internal Server Error: no_service'],
])('of which only a proxy speaks (%d %s) is tried again', async (status, words, answer) => {
  const { attempt } = await post(answering(status, words));
  expect(attempt).toMatchObject({ kind: 'later', answer });
});

it('never has its path, which is a secret, repeated by the log', async () => {
  const { attempt } = await post((response, { path }) => response.writeHead(404).end(`Cannot POST ${path}`));
  expect(attempt).toMatchObject({ kind: 'later', answer: '404 Not Found: Cannot POST …' });
});
