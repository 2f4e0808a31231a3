import { render } from 'ink-testing-library';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Monitor } from '../../src/tui/app/app.tsx';
import { SourceHolder } from '../../src/tui/app/source.ts';
import { SILENT } from '../../src/tui/data/notifications.ts';
import { keyBytes } from '../helpers/terminal-keys.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { ALERT, fakeAlerts } from './fake-alerts.ts';
import { autoTxView, fakeAutoTxs } from './fake-auto-txs.ts';
import { BLOCK, fakeGas, SNAPSHOT } from './fake-gas.ts';

const now = () => (SNAPSHOT.blockTimestamp ?? 0) + 4_000;

/** The whole monitor over known responses, wide enough for every key in its footer. */
async function open(columns = 200, rows = 30) {
  const holder = new SourceHolder(now);
  const client = fakeGas({
    ...fakeAlerts([ALERT, { ...ALERT, id: 'alr_2', gasSpeed: 'SLOW', note: 'payouts' }]),
    ...fakeAutoTxs([autoTxView(), autoTxView({ id: 'tx-2', nonce: 8, target: 30_000_000n })]),
    block: async () => BLOCK,
  });
  void holder.open(async () => ({ client, intervalMs: 60_000, embedded: {} }));
  const app = render(
    <Monitor
      holder={holder}
      openSource={async () => ({ client })}
      onPrices={() => {}}
      urlProblem={() => null}
      chainName={null}
      badge={null}
      ascii={false}
      notifications={SILENT}
      undoMs={600_000}
      now={now}
      saveFile={async (name) => name}
    />,
  );
  onTestFinished(() => app.unmount());
  Object.defineProperties(app.stdout, { columns: { value: columns }, rows: { value: rows } });
  app.stdout.emit('resize');
  const frame = () => app.lastFrame() ?? '';
  const footer = () => frame().split('\n').at(-1) ?? '';
  const shows = (text: string | RegExp, timeoutMs = 20_000) =>
    waitFor(() => (typeof text === 'string' ? frame().includes(text) : text.test(frame())), {
      timeoutMs,
    }).catch((cause) => {
      throw new Error(`${text} is not on\n${frame()}`, { cause });
    });
  const press = (key: string) => app.stdin.write(keyBytes(key).join(''));
  await shows('Average');
  return { frame, footer, shows, press };
}

describe('/ finds from every tab', () => {
  it('filters a list as one types, keeps it with Enter and clears it with Esc', async () => {
    const { frame, shows, press } = await open();
    press('3');
    await shows('Alerts 2');
    press('/');
    press('pay');
    await shows('1 of 2 match: ⏎ keeps the filter, Esc clears it');
    await shows('1 match pay (Esc: all)');
    press('return');
    await shows(/ n new /);
    press('escape');
    await waitFor(() => !frame().includes('match pay'));
  });

  it.each(['1', '3', '6'])('opens a block in the Explorer from tab %s', async (tab) => {
    const { shows, press } = await open();
    press(tab);
    await shows(`[${tab}`);
    press('/');
    press('24,337,601');
    await shows('⏎ opens it in Explorer');
    press('return');
    await shows('[5 Explorer');
    await shows('Block 24,337,6');
  });
});

it('a notice has a line of its own above the keys', async () => {
  const { frame, footer, shows, press } = await open();
  press('y');
  await shows('Copied the three lanes');
  expect(footer()).toMatch(/^ \? help .* q quit *$/);
  expect(frame().split('\n').at(-2)).toContain('Copied the three lanes');
});

it('a makes an alert from every tab, with the price that one looks at', async () => {
  const { shows, press } = await open();
  for (const tab of ['2', '4', '5', '6']) {
    press(tab);
    await shows(`[${tab}`);
    press('a');
    await shows('New alert');
    press('escape');
    await shows(`[${tab}`);
  }
});
