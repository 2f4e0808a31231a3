import { describe, expect, it } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { AlertView } from '../../../src/client/views/alerts.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { ALERT, SAVINGS } from '../fake-alerts.ts';
import { SNAPSHOT } from '../fake-gas.ts';
import { showNotices } from '../show-notices.tsx';

const HERE: AlertView = { ...ALERT, channels: ['EMAIL', 'TERMINAL'] };
const HEAD_AT = SNAPSHOT.blockTimestamp ?? 0;
const fired = (alert: AlertView): AlertView => ({
  ...alert,
  triggerCount: (alert.triggerCount ?? 0) + 1,
  lastTriggeredAt: HEAD_AT + 12_000,
});

const entry = { triggeredAt: HEAD_AT + 12_000, blockNumber: 1, price: 38_800_000n };
const entries = [{ ...entry, referencePrice: null, savedWei: null, savedUsd: null }];

const show = (first: readonly AlertView[] | Error, more: object = {}) =>
  showNotices(first, {
    list: 'alerts',
    say: ([alert]) => (alert ? `the first has fired ${alert.triggerCount} times` : 'none'),
    gas: { alertSavings: async () => ({ ...SAVINGS, entries }) },
    ...more,
  });

describe('an alert for this terminal that fires', () => {
  it('is told on the screen, by the bell and on the desktop, once', async () => {
    const { toasts, told, answer } = show([HERE]);
    await answer([HERE]);
    await answer([fired(HERE)]);
    await waitFor(() => toasts.some(({ kind }) => kind === 'alert'));
    await answer([fired(HERE)]);
    const text = 'Average below 0.04 gwei: 0.0388 · deploy the registry';
    expect(toasts.filter(({ kind }) => kind === 'alert')).toEqual([{ kind: 'alert', text }]);
    expect(told()).toEqual([`\u0007\u001b]777;notify;gastop;${text}\u0007`]);
  });

  it('is told over a screen that stands still, which still shows what it did', async () => {
    const { toasts, look, shows, answer } = show([HERE]);
    await answer([HERE]);
    await look({ frozen: true });
    // A question that was already on its way is of the time before.
    await answer([HERE]);
    await answer([fired(HERE)]);
    await waitFor(() => toasts.some(({ kind }) => kind === 'alert'));
    await shows('unseen 1, counted 1, the first has fired 2 times');
    await look({ frozen: false });
    await shows('the first has fired 3 times');
  });
});

it('on the desktop, too, prices that are none of now are said to be so', async () => {
  const snapshot = { ...SNAPSHOT, source: { ...SNAPSHOT.source, kind: 'simulated' as const } };
  const { told } = show([fired(HERE)], { snapshot });
  await waitFor(() => told().length === 1);
  expect(told()[0]).toContain(';gastop;[SIMULATED] Average below 0.04 gwei: ');
});

it('an alert that other channels tell of makes no noise here, but counts beside the tab until it is looked at', async () => {
  const { toasts, told, answer, shows, look } = show([ALERT]);
  await answer([ALERT]);
  await answer([fired(ALERT)]);
  await shows('unseen 1');
  await look({ isShown: true });
  await shows('unseen 0');
  expect(toasts).toEqual([]);
  expect(told()).toEqual([]);
});

it('what fired or was missed before the monitor ran is told in one line, without the bell', async () => {
  const missed = { count: 2, lastAt: HEAD_AT - 3 * 3_600_000 };
  const { toasts, told, answer } = show([HERE, { ...ALERT, id: 'other', missed }]);
  await answer([HERE, { ...ALERT, id: 'other', missed }]);
  const text = 'In the last day 1 alert fired (40m ago), 1 alert would have fired while nothing ran (3h ago)';
  expect(toasts).toEqual([{ kind: 'info', text, forMs: 8_000 }]);
  expect(told()).toEqual([]);
  await answer([HERE, { ...ALERT, id: 'other', missed: { ...missed, count: 3 } }]);
  await waitFor(() => toasts.length === 2);
  expect(toasts.at(-1)?.text).toBe('In the last day 1 alert would have fired while nothing ran (3h ago)');
});

it('an alert that fired with the newest block is news at the start, too', async () => {
  const { told } = show([{ ...HERE, lastTriggeredAt: HEAD_AT }]);
  await waitFor(() => told().length === 1);
});

it('where the newest block is old, what fired with it is none', async () => {
  const { toasts, told, answer } = show([{ ...HERE, lastTriggeredAt: HEAD_AT }], { now: HEAD_AT + 600_000 });
  await answer([{ ...HERE, lastTriggeredAt: HEAD_AT }]);
  expect(told()).toEqual([]);
  expect(toasts).toMatchObject([{ text: 'In the last day 1 alert fired (now)' }]);
});

it('a service that keeps no alerts is not asked again by itself, and nothing is said of it', async () => {
  const none = new ClientError('not-found', 'the service has no /alerts', {
    endpoint: '/alerts',
    status: 501,
  });
  const { toasts, told, shows, asked } = show(none);
  await shows('the service has no /alerts, not asked again');
  expect(asked()).toBe(1);
  expect(toasts).toEqual([]);
  expect(told()).toEqual([]);
});
