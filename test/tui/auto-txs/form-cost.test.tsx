import { describe, expect, it } from 'vitest';
import type { GasClient } from '../../../src/client/gas-client.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { autoTxView, fakeAutoTxs } from '../fake-auto-txs.ts';
import { describing, SNAPSHOT } from '../fake-gas.ts';
import { showForm } from './show-form.tsx';
import { signedTransfer } from './signed.ts';

async function pasted(...given: Parameters<typeof showForm>) {
  const form = await showForm(...given);
  form.paste(await signedTransfer());
  await form.shows('signed transaction, 115 bytes, EIP-1559');
  await form.press('enter');
  await waitFor(() => form.focused().includes('target'));
  return form;
}

const LIMITED = autoTxView({
  ...{ isStrict: true, target: 44_400_000n, maxCost: { maxCostUsd: 0.003 } },
  ...{ effectiveSince: SNAPSHOT.blockTimestamp, thresholdReason: null },
});

/** ETH is at $3,214.50, and the transfer takes 21,000 gas. */
describe('the target of the auto-tx form', () => {
  it.each<[string, object, string]>([
    ['$0.003', { maxCostUsd: 0.003 }, '0.0444 gwei now, has to fall'],
    ['$0.0021', { maxCostUsd: 0.0021 }, '0.0311 gwei now, has to fall'],
    ['0.01%', { maxShareOfValueRatio: 0.0001 }, '0.0476 gwei now, has to fall'],
  ])(
    'takes %s, says the gwei that it stands for, and sends it in place of a price',
    async (typed, threshold, now) => {
      const { leads, sends } = await pasted();
      await leads(['ctrl+u', typed], now, /fees of\s+at\s+most\s+(\$0\.0|0\.01%)/);
      const sent = await sends('ctrl+s');
      expect(sent).toMatchObject({ threshold });
      expect(sent).not.toHaveProperty('targetGasPriceGwei');
    },
  );

  it.each([
    ['$0.40/swap', 'what it costs itself: write $0.40'],
    ['3$', 'write $3'],
    ['-25%/7d', 'limited by what it costs itself'],
    ['$0', 'an amount is above $0'],
  ])('refuses %s, and says what to write', async (typed, advice) => {
    const { leads, sent } = await pasted();
    await leads(['ctrl+u', typed], advice);
    await leads('enter', advice);
    expect(sent).toEqual([]);
  });

  it.each<[string | null, string, RegExp]>([
    [null, '0.0889 gwei now', /10,500\s+gas\s+\(the\s+node's\s+estimate\)/],
    ['gas.example.org', '0.0444 gwei now', /21,000\s+gas\s+\(its\s+gas\s+limit\)/],
  ])(
    'goes by an estimate of the own node, and asks no other service for one: %s',
    async (host, now, basis) => {
      const asked: unknown[] = [];
      const gasEstimate: GasClient['gasEstimate'] = async (call) => {
        asked.push(call);
        return { gas: 10_500, dataFeeWei: 0n, dataFeeReason: null, chainId: 1 };
      };
      const { leads } = await pasted({ host, gas: { gasEstimate } });
      await leads(['ctrl+u', '$0.003'], now, basis);
      expect(asked.length > 0).toBe(host === null);
      expect(JSON.stringify(asked)).not.toContain('0x02');
    },
  );

  it('waits where there is no dollar price, and says so', async () => {
    const { leads } = await pasted({ snapshot: { ...SNAPSHOT, nativeUsd: null } });
    await leads(['ctrl+u', '$3'], 'no dollar price of ETH', /it\s+waits\s+to\s+cost\s+at\s+most\s+\$3/);
  });

  it('is gwei alone at a service whose description has no threshold', async () => {
    const { leads, sent } = await pasted({
      isOwnService: false,
      gas: {
        description: async () =>
          describing({ 'post /auto-txs': [['signedTransaction'], ['targetGasPriceGwei'], ['note']] }),
      },
    });
    await leads(['ctrl+u', '$3'], 'must be gwei: this service takes no limit of cost');
    await leads('enter', 'must be gwei');
    expect(sent).toEqual([]);
  });

  it('has what was written before, and sends it again only where that changes', async () => {
    const { leads, changes, shows } = await showForm({ edited: LIMITED });
    await shows(/target +\$0\.003 /, '0.0444 gwei now');
    await leads(['tab', 'tab', 'rent'], 'rent');
    expect(await changes('ctrl+s')).toEqual({ note: 'rent' });
  });

  it('changes from a cost to a price', async () => {
    const { leads, changes } = await showForm({ edited: LIMITED });
    await leads(['ctrl+u', '0.02'], /target +0\.02/);
    expect(await changes('ctrl+s')).toEqual({ targetGasPriceGwei: 0.02 });
  });
});

describe('an auto-tx with a limit of cost', () => {
  it('has the limit and its price in the list and in its details', async () => {
    const { leads, press, shows } = await showForm({ edited: LIMITED, columns: 120 });
    await press('esc');
    await shows(/≤\$0\.003 0\.0444/, /cost ≤ \$0\.003 \(0\.0444 gwei now\)/);
    await leads('enter', /target +cost ≤ \$0\.003 \(0\.0444 gwei now\)/, 'price since');
  });

  it('says why it has none', async () => {
    const reason = 'the dollar price is 26 h old';
    const waiting = { ...LIMITED, target: null, thresholdReason: reason, effectiveSince: null };
    const { press, shows } = await showForm({ edited: waiting, columns: 120, gas: fakeAutoTxs([waiting]) });
    await press('esc');
    await shows('no price', `waits until cost ≤ $0.003 (${reason})`);
  });
});
