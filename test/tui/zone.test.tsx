import { expect, it, onTestFinished } from 'vitest';
import { Remembered } from '../../src/tui/data/remembered.ts';
import { setZone } from '../../src/tui/ui/time.ts';
import { ALERT, fakeAlerts } from './fake-alerts.ts';
import { autoTxView, fakeAutoTxs } from './fake-auto-txs.ts';
import { fakeGas } from './fake-gas.ts';
import { atPlace } from './sized-screen.tsx';
import { openMonitor } from './whole-monitor.tsx';

const EXPIRES = Date.UTC(2026, 0, 6, 20, 30);
const SERVICE = {
  ...fakeAlerts([ALERT]),
  ...fakeAutoTxs([autoTxView({ expiresAt: EXPIRES })]),
};

async function open(said: Readonly<Record<string, unknown>> = {}) {
  atPlace('Asia/Kolkata');
  onTestFinished(() => setZone('local'));
  const { frame, shows, press } = await openMonitor({
    client: fakeGas(SERVICE),
    source: { embedded: {} },
    remembered: new Remembered({ said }),
  });
  const zones = () => frame().match(/UTC(?:[+−][\d:]+)?/g) ?? [];
  return { shows, press, zones };
}

/** Tab, keys that open what has times there, and one of them: local in India, and in UTC. */
const TIMES = [
  ['Chart', '2', /\d\d:\d\d – 17:\d\d/, /\d\d:\d\d – (?:11|12):\d\d/],
  ['an open alert', '3 return', '16:50:01', '11:20:01'],
  ['an open auto-tx', '4 return', '7 Jan 02:00:00', '6 Jan 20:30:00'],
  ['Explorer', '5', '17:30:00', '12:00:00'],
  ['Service', '6', 'cheapest of all days 08:30', 'cheapest of all days 03:00'],
] as const;

it.each(TIMES)('z turns all times of %s, and the zone stands there once', async (_, keys, local, utc) => {
  const { press, shows, zones } = await open();
  for (const key of keys.split(' ')) {
    press(key);
    await shows(key === 'return' ? /back/ : `[${key} `);
  }
  await shows(local);
  expect(zones()).toEqual(['UTC+5:30']);
  press('z');
  await shows(utc);
  await shows('All times in UTC');
  expect(zones()).toEqual(['UTC', 'UTC']);
  press('z');
  await shows('All times local: UTC+5:30');
  await shows(local);
});

it('is in UTC from the start where a flag says so', async () => {
  const { press, shows, zones } = await open({ zone: 'utc' });
  press('6');
  await shows('cheapest of all days 03:00');
  expect(zones()).toEqual(['UTC']);
});

it.each([['z'], ['z', 'z'], ['z', '2', '1']])('leaves the advice in full open: %s', async (...keys) => {
  const { press, shows } = await open();
  press('return');
  await shows('Esc closes');
  for (const key of keys) {
    press(key);
    await shows(key === 'z' ? /All times/ : `[${key} `);
  }
  await shows('Esc closes');
});
