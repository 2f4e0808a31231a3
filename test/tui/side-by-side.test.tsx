import { describe, expect, it } from 'vitest';
import type { AlertDetailsView } from '../../src/client/views/alerts.ts';
import { AlertsPane } from '../../src/tui/panes/alerts/alerts-pane.tsx';
import { AutoTxsPane } from '../../src/tui/panes/auto-txs/auto-txs-pane.tsx';
import { waitFor } from '../helpers/wait-for.ts';
import { SAMPLES } from './auto-txs/auto-tx-samples.ts';
import { ALERT, fakeAlerts } from './fake-alerts.ts';
import { fakeAutoTxs } from './fake-auto-txs.ts';
import { type ShowOptions, showScreen, until } from './show-screen.tsx';

const WIDE = [
  [140, 37],
  [160, 42],
  [200, 47],
] as const;

const ALERTS: readonly AlertDetailsView[] = Array.from({ length: 30 }, (_, place) => ({
  ...ALERT,
  id: `alr_${place}`,
  threshold: BigInt(40_000_000 + place * 1_000_000),
  note: `note ${place}`,
}));

const showAlerts = (
  options: Partial<ShowOptions>,
  changes: Partial<ReturnType<typeof fakeAlerts>> = {},
  alerts = ALERTS,
) =>
  showScreen({
    ...{ Pane: AlertsPane, scope: 'alerts', isOwnService: true, hasFooter: true },
    ...options,
    gas: { ...fakeAlerts(alerts), ...changes },
  });

const showAutoTxs = (options: Partial<ShowOptions>) =>
  showScreen({
    ...{ Pane: AutoTxsPane, scope: 'auto-txs', isOwnService: true },
    ...options,
    gas: fakeAutoTxs(SAMPLES),
  });

/** The two halves of each line, left and right of the border. */
function halves(lines: readonly string[]) {
  const at = lines[1]?.indexOf('│') ?? -1;
  expect(at).toBeGreaterThan(60);
  return { left: lines.map((line) => line.slice(0, at)), right: lines.map((line) => line.slice(at + 1)) };
}

describe('alerts on a wide screen', () => {
  it.each(WIDE)('stand beside the details of the selected one, at %i × %i', async (columns, rows) => {
    const { leads, lines, shows } = await until(
      showAlerts({ columns, rows, hasFooter: false }),
      /▸ .*Average < 0.04 gwei .*│/,
      /│ note +note 0/,
      /│ Deliveries +1, newest first/,
    );
    expect(lines().length).toBe(rows);
    await leads(['j', 'j'], /▸ .*Average < 0.042 gwei/, /│ note +note 2\b/);
    await leads('G', /▸ .*Average < 0.069 gwei/, /│ note +note 29/);
    await leads('s', 'by nearest', /│ Average < 0.069 gwei/);
    await shows(/│ note +note 29/);
  });

  it('give the keys to the details on Enter, and take them back on Esc', async () => {
    const { leads, screen, press } = await until(
      showAlerts({ columns: 140, rows: 20 }),
      'note 0',
      /\d+ more \(⏎\)/,
    );
    expect(screen()).not.toContain('Esc back');
    await leads('enter', /▸ Average < 0.04 gwei/, 'Esc back', /\d+ more \(j\)/);
    const before = screen();
    await press('j', 'j', 'j', 'j', 'j', 'j', 'j', 'j');
    await waitFor(() => screen() !== before && !screen().includes('note 0'));
    expect(screen()).toMatch(/ ▸ .*Average < 0.04 gwei/);
    await leads('esc', /│ note +note 0/);
    await leads('j', /│ note +note 1\b/);
  });

  it('are one list again, or open details alone, where the window becomes narrow', async () => {
    const memory = new Map<string, unknown>();
    const wide = await until(showAlerts({ columns: 140, rows: 37, memory }), /│ note +note 0/);
    await wide.leads(['j', 'enter'], /▸ Average < 0.041 gwei/);
    wide.unmount();
    const narrow = await until(showAlerts({ columns: 139, rows: 37, memory }), 'note 1', 'Deliveries');
    expect(narrow.screen()).not.toContain('Alerts 30');
  });

  it('of another service come with their details, too, and say while these load', async () => {
    const { leads, shows } = showAlerts({ columns: 140, rows: 37, isOwnService: false });
    await shows('Alerts 30', 'Deliveries  loading …', 'Deliveries  1, newest first');
    await leads('j', /│ note +note 1\b/, 'Deliveries  1, newest first');
  });

  it('have no second half where there are none', async () => {
    const { screen } = await until(showAlerts({ columns: 200, rows: 47 }, {}, []), 'No alerts yet');
    expect(screen()).not.toContain('│');
  });
});

describe('auto-txs on a wide screen', () => {
  it.each(WIDE)('stand beside the details of the selected one, at %i × %i', async (columns, rows) => {
    const { leads, lines } = await until(
      showAutoTxs({ columns, rows }),
      /▸ → included/,
      /│ Timeline/,
      'it was scheduled',
    );
    expect(lines().length).toBe(rows);
    for (const [key, target] of [
      ['j', 'Average ≤ 0.04 gwei'],
      ['G', 'Average ≤ '],
    ] as const) {
      await leads(key, new RegExp(`│ target +${target}`));
      const { left, right } = halves(lines());
      const selected = left.find((line) => line.startsWith(' ▸ ')) ?? '';
      // What it does stands in both.
      const words = /ETH to 0x\w\w|transfer/.exec(selected)?.[0] ?? 'nothing';
      expect(right[0]).toContain(words);
    }
  });
});
