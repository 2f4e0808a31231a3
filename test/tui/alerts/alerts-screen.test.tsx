import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { AlertDetailsView } from '../../../src/client/views/alerts.ts';
import { AlertsPane } from '../../../src/tui/panes/alerts/alerts-pane.tsx';
import { resourceRequest } from '../../../src/tui/resource/resource-pane.tsx';
import { waitFor } from '../../helpers/wait-for.ts';
import { ALERT, fakeAlerts, SAVINGS } from '../fake-alerts.ts';
import { describing, SNAPSHOT, SUMMARY } from '../fake-gas.ts';
import { type ShowOptions, SIZES, showScreen, until } from '../show-screen.tsx';

const AT = SNAPSHOT.blockTimestamp ?? 0;

const alertOf = (id: string, changes: Partial<AlertDetailsView> = {}): AlertDetailsView => ({
  ...ALERT,
  id,
  cooldownUntil: null,
  ...changes,
});

const ARMED = alertOf('alr_armed', { note: 'deploy the registry' });
const DISABLED = alertOf('alr_off', { status: 'DISABLED', gasSpeed: 'SLOW', note: 'second' });
const MANY = Array.from({ length: 3_000 }, (_, place) =>
  alertOf(`alr_${place}`, { threshold: BigInt(10_000_000 + place * 1_000), note: `note ${place}` }),
);

type Alerts = ReturnType<typeof fakeAlerts>;

function show(
  alerts: readonly AlertDetailsView[],
  options: Partial<ShowOptions> = {},
  changes: Partial<Alerts> = {},
) {
  const service = { ...fakeAlerts(alerts), ...changes };
  return {
    service,
    ...showScreen({
      Pane: AlertsPane,
      scope: 'alerts',
      isOwnService: true,
      ...options,
      gas: { ...service, ...options.gas },
    }),
  };
}

const refusal = (message: string, details: { path: string; message: string }[] = []) =>
  new ClientError('invalid', message, { endpoint: '/alerts', status: 400, details });

const cutOff = () =>
  Promise.reject(new ClientError('unreachable', 'no answer came', { endpoint: '/alerts/{id}' }).unsettled());
const gone = new ClientError('not-found', 'no such alert', { endpoint: '/alerts/{id}', status: 404 });

const marked = (lines: readonly string[]) =>
  lines.find((line) => line.startsWith(' ▸ ') && !line.includes('undoes'));

describe('the list of alerts', () => {
  it.each(SIZES)('fills %i × %i exactly, and says what the alerts are', async (columns, rows) => {
    const { lines } = await until(
      show(MANY, { columns, rows }),
      'Alerts 3,000',
      'Average < 0.01 gwei',
      '● armed',
      'Alerts fire while gastop or gastop serve runs',
    );
    expect(lines().length).toBe(rows);
  });

  it('says state, condition, what the price has to do, how often it fired, whom it tells and why', async () => {
    await show([ARMED], { columns: 120, rows: 37 }).shows(
      /● armed +Average < 0.04 gwei +↓ 21 % +2 +40m04s ago +email gas@example.org +deploy the registry/,
    );
  });

  it('says until when an alert cools down, that one confirms, and that one waits for the price to leave', async () => {
    const { shows } = show(
      [
        alertOf('a', { cooldownUntil: AT + 20 * 60_000 }),
        alertOf('b', { threshold: 60_000_000n, lastTriggeredAt: null, triggerCount: 0, confirmBlocks: 5 }),
        alertOf('c', { threshold: 60_000_000n, cooldownUntil: AT - 60_000, hysteresis: 1_000_000n }),
        alertOf('d', { status: 'DISABLED' }),
      ],
      { columns: 120 },
    );
    await shows(
      /◌ cooldown \d\d:20 +Average < 0.04/,
      /● confirming +Average < 0.06 gwei +● reached/,
      /◌ cooling down +Average < 0.06 gwei +● reached/,
      /— disabled +Average < 0.04/,
      '2 cooling down, 1 confirming, 1 disabled',
    );
  });

  it('goes through thousands at full speed, and keeps its alert when the list changes', async () => {
    let items: readonly AlertDetailsView[] = MANY;
    const alerts = async () => ({ items, total: items.length, unreadable: 0 });
    const { leads, press, lines } = await until(show(MANY, {}, { alerts }), 'Alerts 3,000');
    for (const [keys, threshold] of [
      [['j', 'j', 'k'], '0.010001'],
      [['pagedown', 'pagedown', 'pageup'], '0.010019'],
      [['G'], '0.012999'],
      [['g', 'j'], '0.010001'],
    ] as const) {
      await press(...keys);
      await waitFor(() => marked(lines())?.includes(`< ${threshold} gwei`));
    }
    items = [alertOf('new', { threshold: 77n }), ...MANY];
    await leads('space', 'Alerts 3,001');
    expect(marked(lines())).toContain('< 0.010001 gwei');
  });

  it.each([1, 3, 1_200])('says that %i of them could not be read', async (unreadable) => {
    const alerts = async () => ({ items: [ARMED], total: unreadable + 1, unreadable });
    const counted = unreadable.toLocaleString('en');
    await show([ARMED], { columns: 120 }, { alerts }).shows(/Alerts 1 of [\d,]+/, `${counted} unreadable`);
  });

  it.each(SIZES)('without alerts says how one is made, at %i × %i', async (columns, rows) => {
    await show([], { columns, rows }).shows('No alerts yet', 'n makes one');
  });

  it('says that a service keeps none, and what does', async () => {
    const { shows } = show([], { isOwnService: false }, { alerts: () => Promise.reject(gone) });
    await shows('This service keeps no alerts', /gastop\s+serve/);
  });

  it('says why the alerts cannot be had, and what to press', async () => {
    const { shows } = show([], {}, { alerts: () => Promise.reject(new Error('the disk is full')) });
    await shows('No answer for the alerts', 'the disk is full', 'r asks again now');
  });

  it('names the process that fires them, where the service says', async () => {
    const engine = {
      process: 'gastop serve 4711',
      isHere: false,
      since: AT - 60_000,
      heartbeatAt: AT + 2_000,
    };
    const summary = async () => ({ ...SUMMARY, health: { ...SUMMARY.health, engine } });
    const { shows } = show([ARMED], { columns: 120, gas: { summary } });
    await shows('gastop serve 4711 evaluates them, last seen 2s ago');
  });

  it('shows what a foreign service has: its own words, odd ids, missing fields, and nothing that moves the cursor', async () => {
    const { leads, shows, screen } = show(
      [
        alertOf('../we ird/%00', {
          ...{ status: 'SNOOZED', gasSpeed: 'INSTANT', condition: 'CROSSES', hysteresis: null },
          ...{ confirmBlocks: null, cooldownMs: null, disableOnce: null, method: 'WEB_PUSH' },
          channels: ['WEB_PUSH'],
          ...{ to: null, note: null, triggerCount: null, lastTriggeredAt: null, createdAt: null },
          ...{ updatedAt: null, deliveries: null },
        }),
      ],
      { isOwnService: false, columns: 120 },
    );
    await shows(/• snoozed +Instant crosses 0.04 gwei/, 'web push');
    expect(screen()).not.toContain('to go  ');
    await leads('enter', 'this service keeps no log of them', '../we ird/%00');
    expect(screen()).not.toContain('null');
  });

  it('is ASCII alone where that is asked for', async () => {
    const { screen } = await until(show([ARMED, DISABLED], { ascii: true }), '* armed');
    expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('a toggle', () => {
  it('is shown at once, and those of the keys after it are sent in their order', async () => {
    const answer = Promise.withResolvers<void>();
    const service = fakeAlerts([ARMED]);
    const asked: string[] = [];
    const setAlertStatus: Alerts['setAlertStatus'] = async (id, status) => {
      asked.push(status);
      await answer.promise;
      return service.setAlertStatus(id, status);
    };
    const { leads, shows, toasts } = show([ARMED], {}, { ...service, setAlertStatus });
    await shows('● armed');
    await leads('space', '— disabled');
    await leads('space', '● armed');
    expect(asked).toEqual(['DISABLED']);
    answer.resolve();
    await waitFor(() => toasts.length === 2);
    expect(toasts.map(({ text }) => text)).toEqual(['Disabled', 'Enabled']);
    expect(asked).toEqual(['DISABLED', 'PENDING']);
    await shows('● armed');
  });

  it('that is refused is taken back, and says why', async () => {
    const answer = Promise.withResolvers<null>();
    const setAlertStatus = () => answer.promise;
    const { leads, shows, tells } = await until(show([ARMED], {}, { setAlertStatus }), '● armed');
    await leads('space', '— disabled');
    answer.reject(refusal('no', [{ path: 'status', message: 'must be one of ON, OFF' }]));
    await tells([], 'error: Average < 0.04 gwei is not changed: status must be one of ON, OFF');
    await shows('● armed');
  });
});

it.each([
  ['Pending', 'Disabled', ['Disabled', 'Pending']],
  ['pending', 'disabled', ['pending', 'disabled']],
  ['PENDING', 'DISABLED', ['TRIGGERED', 'DISABLED', 'PENDING']],
  ['PENDING', 'DISABLED', []],
] as const)('a toggle of a service with spellings of its own asks for %s and %s', async (on, off, values) => {
  const description = async () => describing({ 'put /alerts/{id}/status': [['status', values]] });
  const asked: string[] = [];
  const setAlertStatus: Alerts['setAlertStatus'] = async (_, status) => {
    asked.push(status);
    return null;
  };
  const alerts = [alertOf('a', { status: 'PENDING' }), alertOf('b', { status: 'DISABLED' })];
  const { press } = show(alerts, { isOwnService: false, gas: { description } }, { setAlertStatus });
  // The description comes by itself; what is asked for before it is there are the contract's words.
  await waitFor(async () => {
    await press('space');
    return asked.at(-1) === off;
  });
  await press('j', 'space');
  await waitFor(() => asked.at(-1) === on);
});

it('a change whose outcome is unknown is what the list says, which is asked for at once', async () => {
  let items = [ARMED];
  const alerts = async () => ({ items, total: items.length, unreadable: 0 });
  const setAlertStatus = async (id: string, status: string) => {
    items = [alertOf(id, { status, note: 'as the service has it' })];
    return cutOff();
  };
  const { leads, shows, tells } = await until(show([ARMED], {}, { alerts, setAlertStatus }), '● armed');
  await tells('space', 'Perhaps done, the list is asked again: no answer came; it may');
  await shows('— disabled');
  await leads('enter', 'as the service has it');
});

describe('what was toggled before the monitor ends', () => {
  it('is sent to the last', async () => {
    const log: string[] = [];
    const sent = Promise.withResolvers<null>();
    const setAlertStatus = (_: string, status: string) => {
      log.push(status);
      return sent.promise;
    };
    const { press, endSession } = await until(show([ARMED], {}, { setAlertStatus }), '● armed');
    await press('space');
    await waitFor(() => log.length === 1);
    const ended = endSession().then(() => log.push('closed'));
    await new Promise(setImmediate);
    log.push('sent');
    sent.resolve(null);
    await ended;
    expect(log).toEqual(['DISABLED', 'sent', 'closed']);
  });

  it('keeps it from ending no longer than a moment, and is told of', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    let asked = 0;
    const setAlertStatus = () => {
      asked += 1;
      return new Promise<null>(() => {});
    };
    const { press, endSession } = await until(show([ARMED], {}, { setAlertStatus }), '● armed');
    await press('space');
    await waitFor(() => asked === 1);
    await endSession();
    expect(printed.mock.calls).toEqual([
      ['gastop: Average < 0.04 gwei is not changed: the service did not answer in time'],
    ]);
  });
});

describe('a deletion', () => {
  const removing = async (options: Partial<ShowOptions> = {}, end = async () => {}) => {
    const deleteAlert = vi.fn<Alerts['deleteAlert']>(end);
    const shown = await until(show([ARMED, DISABLED], options, { deleteAlert }), 'Alerts 2');
    return { ...shown, removed: () => deleteAlert.mock.calls.map(([id]) => id) };
  };

  it.each(SIZES)('is asked about first, the harmless answer marked, at %i × %i', async (columns, rows) => {
    const { leads, removed } = await removing({ columns, rows });
    await leads('d', 'Delete this alert?', '[▸ Keep it ]');
    await leads('enter', 'Alerts 2');
    for (const keys of [['n'], ['esc'], ['right', 'left', 'enter']]) await leads(['d', ...keys], 'Alerts 2');
    await leads(['d', 'right', 'enter'], /Alerts 1 (?!of)/, 'u undoes (10s)');
    expect(removed()).toEqual([]);
  });

  it('can be undone while the line says so, the newest first', async () => {
    const { leads, tells, screen, removed } = await removing();
    await leads(['d', 'y', 'd', 'y'], 'and 1 more');
    await leads('u', 'Slow < 0.04');
    await leads('u', 'Alerts 2');
    expect(screen()).not.toContain('undoes');
    await tells('u', 'Nothing to undo');
    expect(removed()).toEqual([]);
  });

  it.each([
    ['is sent when it can no longer be undone', async () => {}, 'Slow < 0.04', []],
    [
      'that is refused brings the alert back, and it is said why',
      () => Promise.reject(refusal('it is a default alert')),
      'Alerts 2',
      [{ kind: 'error', text: 'Average < 0.04 gwei is not deleted: it is a default alert' }],
    ],
    ['of what somebody else has deleted is no failure', () => Promise.reject(gone), 'Slow < 0.04', []],
    [
      'whose outcome is unknown leaves the alert out only if the list does',
      cutOff,
      'Alerts 2',
      [{ kind: 'error', text: expect.stringMatching(/^Perhaps done/) }],
    ],
  ])('%s', async (_, end, text, told) => {
    const { press, shows, toasts, removed } = await removing({ undoMs: 20 }, end);
    await press('d', 'y');
    await waitFor(() => removed().length === 1 && toasts.length === told.length);
    expect([removed(), toasts]).toEqual([['alr_armed'], told]);
    await shows(text);
  });

  it('that still could be undone is sent when the monitor ends', async () => {
    const { leads, endSession, removed } = await removing();
    await leads(['d', 'y'], 'undoes');
    await endSession();
    expect(removed()).toEqual(['alr_armed']);
  });

  it('from the details goes back to the list, and the cursor stays where it was', async () => {
    const { leads, shows } = show([ARMED, DISABLED, alertOf('alr_third', { gasSpeed: 'FAST' })]);
    await shows('Alerts 3');
    await leads(['j', 'enter'], 'Deliveries');
    await leads(['d', 'y'], 'u undoes', /▸ .*Fast < 0\.04/);
  });
});

describe('the details', () => {
  const FULL = alertOf('alr_full', {
    note: `🚀 ${'a long note that says much '.repeat(18)}end`,
    missed: { count: 3, lastAt: AT - 3_600_000 },
    disabledReason: 'the receiver answered 410',
    keyId: '0a1b2c3d4e',
    status: 'DISABLED',
    channels: ['EMAIL', 'WEBHOOK'],
    targets: { WEBHOOK: 'https://hooks.example.com/abc' },
    deliveries: [
      {
        ...{ id: 'alr_full.2.webhook', eventId: 'alr_full.2', channel: 'WEBHOOK' },
        ...{ target: 'https://hooks.example.com/abc', status: 'PENDING' },
        createdAt: AT - 60_000,
        nextAttemptAt: AT + 34_000,
        attempts: [
          {
            at: AT - 30_000,
            latencyMs: 1_204,
            ok: false,
            answer: '500 Internal Server Error: out of memory',
          },
        ],
      },
      ...(ALERT.deliveries ?? []),
    ],
  });

  it.each(SIZES)('say all that is known, within %i × %i', async (columns, rows) => {
    const { leads, press, screen } = await until(show([FULL], { columns, rows }), 'Alerts 1');
    await leads('enter', / note +🚀/);
    const seen = [screen()];
    while (screen().includes('more (j)')) {
      const before = screen();
      await press('pagedown');
      await waitFor(() => screen() !== before);
      seen.push(screen());
    }
    const all = seen.join('\n');
    for (const words of [
      'says much end',
      '3 times while nothing',
      'answered 410',
      '0a1b2c3d4e',
      'next try in 30s',
      '1,204 ms',
    ]) {
      expect(all).toContain(words);
    }
    expect(all).toMatch(/saved +\+0.00000345 ETH +\+\$0.011 at 150,000 gas each/);
    expect(all).toContain('250 OK: queued');
  });

  it('have all of a note of 500 emoji and several lines, at 60 columns', async () => {
    const note = `${'🚀'.repeat(490)}\n❤️‍🔥 second line\r\nthird`;
    const { leads, shows, lines, screen } = show([alertOf('alr_long', { note })], { columns: 60, rows: 45 });
    await shows('Alerts 1');
    await leads('enter', / third *\n/);
    expect(screen().match(/🚀/gu)).toHaveLength(490);
    expect(lines().find((line) => line.includes('second line'))).not.toContain('third');
  });

  it('send the marked delivery once more, and say so', async () => {
    const redeliver = vi.fn(async () => {});
    const { leads, tells, press, lines } = await until(show([FULL], { rows: 37 }, { redeliver }), 'Alerts 1');
    await leads('enter', 'Deliveries  2');
    await tells('R', 'The delivery is sent again');
    await press('right');
    await waitFor(() => marked(lines())?.includes('delivered'));
    await press('R');
    await waitFor(() => redeliver.mock.calls.length === 2);
    expect(redeliver.mock.calls).toMatchObject([
      ['alr_full', 'alr_full.2.webhook'],
      ['alr_full', 'alr_7f3a1c90.2.email'],
    ]);
  });

  it('say why a delivery cannot be sent once more', async () => {
    const redeliver = () => Promise.reject(refusal('it is being sent already'));
    const { leads, tells } = await until(show([ARMED], {}, { redeliver }), 'Alerts 1');
    await leads('enter', 'Deliveries  1');
    await tells('R', 'Not sent again: it is being sent already');
  });

  it('have no dollars where nothing is saved', async () => {
    const alertSavings = async () => ({ ...SAVINGS, savedWei: 0n, savedUsd: 0, gasAmount: null });
    const { leads } = await until(show([ARMED], { columns: 120 }, { alertSavings }), 'Alerts 1');
    await leads('enter', / saved +0 ETH *$/m);
  });

  it('name what saved most', async () => {
    const best = {
      triggeredAt: AT - 86_400_000,
      ...{ blockNumber: 24_330_000, price: 30_000_000n, referencePrice: 60_000_000n },
      ...{ savedWei: 4_500_000_000_000n, savedUsd: 0.0145 },
    };
    const alertSavings = async () => ({ ...SAVINGS, best });
    const { leads } = await until(show([ARMED], { columns: 120 }, { alertSavings }), 'Alerts 1');
    await leads(
      'enter',
      /best +\+0\.00000450 ETH {2}\+\$0\.015\s+on\s.*\sat\s+0\.0300\s+gwei\s+instead\s+of\s+0\.0600,/s,
    );
  });

  it('of an alert that is gone say so, and Esc goes back', async () => {
    const { leads } = await until(show([ARMED], {}, { alert: () => Promise.reject(gone) }), 'Alerts 1');
    await leads('enter', 'There is no such alert any more');
    await leads('esc', 'Alerts 1');
  });

  it('are what the raw view asks for', async () => {
    const { leads, memory } = await until(show([alertOf('a/b')]), 'Alerts 1');
    const listRequest = resourceRequest('alert', '/alerts', '/alerts/{id}');
    expect(listRequest(memory)).toEqual({ path: '/alerts' });
    await leads('enter', 'Deliveries');
    expect(listRequest(memory)).toEqual({ path: '/alerts/a%2Fb' });
  });
});
