import { expect, it } from 'vitest';
import { ANY_SERVICE, refuseTarget } from '../../../src/contract/alert-targets.ts';
import type { AlertMessage } from '../../../src/core/alerts/alert-rule.ts';
import { createNotifiers } from '../../../src/service/alerts/notifiers/notifiers.ts';
import { messageOf } from '../../helpers/fired-alert.ts';
import {
  answering,
  type Behaviour,
  closedPort,
  type Receiver,
  startReceiver,
} from '../../helpers/receiver.ts';

const TOKEN = '123456789:AAF-s3cret_token';

const json = (status: number, body: unknown): Behaviour =>
  answering(status, JSON.stringify(body), { 'Content-Type': 'application/json' });

const fine = json(200, { ok: true, result: { message_id: 1 } });
const refusal = (status: number, description: string, parameters?: object) =>
  json(status, { ok: false, error_code: status, description, ...(parameters && { parameters }) });

function send(apiUrl: string, message: Partial<AlertMessage> = {}, target = '-100123') {
  const { TELEGRAM } = createNotifiers({
    smtp: null,
    telegram: { token: TOKEN, apiUrl: new URL(apiUrl) },
    // The bot API is where the operator says, and the webhooks' guard is not for it.
    allowPrivateTargets: false,
  });
  if (TELEGRAM === undefined) throw new Error('no notifier for Telegram');
  return TELEGRAM.deliver(
    { id: 'alr_1.1.telegram', target, message: messageOf('alr_1', message), signingSecrets: [] },
    AbortSignal.timeout(30_000),
  );
}

const origin = ({ url }: Receiver) => new URL(url).origin;

it('is sent plain text as the bot, wherever its API is', async () => {
  const api = await startReceiver(fine);
  const note = '*bold* _it_ <b>x</b> [a](https://evil.test) @channel 👨‍👩‍👧\u001b[2J';
  expect(await send(`${origin(api)}/base/`, { note })).toMatchObject({
    kind: 'delivered',
    answer: '200 OK',
  });
  const [got] = api.received;
  expect(got?.path).toBe(`/base/bot${TOKEN}/sendMessage`);
  const body = JSON.parse(got?.body ?? '') as { text: string };
  expect(body).toEqual({
    chat_id: '-100123',
    text: expect.stringContaining('Average gas on Ethereum is at 4.32 gwei, below 5 gwei.'),
    link_preview_options: { is_disabled: true },
  });
  // Without a parse mode it is shown as it is written.
  expect(body.text).toContain('*bold* _it_ <b>x</b> [a](https://evil.test) @channel 👨‍👩‍👧\n');
});

it.each([
  ['-1001234567890_42', { chat_id: '-1001234567890', message_thread_id: 42 }],
  ['-1001234567890_1', { chat_id: '-1001234567890', message_thread_id: 1 }],
  ['@name_42', { chat_id: '@name_42' }],
  ['123456789', { chat_id: '123456789' }],
])('is sent to the topic that its target names: %s', async (target, expected) => {
  expect(refuseTarget('TELEGRAM', target, ANY_SERVICE)).toBeNull();
  const api = await startReceiver(fine);
  await send(origin(api), {}, target);
  const { text: _, link_preview_options: __, ...to } = JSON.parse(api.received[0]?.body ?? '');
  expect(to).toEqual(expected);
});

it.each(['-100123_', '-1001234567890_x', '12_42', '-1001234567890_42_1'])('takes no target %s', (target) => {
  expect(refuseTarget('TELEGRAM', target, ANY_SERVICE)).toContain('must be a chat id');
});

it.each([
  [403, 'Forbidden: bot was blocked by the user'],
  [400, 'Bad Request: chat not found'],
])('that will not bring it there (%d) is not asked again', async (status, description) => {
  const api = await startReceiver(refusal(status, description));
  expect(await send(origin(api))).toMatchObject({
    kind: 'never',
    answer: expect.stringContaining(description),
  });
});

it('that asks for time gets it', async () => {
  const api = await startReceiver(refusal(429, 'Too Many Requests: retry after 17', { retry_after: 17 }));
  expect(await send(origin(api))).toMatchObject({ kind: 'later', retryAfterSec: 17 });
});

it.each([401, 404])('that does not know the bot (%d) is tried again, for another token', async (status) => {
  const api = await startReceiver(refusal(status, 'Unauthorized'));
  expect(await send(origin(api))).toMatchObject({
    kind: 'later',
    answer: `the bot API does not know the bot: its token is wrong or was revoked (${status})`,
  });
});

it('whose group has moved is not asked again, and the log has its new id', async () => {
  const api = await startReceiver(refusal(400, 'group chat was upgraded', { migrate_to_chat_id: -100456 }));
  expect(await send(origin(api))).toMatchObject({
    kind: 'never',
    answer: 'the chat has another id now: -100456',
  });
});

it.each([
  [502, '<html>Bad Gateway</html>', '502 Bad Gateway'],
  [404, 'nothing here', '404 Not Found'],
  [
    200,
    '<html>Welcome to this hotel</html>',
    'the response is not from the bot API; check the telegram settings',
  ],
  [200, '{"ok":"yes"}', 'the response is not from the bot API; check the telegram settings'],
  [200, '{"ok":false}', 'the response is not from the bot API; check the telegram settings'],
])('that is not there, but something else answering %d %s, is tried again', async (status, body, answer) => {
  const api = await startReceiver(answering(status, body));
  expect(await send(origin(api))).toEqual({ kind: 'later', answer, retryAfterSec: null });
});

it('never has its token said or sent elsewhere', async () => {
  const elsewhere = await startReceiver(fine);
  const answers = [
    answering(500, `no route for /bot${TOKEN}/sendMessage`),
    refusal(400, `bad token ${TOKEN}`),
    answering(307, '', { Location: `${origin(elsewhere)}/bot${TOKEN}/sendMessage` }),
  ];
  const api = await startReceiver();
  for (const behaviour of answers) {
    api.behave(behaviour);
    expect(JSON.stringify(await send(origin(api)))).not.toContain('s3cret');
  }
  expect(elsewhere.received).toEqual([]);
  const refused = await send(`http://127.0.0.1:${await closedPort()}`);
  expect(refused).toMatchObject({ kind: 'later', answer: 'connection refused' });
});
