import { expect, test } from 'vitest';
import { logAttempt } from '../../src/cli/commands/run-service.ts';
import type { AttemptOutcome } from '../../src/store/outbox.ts';
import { messageOf } from '../helpers/fired-alert.ts';

function lineOf(answer: string, outcome: AttemptOutcome): string {
  const lines: string[] = [];
  const take = (line: string) => lines.push(line);
  logAttempt(
    { info: take, warn: take },
    {
      delivery: {
        id: 'alr_1.1.email',
        channel: 'EMAIL',
        target: 'jane.doe@example.org',
        message: messageOf('alr_1'),
        tries: 0,
        triesSince: 0,
        isUntouched: true,
      },
      attempt: { at: 0, latencyMs: 12, ok: outcome.kind === 'delivered', answer },
      outcome,
    },
  );
  return lines.join('\n');
}

test('a line says what came of an attempt, and nothing of where it went', () => {
  expect(lineOf('250 queued for jane.doe@example.org', { kind: 'delivered' })).toBe(
    'alert delivery alr_1.1.email: delivered in 12 ms',
  );
  expect(lineOf('550 5.1.1 <jane.doe@example.org>: unknown', { kind: 'failed' })).toBe(
    'alert delivery alr_1.1.email: answered 550; given up',
  );
  expect(lineOf('404 Not Found: no hook at /hooks/s3cret?token=x', { kind: 'again', at: 0 })).toBe(
    'alert delivery alr_1.1.email: answered 404; tried again at 1970-01-01T00:00:00.000Z',
  );
  expect(lineOf('410 Gone: /hooks/s3cret', { kind: 'gone', reason: '' })).toBe(
    'alert delivery alr_1.1.email: answered 410; its alert is disabled',
  );
  expect(lineOf('the mail server does not take the sender: jane.doe@example.org', { kind: 'failed' })).toBe(
    'alert delivery alr_1.1.email: not taken; given up',
  );
});

test('what the operator has to set up is said whole', () => {
  const words = 'EMAIL is not set up in the process that sends (gastop, process 4711)';
  expect(lineOf(words, { kind: 'waits', at: 0 })).toBe(`alert delivery alr_1.1.email: ${words}`);
});
