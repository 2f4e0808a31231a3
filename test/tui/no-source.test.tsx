import { expect, it } from 'vitest';
import { ClientError } from '../../src/client/index.ts';
import { fakeGas } from './fake-gas.ts';
import { openMonitor } from './whole-monitor.tsx';

const FAILURES = [
  new Error('the file is no recording'),
  new ClientError('unreachable', 'nothing listens at 127.0.0.1:1', { endpoint: '/gas/current' }),
  new ClientError('unavailable', 'no node has answered', { endpoint: '/gas/current' }),
];

it.each(FAILURES)(
  'the offered sources keep their keys after i, which has no response to show: $message',
  async (failure) => {
    const { frame, shows, press } = await openMonitor({ client: fakeGas(), failure, columns: 100, rows: 30 });
    await shows('enter the URL');
    press('i');
    press('u');
    await shows('for example http://127.0.0.1:8545');
    expect(frame()).toContain('URL');
  },
);

it.each(FAILURES)('i, where no source answers, opens nothing once one does: $message', async (failure) => {
  const { frame, shows, press } = await openMonitor({ client: fakeGas(), failure, columns: 100, rows: 30 });
  await shows('enter the URL');
  press('i');
  press('d');
  await shows('Average');
  expect(frame()).not.toContain('"');
});
