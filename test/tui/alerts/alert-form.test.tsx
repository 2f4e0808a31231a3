import { describe, expect, it, vi } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { GasClient } from '../../../src/client/gas-client.ts';
import type { AlertDetailsView, NewAlert } from '../../../src/client/views/alerts.ts';
import { CHANNELS } from '../../../src/contract/alert-channels.ts';
import { ADDED_ROUTES, V1_ROUTES } from '../../../src/contract/routes.ts';
import { AlertsPane } from '../../../src/tui/panes/alerts/alerts-pane.tsx';
import { openForm } from '../../../src/tui/resource/resource-pane.tsx';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { ALERT, fakeAlerts } from '../fake-alerts.ts';
import { describing, RECOMMENDATION, SNAPSHOT } from '../fake-gas.ts';
import { formOf, type ShowOptions, SIZES, showScreen, until } from '../show-screen.tsx';

type Alerts = ReturnType<typeof fakeAlerts>;

const MADE = { ...ALERT, id: 'alr_made', signingSecret: 'whsec_0123456789abcdef' };
const noHistory = () =>
  Promise.reject(new ClientError('not-found', 'no history here', { endpoint: '/metrics/base-fee' }));

async function open(
  options: Partial<ShowOptions> & {
    readonly alerts?: readonly AlertDetailsView[];
    /** What opens it. Default: `n`; none: it is open by what `memory` holds. */
    readonly key?: string | null;
  } = {},
  changes: Partial<Alerts> = {},
) {
  const { alerts = [], key = 'n', ...rest } = options;
  const service = fakeAlerts(alerts);
  const sent: NewAlert[] = [];
  const shown = showScreen({
    Pane: AlertsPane,
    scope: 'alerts',
    isOwnService: true,
    ...rest,
    gas: {
      ...service,
      createAlert: async (alert) => {
        sent.push(alert);
        return (changes.createAlert ?? service.createAlert)(alert);
      },
      updateAlert: async (id, alert) => {
        sent.push(alert);
        return service.updateAlert(id, alert);
      },
      baseFee: noHistory,
      statsChart: noHistory,
      ...rest.gas,
    },
  });
  if (key !== null) {
    await shown.shows(alerts.length === 0 ? 'No alerts yet' : 'Alerts');
    await shown.leads(key, key === 'e' ? 'Change' : 'New alert');
  }
  const { sending, ...form } = formOf(shown);
  return { ...shown, ...form, sent, sends: sending(sent) };
}

describe('the form of a new alert', () => {
  it.each([['0.04'], ['1'], ['p20/7d']])(
    'asks at Ctrl-C once %s is typed, as Esc does, and keeps it',
    async (typed) => {
      const { leads, shows } = await open();
      await leads(typed, typed);
      await leads('ctrl+c', 'Leave without making the alert?');
      await leads('n', typed);
      await shows('New alert');
    },
  );

  it.each(SIZES)('shows its fields and the present price, at %i × %i', async (columns, rows) => {
    const { shows, focused } = await open({ columns, rows });
    await shows('now 0.0507');
    expect(focused()).toMatch(/threshold/);
  });

  it('makes an alert from what is typed', async () => {
    const { leads, shows, toasts, sends } = await open({ rows: 37 });
    await leads('0.04', 'has to fall 21 %');
    await leads(['tab', 'space'], '[x] email');
    await leads(['tab', 'gas@example.org', 'tab', 'deploy 🚀'], 'deploy 🚀');
    await leads(['tab', 'space'], /cooldown +4h/);
    await leads(
      ['tab', 'right', 'tab', 'ctrl+u', '0.002', 'tab', 'ctrl+u', '3'],
      /holds for +3 +blocks in a row/,
    );
    expect(await sends('enter')).toEqual({
      ...{ thresholdGwei: 0.04, gasSpeed: 'AVERAGE', condition: 'LESS_THAN', cooldownMs: 14_400_000 },
      ...{ disableOnce: true, method: 'EMAIL', to: 'gas@example.org', targets: {} },
      channels: ['EMAIL', 'TERMINAL'],
      note: 'deploy 🚀',
      hysteresisGwei: 0.002,
      confirmBlocks: 3,
    });
    await shows('Alerts 1');
    await waitFor(() => toasts.at(-1)?.text === 'Made: Average < 0.04 gwei');
  });

  it.each([
    ['the demo', 80],
    ['gastop', 120],
    ['the demo', 200],
  ])('says before and after that %s forgets the alert, at %i columns', async (forgetful, columns) => {
    const { leads, shows, screen, toasts, sends } = await open({ forgetful, columns, rows: 37, key: null });
    await shows('No alerts yet');
    expect(screen().replace(/\s+/g, ' ')).toContain(
      `What you make here: ${forgetful} forgets it when it ends.`,
    );
    await leads(['n', '0.04'], 'has to fall 21 %');
    await sends('ctrl+s');
    await waitFor(
      () => toasts.at(-1)?.text === `Made, and ${forgetful} forgets it when it ends: Average < 0.04 gwei`,
    );
    await shows('Alerts 1', `${forgetful} forgets these when it ends`);
    // What is changed was there before.
    await leads(['e', 'ctrl+u', '0.03'], 'has to fall 41 %');
    await leads('ctrl+s', 'Alerts 1');
    await waitFor(() => toasts.at(-1)?.text === 'Changed: Average < 0.03 gwei');
  });

  it('asks for the target of each ticked channel, with the hint of its row', async () => {
    const channels = CHANNELS.map(({ name }) => name);
    const { leads } = await open({
      key: 'c',
      rows: 37,
      columns: 120,
      alerts: [{ ...ALERT, channels, to: '' }],
    });
    await leads('tab', '▸ notify');
    for (const { target } of CHANNELS) if (target !== null) await leads('tab', target.hint ?? target.what);
  });

  it('goes through its fields with Tab and arrows, around both ends', async () => {
    const { focuses } = await open();
    await focuses('up', 'fires');
    await focuses('right', '[above]');
    await focuses('up', 'lane');
    await focuses('right', '[Fast]');
    await focuses('shift+tab', 'holds for');
    await focuses('down', 'lane');
  });

  it('says beside each field what is wrong with it as one types, in the words of the contract', async () => {
    const { leads, screen } = await open({ rows: 37 });
    await leads('0', 'must be more than 0');
    await leads('.0000000001', 'must have at most 9 decimals');
    await leads(['ctrl+u', 'cheap'], '"cheap" is no threshold: write 5 (gwei), $0.40/swap');
    await leads(['ctrl+u', '2000000'], 'must be at most 1,000,000');
    await leads(['ctrl+u', '0.05'], 'has to fall 1 %');
    expect(screen()).not.toContain('!');
    await leads(['tab', 'space', 'tab', 'no address'], 'must be one email address');
    await leads(['tab', 'tab', 'ctrl+u', '31d'], 'must be at most 2,592,000,000');
    await leads(['ctrl+u', 'soon'], 'must be a time such as 30m, 1h, 1d or 0');
  });

  it('says that something is missing only where something stood, or once it was tried to send', async () => {
    const { leads, screen, focuses } = await open({ rows: 37 });
    await focuses(['tab', 'space', 'tab', 'tab'], 'note');
    expect(screen()).not.toContain('is missing');
    await leads(['shift+tab', 'g', 'backspace', 'tab'], 'is missing: an address');
    expect(screen()).not.toContain('needs a threshold');
    await leads('ctrl+s', 'needs a threshold, such as 0.04 or $0.40/swap');
  });

  it('does not send what is wrong, and goes to the first field that is', async () => {
    const { shows, sent, focuses } = await open({ rows: 37 });
    await focuses(['tab', 'space', 'right', 'space', 'ctrl+s'], 'threshold');
    await shows(
      'needs a threshold, such as 0.04 or $0.40/swap',
      'is missing: an address',
      'is missing: a URL',
    );
    expect(sent).toEqual([]);
  });

  it('puts what the service refuses at its fields, and keeps what was typed', async () => {
    const details = [
      { path: 'to', message: 'must not be a private address' },
      { path: 'channels.0', message: 'needs smtp in the config' },
      { path: 'plan', message: 'has too many alerts' },
    ];
    const refused = new ClientError('invalid', 'not accepted', { endpoint: '/alerts', status: 400, details });
    const createAlert = () => Promise.reject(refused);
    const { shows, focused, sends } = await open({ rows: 37 }, { createAlert });
    await sends('0.04', 'tab', 'right', 'space', 'tab', 'https://hooks.example.com/x', 'ctrl+s');
    await shows(
      '! must not be a private address',
      '! needs smtp in the config',
      '! plan has too many alerts',
      'https://hooks.example.com/x',
    );
    await waitFor(() => focused().includes('notify'));
  });

  it('takes pasted lines as one whose words stay apart, 500 characters and emoji, and no control characters', async () => {
    const { press, paste, shows, sends } = await open({ rows: 37 });
    await press('0.04', 'tab', 'tab');
    const [first, second] = ['⛽🚀'.repeat(50), `${'⛽🚀'.repeat(194)}01234567890`];
    const note = `${first} ${second}`;
    paste(`\u0000${first}\r\n${second}\u0007\r\n`);
    await shows('1234567890');
    expect((await sends('ctrl+s')).note).toBe(note);
  });

  it('hears no key of the pane or of the monitor in a text, and no text as keys in a choice', async () => {
    const { leads, paste, sent, focuses } = await open();
    await leads(['tab', 'tab', 'q?123ndu'], 'q?123ndu');
    await focuses('up', 'notify');
    paste('   ');
    await focuses(['x', 'q', 'right'], '▸[ ] webhook');
    expect(sent).toEqual([]);
  });

  it('is left at once where nothing was typed, and asks where something was', async () => {
    const { leads } = await open();
    await leads('esc', 'No alerts yet');
    await leads(['n', '0.04', 'esc'], 'Leave without making the alert?', '[▸ Go on typing ]');
    await leads('enter', 'has to fall 21 %');
    await leads('esc', 'Leave without');
    await leads('y', 'No alerts yet');
  });

  it('of a copy begins with all that the alert has', async () => {
    const { shows, sends } = await open({
      key: 'c',
      rows: 37,
      alerts: [
        {
          ...ALERT,
          channels: ['EMAIL', 'SLACK'],
          targets: { SLACK: 'https://hooks.slack.com/services/T/B/x' },
          condition: 'GREATER_THAN',
          cooldownMs: 5_400_000,
          hysteresis: 1_000_000n,
        },
      ],
    });
    await shows('New alert like Average > 0.04 gwei');
    expect(await sends('ctrl+u', '0.09', 'ctrl+s')).toMatchObject({
      thresholdGwei: 0.09,
      condition: 'GREATER_THAN',
      channels: ['EMAIL', 'SLACK'],
      method: 'EMAIL',
      to: 'gas@example.org',
      targets: { SLACK: 'https://hooks.slack.com/services/T/B/x' },
      cooldownMs: 5_400_000,
      hysteresisGwei: 0.001,
      note: 'deploy the registry',
    });
    await shows('Alerts 2');
  });

  const OF_ANOTHER_SERVICE: readonly Partial<AlertDetailsView>[] = [
    { channels: ['TERMINAL'], method: 'TERMINAL', to: 'tty1' },
    { channels: ['TERMINAL'], method: null, to: null, targets: { TERMINAL: 'everyone' } },
    {
      channels: ['TERMINAL', 'EMAIL'],
      method: 'TERMINAL',
      to: 'tty1',
      targets: { EMAIL: 'gas@example.org' },
    },
    { channels: ['EMAIL', 'TERMINAL'], targets: { TERMINAL: 'everyone' } },
  ];

  it.each(OF_ANOTHER_SERVICE.flatMap((alert) => [['c', alert] as const, ['e', alert] as const]))(
    'opened with %s leaves out the target of a channel that has none: %j',
    async (key, changed) => {
      const { sends } = await open({ key, rows: 37, alerts: [{ ...ALERT, ...changed }] });
      const body = await sends('ctrl+u', '0.03', 'ctrl+s');
      expect(JSON.stringify(body)).not.toMatch(/tty1|everyone/);
      expect(body).toMatchObject({ channels: changed.channels, thresholdGwei: 0.03 });
    },
  );

  it('of a copy sends the very note, with its lines, joined emoji and Persian words', async () => {
    const note = '👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 👍🏽 می‌خواهم\nsecond line';
    const { shows, sends } = await open({ key: 'c', rows: 37, alerts: [{ ...ALERT, note }] });
    await shows('New alert like', /note +👨👩👧 🏴 🇩🇪 👍🏽 میخواهم second line/);
    expect((await sends('tab', 'tab', 'tab', '!', 'backspace', 'ctrl+s')).note).toBe(note);
  });

  it('shows the signing secret in a box that says whose it is', async () => {
    const { leads, memory, screen, toasts, tells } = await open(
      { hasFooter: true },
      { createAlert: async () => MADE },
    );
    await leads(
      ['0.04', 'ctrl+s'],
      MADE.signingSecret,
      'It is shown again when',
      /^ y copy it {2}⏎ Esc close/m,
    );
    await tells('y', 'Sent the signing secret to ');
    await leads(['j', 'n', 'enter'], 'No alerts yet');
    expect(screen() + JSON.stringify([...memory, toasts])).not.toContain('whsec');
  });

  const reaching = (
    answer: (deadlineSec: number) => { probability: number | null; reason: string | null },
  ) => {
    const asked: string[] = [];
    const gasRecommendation: GasClient['gasRecommendation'] = async ({ reach } = {}) => {
      if (reach !== undefined) asked.push(`${reach.targetPrice} in ${reach.deadlineSec}`);
      return {
        ...RECOMMENDATION,
        reach: reach === undefined ? null : { ...reach, ...answer(reach.deadlineSec) },
      };
    };
    return { asked, gas: { gasRecommendation } };
  };

  it.each(isSlowRun ? SIZES : SIZES.slice(0, 1))(
    'says how likely the price falls to the threshold, at %i × %i',
    async (columns, rows) => {
      const { asked, gas } = reaching((sec) => ({ probability: sec > 3_600 ? 0.92 : 0.35, reason: null }));
      const { leads } = await open({ columns, rows, gas });
      await leads('0.04', 'likely reached: 35 % within 1h, 92 % within 1d');
      expect(asked).toEqual(['40000000 in 3600', '40000000 in 86400']);
      await leads(['ctrl+u', '0.06'], 'reached now: it fires with the next block');
      await leads(
        ['ctrl+a', 'ctrl+k', '0.06', 'up', 'right'],
        '[above]',
        'how likely the price rises so far is not forecast',
      );
      expect(asked).toHaveLength(2);
    },
  );

  it('says why it is not known, and asks a service elsewhere one question', async () => {
    const reason = 'history is too short';
    const { asked, gas } = reaching(() => ({ probability: null, reason }));
    const { leads } = await open({ isOwnService: false, gas });
    await leads('0.04', `how likely it is reached is not known: ${reason}`);
    expect(asked).toEqual(['40000000 in 86400']);
  });

  it('shows the signing secret at once, however long the list takes', async () => {
    const alerts = vi.fn(async () => ({ items: [], total: 0, unreadable: 0 }));
    const { leads } = await open({ gas: { alerts } }, { createAlert: async () => MADE });
    alerts.mockImplementation(() => new Promise(() => {}));
    const before = alerts.mock.calls.length;
    await leads(['0.04', 'ctrl+s'], MADE.signingSecret);
    expect(alerts.mock.calls.length).toBeGreaterThan(before);
  });

  it('sends one alert however often it is told to, before its check is loaded too', async () => {
    vi.resetModules();
    const { leads, sent } = await open({ key: null });
    await leads(['n', '5', 'ctrl+s', 'ctrl+s', 'ctrl+s'], /Alerts [1-9]/);
    expect(sent).toHaveLength(1);
  });

  it('says that an alert may be made whose answer did not come, and asks for the list', async () => {
    const lost = new ClientError('unreachable', 'no answer came', { endpoint: '/alerts' }).unsettled();
    const alerts = vi.fn(async () => ({ items: [], total: 0, unreadable: 0 }));
    const createAlert = () => Promise.reject(lost);
    const { leads } = await open({ columns: 120, gas: { alerts } }, { createAlert });
    const before = alerts.mock.calls.length;
    await leads(['0.04', 'ctrl+s'], 'perhaps made: look at the list before sending it again');
    await waitFor(() => alerts.mock.calls.length > before);
  });

  describe('opened from a price', () => {
    const fromPrice = () => {
      const memory = new Map<string, unknown>();
      const prefill = { gasSpeed: 'AVERAGE', condition: 'LESS_THAN', threshold: '0.05' };
      openForm(memory, 'alert', prefill, 'live');
      return open({ key: null, memory });
    };

    it('takes what is typed first in its place, and goes on after that', async () => {
      const { leads } = await until(await fromPrice(), /threshold +0\.05 /);
      await leads(['0', '.', '0', '4'], /threshold +0\.04 +gwei/);
      await leads(['tab', 'shift+tab', '1'], /threshold +0\.041 +gwei/);
    });

    it.each(SIZES)('says where that price comes from, at %i × %i', async (columns, rows) => {
      const memory = new Map<string, unknown>();
      const madeOf = 'From the cursor: base 0.0316 + tip p50 0.0134 at Sun 07:15 = 0.0450 gwei';
      const prefill = { gasSpeed: 'AVERAGE', condition: 'LESS_THAN', threshold: '0.045', madeOf };
      openForm(memory, 'alert', prefill, 'chart');
      const { screen, sends } = await until(
        await open({ key: null, memory, columns, rows }),
        /threshold +0\.045/,
        'From the cursor: base 0.0316 + tip p50 0.0134',
      );
      expect(screen().split('\n').length).toBeLessThanOrEqual(rows);
      expect(await sends('ctrl+s')).not.toHaveProperty('madeOf');
    });

    it('is ready to be sent', async () => {
      const { sends } = await until(await fromPrice(), /threshold +0.05/, 'has to fall 1 %');
      expect(await sends('ctrl+s')).toMatchObject({ thresholdGwei: 0.05, channels: ['TERMINAL'], to: '' });
    });
  });

  it('offers what a foreign service takes, in its own words, and not what it does not know', async () => {
    const description = describing({
      'post /alerts': [
        ['thresholdGwei'],
        ['gasSpeed', ['AVERAGE', 'INSTANT']],
        ['condition', ['LESS_THAN']],
        ['channels', ['EMAIL', 'WEB_PUSH']],
      ],
    });
    const { leads, shows, screen, sends } = await open({
      isOwnService: false,
      rows: 37,
      gas: { description: async () => description },
    });
    await shows('web push');
    expect(screen()).not.toMatch(/re-arm margin|holds for|telegram/);
    await leads(['0.04', 'up', 'up', 'right'], '[Instant]');
    expect(await sends('down', 'down', 'down', 'right', 'space', 'right', 'space', 'ctrl+s')).toMatchObject({
      gasSpeed: 'INSTANT',
      channels: ['WEB_PUSH'],
    });
  });
});

describe('the form of an alert that is changed', () => {
  it('begins with what the alert is, sends all of it with the change, and goes back to where it was opened', async () => {
    const sent: [string, NewAlert][] = [];
    const service = fakeAlerts();
    const { leads, shows, tells } = showScreen({
      Pane: AlertsPane,
      scope: 'alerts',
      isOwnService: true,
      rows: 37,
      gas: {
        ...service,
        updateAlert: async (id, alert) => {
          sent.push([id, alert]);
          return service.updateAlert(id, alert);
        },
        baseFee: noHistory,
        statsChart: noHistory,
      },
    });
    await shows('Alerts 1');
    await leads('enter', 'Deliveries');
    await leads('e', 'Change Average < 0.04 gwei');
    await tells('ctrl+s', 'Nothing is changed yet');
    await tells(['0.03', 'ctrl+s'], 'Changed: Average < 0.03 gwei');
    await shows('Deliveries', 'Average < 0.03 gwei');
    expect(sent).toEqual([
      [
        ALERT.id,
        {
          ...{ thresholdGwei: 0.03, gasSpeed: 'AVERAGE', condition: 'LESS_THAN', cooldownMs: 3_600_000 },
          ...{ disableOnce: false, method: 'EMAIL', to: 'gas@example.org', targets: {} },
          channels: ['EMAIL'],
          note: 'deploy the registry',
          hysteresisGwei: 0,
          confirmBlocks: 1,
        },
      ],
    ]);
  });

  it('is there only where the service lists PUT /alerts/{id}', async () => {
    const open = async (description: GasClient['description']) => {
      const gas = { ...fakeAlerts(), description };
      const shown = showScreen({ Pane: AlertsPane, scope: 'alerts', rows: 37, gas });
      await shown.shows('Alerts 1');
      return shown;
    };
    const able = await open(async () => describing({}, [...V1_ROUTES, ...ADDED_ROUTES]));
    await waitFor(async () => {
      await able.press('e');
      return able.screen().includes('Change Average');
    });
    for (const description of [null, describing()]) {
      const { leads, screen } = await open(async () => description);
      await leads(['e', 'c'], 'New alert like');
      expect(screen()).not.toContain('Change Average');
      // Fields that v1 does not document are offered where the service lists them.
      expect(screen()).not.toMatch(/re-arm margin|holds for/);
    }
  });
});

describe('the form of a changed alert whose price is there', () => {
  const THERE = { ...ALERT, threshold: 60_000_000n, cooldownUntil: null };
  const present = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;

  it.each([
    ['armed', {}, 'reached now: it fires with the next block'],
    [
      'cooling down',
      { cooldownUntil: present + 3_180_000 },
      'reached now: it may fire once its cooldown is over, in 53m',
    ],
    ['disabled', { status: 'DISABLED' }, 'reached now: it fires once it is enabled'],
    [
      'waiting for the price to leave',
      { cooldownUntil: present - 1_000, hysteresis: 1_000_000n },
      'reached now: it fires once the price has left and come back',
    ],
  ] as const)('says of one that is %s when it can fire', async (_, changed, words) => {
    const alert = { ...THERE, ...changed };
    const { leads, shows } = showScreen({
      ...{ Pane: AlertsPane, scope: 'alerts', isOwnService: true, rows: 37 },
      gas: { ...fakeAlerts([alert]), baseFee: noHistory, statsChart: noHistory },
    });
    await shows('Alerts 1');
    await leads('e', words);
  });
});
