import { expect, it } from 'vitest';
import { alertsPaceMs } from '../../../src/tui/alerts-pace.ts';
import { listPaceMs } from '../../../src/tui/list-pace.ts';
import { ALERT } from '../fake-alerts.ts';

const TERMINAL = { ...ALERT, channels: ['EMAIL', 'TERMINAL'] };
const given = { intervalMs: 1_000, isOwnService: false, isShown: false, alerts: [ALERT], tookMs: 2 };

it('the service in this process is asked as often as for its prices', () => {
  expect(alertsPaceMs({ ...given, isOwnService: true })).toBe(1_000);
});

it('a service elsewhere is asked about every block only for what this terminal announces or shows', () => {
  expect(alertsPaceMs({ ...given, alerts: null })).toBe(300_000);
  expect(alertsPaceMs(given)).toBe(300_000);
  expect(alertsPaceMs({ ...given, isShown: true })).toBe(15_000);
  expect(alertsPaceMs({ ...given, alerts: [ALERT, TERMINAL] })).toBe(15_000);
  expect(alertsPaceMs({ ...given, alerts: [{ ...TERMINAL, status: 'DISABLED' }] })).toBe(300_000);
});

it('alerts are asked for no more often than prices are, whatever slows those down', () => {
  expect(alertsPaceMs({ ...given, alerts: [TERMINAL], intervalMs: 96_000 })).toBe(96_000);
  expect(alertsPaceMs({ ...given, intervalMs: 768_000 })).toBe(768_000);
});

it('a list that takes long to read is read less often', () => {
  expect(alertsPaceMs({ ...given, isOwnService: true, tookMs: 400 })).toBe(8_000);
  expect(alertsPaceMs({ ...given, isOwnService: true, tookMs: 2_000 })).toBe(40_000);
});

it('what is on the screen is no older than a block though the list is long, unless the service wants fewer questions', () => {
  const long = { ...given, isShown: true, tookMs: 2_000 };
  expect(alertsPaceMs({ ...long, isOwnService: true })).toBe(12_000);
  expect(alertsPaceMs(long)).toBe(15_000);
  expect(alertsPaceMs({ ...long, isLimited: true })).toBe(40_000);
  expect(alertsPaceMs({ ...long, tookMs: 8_000 })).toBe(24_000);
  expect(listPaceMs({ ...long, isAwaited: true, isUrgent: true })).toBe(12_000);
  expect(listPaceMs({ ...long, isAwaited: true, isUrgent: true, tookMs: 100 })).toBe(10_000);
});
