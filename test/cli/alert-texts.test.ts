import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cutLines } from '../../src/cli/output.ts';
import { alertDetailsText, alertListLines, alertSavingsText } from '../../src/cli/text/alerts.ts';
import type { AlertDetailsView, AlertSavingsView, AlertView } from '../../src/client/views/alerts.ts';
import { ALERT_CHANNELS } from '../../src/contract/alert-channels.ts';
import { ALERT } from '../tui/fake-alerts.ts';

const NOW = Date.UTC(2026, 0, 5, 11, 30, 0);
const HOSTILE = '\u001b[2J\u001b]0;title\u0007a\nb\u202e';

describe('gastop alerts show', () => {
  it('says what it watches for, how it stands, whom it tells and what was sent', () => {
    expect(alertDetailsText(ALERT, NOW).split('\n')).toEqual([
      'id            alr_7f3a1c90',
      'fires when    Average < 0.04 gwei',
      'state         cooling down until 2026-01-05 12:20:00 UTC',
      'note          deploy the registry',
      'email         gas@example.org',
      'fired         2 times',
      'last fired    2026-01-05 11:20:00 UTC',
      'cooldown      1h',
      'after firing  armed again',
      're-arm margin none',
      'holds for     1 block',
      'made          2026-01-04 09:00:00 UTC',
      'changed       2026-01-05 11:20:00 UTC',
      '',
      'sent, newest first (UTC)',
      '  2026-01-05 11:20:00  email  delivered  alr_7f3a1c90.2.email',
      '    2026-01-05 11:20:01  ok after 183 ms  250 OK: queued',
    ]);
  });

  it('says why the service disabled it, what was missed, and when a delivery is tried again', () => {
    const alert: AlertDetailsView = {
      ...ALERT,
      status: 'DISABLED',
      cooldownUntil: null,
      disabledReason: 'the recipient is gone (410)',
      missed: { count: 3, lastAt: Date.UTC(2026, 0, 5, 3) },
      deliveries: (ALERT.deliveries ?? []).map((delivery) => ({
        ...delivery,
        status: 'PENDING',
        nextAttemptAt: NOW + 60_000,
        attempts: [{ at: NOW, latencyMs: null, ok: false, answer: 'connection refused' }],
      })),
    };
    const text = alertDetailsText(alert, NOW);
    expect(text).toContain('disabled      the recipient is gone (410)\n');
    expect(text).toContain(
      'missed        3 times while nothing evaluated alerts, last 2026-01-05 03:00:00\n              UTC\n',
    );
    expect(text).toContain('email  pending, tried again at 2026-01-05 11:31:00  alr_7f3a1c90.2.email\n');
    expect(text).toContain('    2026-01-05 11:30:00  failed  connection refused');
  });

  it('shows all of a note, in lines as wide as it has room for, no character parted', () => {
    const shown = alertDetailsText({ ...ALERT, note: `${'🚀'.repeat(250)} ${'🇩🇪'.repeat(125)}` }, NOW).split(
      '\n',
    );
    const note = shown.join('');
    expect(note.match(/🚀/gu)).toHaveLength(250);
    expect(note.match(/🇩🇪/gu)).toHaveLength(125);
    expect(Math.max(...shown.map((line) => stringWidth(line)))).toBe(80);
  });

  it('does no harm to a terminal, whatever a service says', () => {
    const alert: AlertDetailsView = {
      ...ALERT,
      ...{ id: HOSTILE, status: HOSTILE, gasSpeed: HOSTILE, condition: HOSTILE, note: HOSTILE, to: HOSTILE },
      ...{ channels: [HOSTILE], method: HOSTILE, disabledReason: HOSTILE },
      deliveries: [
        {
          ...{ id: HOSTILE, eventId: null, channel: HOSTILE, target: null, status: HOSTILE, createdAt: null },
          nextAttemptAt: null,
          attempts: [{ at: null, latencyMs: null, ok: null, answer: HOSTILE }],
        },
      ],
    };
    const text = alertDetailsText(alert, NOW) + alertListLines([alert], NOW, 80).join('\n');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text.split('\n').filter((line) => line.startsWith('b'))).toEqual([]);
  });
});

describe('gastop alerts list', () => {
  const alert = (change: Partial<AlertView>): AlertView => ({ ...ALERT, ...change });
  const many = [
    alert({ channels: [...ALERT_CHANNELS], note: '🚀 '.repeat(100) }),
    alert({ id: 'x', status: 'DISABLED', note: '' }),
  ];

  it.each([40, 60, 80, 120, 200])('keeps to %i columns, wide characters too', (width) => {
    const lines = cutLines({ ascii: { value: false, from: '' } }, alertListLines(many, NOW, width), width);
    for (const line of lines.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it('does without what matters least where it is narrow, but not without the note', () => {
    const heading = (width: number | null) => alertListLines([ALERT], NOW, width)[0]?.split(/ {2,}/);
    expect(heading(null)).toEqual(['id', 'when', 'state', 'notify', 'fired', 'last (UTC)', 'note']);
    expect(heading(80)).toEqual(['id', 'when', 'state', 'notify', 'fired', 'note']);
    expect(heading(200)).toEqual(heading(null));
  });
});

const entry = {
  triggeredAt: Date.UTC(2026, 0, 5, 11, 20),
  blockNumber: 24_000_000,
  price: 39_000_000n,
  referencePrice: 62_000_000n,
  savedWei: 3_450_000_000_000n,
  savedUsd: 0.0111,
};
const savings: AlertSavingsView = {
  events: 30,
  savedWei: 103_500_000_000_000n,
  savedUsd: null,
  best: entry,
  gasAmount: 150_000,
  entries: Array.from({ length: 30 }, () => entry),
};

it('gastop alerts savings sums up, names the best, and lists the newest firings', () => {
  const lines = alertSavingsText(savings, 'ETH').split('\n');
  expect(lines.slice(0, 7)).toEqual([
    'firings       30',
    'saved         +0.000104 ETH at 150,000 gas each',
    'best          +0.00000345 ETH  +$0.011 on 2026-01-05 11:20:00 UTC at 0.0390 gwei',
    '              instead of 0.0620, the mean of the day before',
    'against       the mean of the day before',
    '',
    'fired (UTC)            block   gwei  reference                      saved',
  ]);
  expect(lines[7]).toBe('2026-01-05 11:20  24,000,000  0.039      0.062  +0.00000345 ETH (+$0.011)');
  expect(lines.at(-1)).toBe('and 10 more: --json has them');
});
