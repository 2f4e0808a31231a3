import { describe, expect, it, vi } from 'vitest';
import { describeConditionInWords, describeFiring } from '../../../src/client/views/alert-texts.ts';
import type { AlertDetailsView, NewAlert } from '../../../src/client/views/alerts.ts';
import { AlertsPane } from '../../../src/tui/panes/alerts/alerts-pane.tsx';
import { markLook } from '../../../src/tui/panes/chart/chart-plot.tsx';
import { statusSpan } from '../../../src/tui/panes/explorer/details.tsx';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { ALERT, fakeAlerts } from '../fake-alerts.ts';
import { describing } from '../fake-gas.ts';
import { showScreen, until } from '../show-screen.tsx';

const NAMES = isSlowRun
  ? Object.getOwnPropertyNames(Object.prototype)
  : ['constructor', '__proto__', 'toString'];
const [DELIVERY] = ALERT.deliveries ?? [];

function alertOf(word: string): AlertDetailsView {
  if (DELIVERY === undefined) throw new Error('the alert of the tests has no delivery');
  return {
    ...ALERT,
    id: word,
    status: word,
    gasSpeed: word,
    condition: word,
    method: null,
    to: null,
    channels: [word, 'EMAIL'],
    note: word,
    disabledReason: word,
    deliveries: [{ ...DELIVERY, id: word, status: word, channel: word, target: word }],
  };
}

const description = (word: string) =>
  describing({
    'post /alerts': [
      ['thresholdGwei'],
      ['gasSpeed', [word]],
      ['condition', [word]],
      ['channels', [word, 'EMAIL']],
      ['targets'],
    ],
  });

const show = (word: string, changes: Partial<ReturnType<typeof fakeAlerts>> = {}) =>
  showScreen({
    Pane: AlertsPane,
    ...{ scope: 'alerts', isOwnService: false, columns: 139, rows: 40 },
    gas: { ...fakeAlerts([alertOf(word)]), description: async () => description(word), ...changes },
  });

const plain = (word: string) => word.toLowerCase().replaceAll('_', ' ');

describe.each(NAMES)('an alert whose every word is %s', (word) => {
  it('stands in the list, and in its details', async () => {
    const { leads, screen } = await until(show(word), `${plain(word)}, email`);
    await leads(
      'enter',
      '1, newest first',
      new RegExp(`• ${plain(word)} +${plain(word)} ${word}`),
      'target unknown',
    );
    expect(screen()).not.toContain('[native code]');
  });

  it('is copied with its words, and tells whom one types', async () => {
    const createAlert = vi.fn(async (_: NewAlert) => ({ ...ALERT, signingSecret: null }));
    const { leads, shows, press } = show(word, { createAlert });
    await shows('fires when');
    await leads('c', 'New alert like', `[x] ${plain(word)}`);
    await press('down', 'down', 'somebody', 'down', 'gas@example.org', 'ctrl+s');
    await waitFor(() => createAlert.mock.calls.length === 1, { what: 'the alert to be sent' });
    const sent = createAlert.mock.calls[0]?.[0];
    expect(sent).toMatchObject({ gasSpeed: word, condition: word, method: word, to: 'somebody' });
    expect(Object.entries(sent?.targets ?? {})).toEqual([['EMAIL', 'gas@example.org']]);
  });

  it('is told of in a toast', () => {
    const alert = { ...alertOf(word), note: '' };
    expect(describeConditionInWords(alert)).toContain(` ${plain(word)}`);
    expect(describeFiring(alert, 1n)).toMatch(/ 0\.04 gwei: [\d.]+$/);
  });

  it('has nothing to do with the marks, trends and states of other panes', () => {
    expect(markLook(word).name).toBe(plain(word).slice(0, 20));
    expect(statusSpan(word).text).toBe(word.toLowerCase());
  });
});
