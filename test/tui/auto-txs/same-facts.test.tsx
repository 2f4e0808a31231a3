/** What the monitor and `gastop auto-txs show` say of one auto-tx. */
import { expect, it } from 'vitest';
import { autoTxDetailsText } from '../../../src/cli/text/auto-txs.ts';
import { AutoTxsPane } from '../../../src/tui/panes/auto-txs/auto-txs-pane.tsx';
import { fakeAutoTxs } from '../fake-auto-txs.ts';
import { showScreen } from '../show-screen.tsx';
import { CONFIRMING, DISABLED, DRAFT, EXECUTED, FAILED, HELD, SENT, WAITING } from './auto-tx-samples.ts';

/** Facts without a time, which each says in a zone of its own. */
const NAMES = ['target', 'likely', 'attempts', 'from', 'to', 'value', 'pays', 'type', 'paid', 'cost'];

it.each(Object.entries({ WAITING, DISABLED, DRAFT, HELD, SENT, CONFIRMING, EXECUTED, FAILED }))(
  'the pane and the command say the same of %s',
  async (_, sample) => {
    const gas = fakeAutoTxs([sample]);
    const { leads, lines } = showScreen({
      ...{ Pane: AutoTxsPane, scope: 'auto-txs', isOwnService: true, gas },
      ...{ columns: 200, rows: 80 },
    });
    await leads('enter', 'Order', 'Checks');
    const shown = lines().join('\n').replaceAll(/ +/g, ' ');
    const details = { ...sample, timeline: [], pending: null };
    const said = autoTxDetailsText(details, false).split('\n');
    const facts = said.flatMap((line) => {
      const name = line.slice(0, 14).trimEnd();
      return NAMES.includes(name) ? [`${name} ${line.slice(14)}`.replaceAll(/ +/g, ' ')] : [];
    });
    expect(facts.length).toBeGreaterThanOrEqual(4);
    for (const fact of facts) expect(shown).toContain(fact.replace(/ \(\$.*/, ''));
  },
);
