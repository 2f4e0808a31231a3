import { describe, expect, it } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { GasClient } from '../../../src/client/gas-client.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { autoTxView, fakeAutoTxs } from '../fake-auto-txs.ts';
import { BLOCK, describing, RECOMMENDATION, SNAPSHOT } from '../fake-gas.ts';
import { showForm } from './show-form.tsx';
import { noise, signedBlobs, signedTransfer, TO } from './signed.ts';

const senderOf = (nonce: number, balance: bigint) => ({
  ...{ chainId: 1, nonce, pendingNonce: nonce, balance, waiting: [] },
  ...{ dataFees: null, dataFeesReason: null, code: null, blockGasLimit: null },
});
const NOW = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;

async function pasted(...given: Parameters<typeof showForm>) {
  const form = await showForm(...given);
  const signed = await signedTransfer();
  form.paste(signed);
  await form.shows('signed transaction, 115 bytes, EIP-1559');
  await form.press('enter');
  await waitFor(() => form.focused().includes('target'));
  return { ...form, signed };
}

describe('the form of a new auto-tx with a transaction in it', () => {
  it('schedules it with what is typed, and goes back to the list with the cursor on it', async () => {
    const { leads, shows, signed, toasts, sends } = await pasted();
    await leads(
      ['ctrl+u', '0.0305', 'tab', 'right', 'tab', 'right', 'tab', 'space', 'tab', 'rent 🚀'],
      'rent 🚀',
      /expires +7d/,
      '[Fast]',
      '[yes]',
    );
    expect(await sends('enter')).toEqual({
      signedTransaction: signed,
      ...{ targetGasPriceGwei: 0.0305, gasSpeed: 'FAST', strictTargetPrice: true, note: 'rent 🚀' },
      expiresAt: new Date(NOW + 7 * 86_400_000).toISOString(),
    });
    await shows('Auto-tx', '▸');
    await waitFor(() => toasts.at(-1)?.text === 'Scheduled: its own price ≤ 0.0305 gwei');
  });

  it.each(['the demo', 'gastop'])('says that %s forgets it', async (forgetful) => {
    const { sends, shows, toasts } = await pasted({ forgetful });
    await sends('ctrl+s');
    await waitFor(() =>
      toasts.at(-1)?.text.startsWith(`Scheduled, and ${forgetful} forgets it when it ends: `),
    );
    await shows(`${forgetful} forgets these when it ends`);
  });

  it('begins at about what the slow lane costs, within a day', async () => {
    const { shows } = await pasted();
    await shows(/target +0\.041 /, 'now 0.0507, has to fall 19 %', /expires +1d/);
  });

  it('keeps a suggestion in which the cursor was moved', async () => {
    const { leads, shows } = await pasted();
    await shows(/target +0\.041 /);
    await leads(['left', 'right', '5'], /target +0\.0415 +gwei/);
  });

  it('says how likely the target is reached before it expires, and within a day where it never does', async () => {
    const asked: (number | undefined)[] = [];
    const gasRecommendation: GasClient['gasRecommendation'] = async ({ reach = null } = {}) => {
      asked.push(reach?.deadlineSec);
      return { ...RECOMMENDATION, reach: reach && { ...reach, probability: 0.81, reason: null } };
    };
    const { leads, shows } = await pasted({ gas: { gasRecommendation } });
    await shows('reached 81 % likely before it expires');
    await leads(['tab', 'tab', 'tab', 'ctrl+u', 'none'], 'reached 81 % likely within 1d');
    await leads(['ctrl+u', '7d'], /expires +7d/, 'reached 81 % likely within 1d');
    expect([...new Set(asked)]).toEqual([86_400]);
  });

  it('asks before it is sent at once, with Cancel focused', async () => {
    const { leads, sent, sends } = await pasted();
    await leads(['ctrl+u', '0.06'], 'target reached: it is broadcast at once');
    await leads(
      'ctrl+s',
      'Send it at once?',
      /After block [\d,]+:\s+Average ≤ 0.06 gwei:\s+now\s+0.0507,/,
      /It pays 0.0507 gwei itself: fees of\s+about\s+0.00000106\s+ETH/,
      /at\s+most\s+0.00000126\s+ETH/,
      '[▸ Not yet ]',
    );
    await leads('enter', 'New auto-tx');
    expect(sent).toEqual([]);
    await leads('ctrl+s', 'Send it at once?');
    await sends('y');
  });

  it('asks before one is scheduled that pays far more itself than its target', async () => {
    const { leads, shows, paste, sent, sends } = await showForm();
    paste(await signedTransfer({ maxFeePerGas: 101_000_000_000n, maxPriorityFeePerGas: 100_000_000_000n }));
    await shows(/makes it pay about 100\s+gwei/);
    await leads('ctrl+s', 'Schedule it although it pays far more?', /own\s+priority\s+fee\s+of\s+100\s+gwei/);
    expect(sent).toEqual([]);
    await sends('y');
  });

  it('asks as well where a block that the screen does not have yet has brought its target', async () => {
    const average = { ...SNAPSHOT.lanes.average, price: 40_000_000n };
    const gasCurrent = async () => ({ ...SNAPSHOT, lanes: { ...SNAPSHOT.lanes, average } });
    const { leads, shows, sent } = await pasted({ gas: { gasCurrent } });
    await shows('now 0.0507, has to fall 19 %');
    await leads('ctrl+s', 'Send it at once?', 'Average ≤ 0.041 gwei: now 0.0400, target reached.');
    expect(sent).toEqual([]);
  });

  it('says neither that its target is reached nor how likely that is while a nonce is missing', async () => {
    const autoTxAccount = async () => senderOf(6, 10n ** 18n);
    const { leads, shows, screen, sends } = await pasted({}, { autoTxAccount });
    await shows(/nonce-gap +nonce 6 is missing/);
    expect(screen()).not.toContain('likely');
    await leads(['ctrl+u', '0.06'], 'target reached; waits for the nonces below it');
    expect(screen()).not.toContain('broadcast at once');
    await sends('ctrl+s');
  });

  it('says that its cap decides where that lies below the base fee', async () => {
    const { shows, paste, focuses } = await showForm();
    paste(await signedTransfer({ maxFeePerGas: 30_000_000n }));
    await shows('signed transaction');
    await focuses('enter', 'your cap of 0.03 decides: base fee 0.0497 now');
  });

  it('waits for a cap below the base fee where its target is below that too, and is not asked about', async () => {
    const nextBaseFee = 10n ** 9n;
    const average = { ...SNAPSHOT.lanes.average, price: nextBaseFee };
    const { leads, sends } = await pasted({
      snapshot: { ...SNAPSHOT, nextBaseFee, lanes: { ...SNAPSHOT.lanes, average } },
    });
    await leads(['ctrl+u', '0.05'], /◌ cap +it waits while the base fee is above your cap of 0\.06 gwei/);
    await sends('ctrl+s');
  });

  it('says that it pays more itself where its own tip is above its target', async () => {
    const average = { ...SNAPSHOT.lanes.average, price: 20_000_000n };
    const { leads } = await pasted({ snapshot: { ...SNAPSHOT, lanes: { ...SNAPSHOT.lanes, average } } });
    await leads(['ctrl+u', '0.03'], 'target reached: it is broadcast at once, but pays more itself');
  });

  it('compares what it would pay itself where it is strict', async () => {
    const { shows, press } = await pasted();
    await press('tab', 'tab', 'space');
    // The next base fee and its tip: 0.0497 + 0.001.
    await shows('own price 0.0507, has to fall 19 %');
  });

  it('checks it here, against what the service says of the sender, and once more with each block', async () => {
    let nonce = 7;
    const asked: string[] = [];
    const autoTxAccount = async (address: string) => {
      asked.push(address);
      return senderOf(nonce, 10n ** 15n);
    };
    const { shows, arrive } = await pasted({}, { autoTxAccount });
    await shows(/◌ balance/, /✓ nonce/);
    nonce = 8;
    arrive({ ...SNAPSHOT, blockNumber: (SNAPSHOT.blockNumber ?? 0) + 1 });
    await shows(/✗ nonce/);
    expect(new Set(asked)).toEqual(new Set(['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266']));
  });

  it('judges its blob cap by each new block, also of a service that knows no senders', async () => {
    let nextBlobBaseFee: number | null = 4;
    const block = async () => ({ ...BLOCK, nextBlobBaseFee });
    const form = await showForm({ gas: { block } }, { autoTxAccount: async () => null });
    form.paste(await signedBlobs(1));
    await form.shows(/✓ blob-cap/);
    const follow = async (next: number | null, blocks: number, finding: RegExp) => {
      nextBlobBaseFee = next;
      form.arrive({ ...SNAPSHOT, blockNumber: (SNAPSHOT.blockNumber ?? 0) + blocks });
      await form.shows(finding);
    };
    await follow(11, 1, /◌ blob-cap/);
    await follow(10, 2, /✓ blob-cap/);
    await follow(null, 3, /\? blob-cap/);
  });

  it.each([
    ['the next blob base fee', {}, { block: async () => ({ ...BLOCK, nextBlobBaseFee: null }) }],
    ['its sender', { autoTxAccount: async () => null }, {}],
    ['its balance', { autoTxAccount: async () => ({ ...senderOf(7, 0n), balance: null }) }, {}],
  ])('says and asks that it may be sent at once where %s is not told', async (_, account, gas) => {
    const block = async () => ({ ...BLOCK, nextBlobBaseFee: 4 });
    const form = await showForm({ gas: { block, ...gas } }, account);
    form.paste(await signedBlobs(1));
    await form.shows('signed transaction');
    await form.press('enter');
    await waitFor(() => form.focused().includes('target'));
    await form.leads(['ctrl+u', '0.06'], 'target reached: it may be broadcast at once');
    expect(form.screen()).not.toContain('it is broadcast at once');
    await form.leads('ctrl+s', 'Send it at once?', /It may be broadcast at once and cannot be recalled/);
    await form.sends('y');
  });

  it('puts what needs a look first, and counts what there is no room for', async () => {
    const { shows, lines } = await pasted(
      { columns: 60, rows: 13 },
      { autoTxAccount: async () => senderOf(9, 0n) },
    );
    await shows(/✗ nonce/, /… \d more check/);
    expect(lines().length).toBeLessThanOrEqual(13);
  });

  it('says which checks cannot be told by a service that knows no senders', async () => {
    const { shows } = await pasted({}, { autoTxAccount: async () => null });
    await shows(/\? nonce/, /\? balance/, /✓ chain/);
  });

  it('puts what the service refuses at its fields, and keeps what was typed and pasted', async () => {
    const details = [
      { path: 'signedTransaction', message: 'nonce 7 is used already' },
      { path: 'expiresAt', message: 'must be sooner' },
      { path: 'plan', message: 'holds no more than 5' },
    ];
    const refused = new ClientError('invalid', 'not accepted', {
      endpoint: '/auto-txs',
      status: 400,
      details,
    });
    const createAutoTx = () => Promise.reject(refused);
    const { leads, sent, focused } = await pasted({}, { createAutoTx });
    await leads('ctrl+s', '! nonce 7 is used already', '! must be sooner', '! plan holds no more than 5');
    await waitFor(() => focused().includes('signed'));
    await leads('ctrl+s', '! nonce 7 is used already');
    await waitFor(() => sent.length === 2);
  });

  it('names another service before it gets what is signed', async () => {
    const { leads, sent, sends } = await pasted({ isOwnService: false, host: 'gas.example.org', rows: 21 });
    await leads(
      'ctrl+s',
      'Schedule it with gas.example.org?',
      '0xf39F…2266 → 0x7099…79C8, 0.01 ETH, nonce 7',
      'This service can send it at any time',
    );
    await leads('enter', 'New auto-tx');
    expect(sent).toEqual([]);
    await leads('ctrl+s', 'Schedule it with');
    await sends('y');
  });

  it.each([true, false])('warns of a way on which others can read what is signed: %s', async (isPlain) => {
    const { leads, screen } = await pasted({ host: 'gas.example.org', isPlain, rows: 21 });
    await leads('ctrl+s', 'Schedule it with gas.example.org?');
    expect(screen().includes('It travels unencrypted: anyone who reads it')).toBe(isPlain);
    expect(screen()).toMatch(/\[▸ Not yet ]/);
  });

  it('asks a service for nothing that it does not know, and sends it none of that', async () => {
    const { shows, sent, screen, sends } = await pasted({
      gas: {
        description: async () =>
          describing({ 'post /auto-txs': [['signedTransaction'], ['targetGasPriceGwei'], ['note']] }),
      },
      isOwnService: false,
    });
    await shows('note');
    await waitFor(() => !screen().includes('expires   '));
    await sends('ctrl+s');
    expect(Object.keys(sent[0] ?? {})).toEqual(['signedTransaction', 'targetGasPriceGwei', 'note']);
  });

  it('is asked about before it is thrown away, and then nothing of it is left', async () => {
    const { leads, memory } = await pasted();
    await leads('esc', 'Leave without scheduling it?', 'The pasted transaction is forgotten.');
    await leads('enter', 'New auto-tx', 'signed transaction, 115 bytes');
    await leads('esc', 'Leave without');
    await leads('y', 'No auto-txs yet');
    expect(memory.get('auto-tx-form')).toBeNull();
    await leads('n', 'paste it here; it is never shown');
  });

  it('says what is not known of a call with much data in a few words', async () => {
    const { paste, shows, screen } = await showForm();
    const data = noise(20_000);
    paste(await signedTransfer({ data, gas: 2_000_000n }));
    await shows(`${data.slice(0, 10)} of`, '20 KB of data');
    expect(screen()).not.toContain(data.slice(10, 26));
  });
});

describe('the form of an auto-tx that is changed', () => {
  it('sends only what is changed', async () => {
    const { press, shows, toasts, changes } = await showForm({ edited: autoTxView({ note: 'rent' }) });
    await shows(/target +0\.04 /);
    await press('ctrl+u', '0.03');
    expect(await changes('ctrl+s')).toEqual({ targetGasPriceGwei: 0.03 });
    await waitFor(() => toasts.at(-1)?.text === 'Changed: Average ≤ 0.03 gwei');
  });

  it('checks again what is stored, and asks where a lower target has it pay far more', async () => {
    const edited = autoTxView({ maxFeePerGas: 101_000_000_000n, maxPriorityFeePerGas: 30_000_000n });
    const { leads, shows, changed, changes } = await showForm({ edited });
    await shows(/✓ nonce +nonce 7 is the sender's next/);
    await leads(
      ['ctrl+u', '0.01', 'ctrl+s'],
      'Schedule it although it pays far more?',
      /own\s+priority\s+fee\s+of\s+0\.03\s+gwei/,
    );
    expect(changed).toEqual([]);
    expect(await changes('y')).toEqual({ targetGasPriceGwei: 0.01 });
  });

  it('does not ask for what stays as it is, and is left at once', async () => {
    const { leads, changed, tells } = await showForm({ edited: autoTxView() });
    await tells('ctrl+s', 'Nothing is changed yet');
    await leads('esc', 'Auto-tx');
    expect(changed).toEqual([]);
  });

  it('keeps an expiry to the minute, and takes a new one', async () => {
    const edited = autoTxView({ expiresAt: Date.UTC(2026, 0, 6, 12, 30) });
    const { shows, changes } = await showForm({ edited });
    await shows(/expires +2026-01-06 12:30 UTC +in /);
    expect(await changes('tab', 'tab', 'tab', 'ctrl+u', 'none', 'ctrl+s')).toEqual({ expiresAt: null });
  });

  it('takes another signature while it was never sent, and none afterwards', async () => {
    const { leads, paste, shows, changes } = await showForm({ edited: autoTxView() });
    await leads('up', 'paste another one to replace it');
    const signed = await signedTransfer({ nonce: 8 });
    paste(signed);
    await shows(/nonce +8/);
    expect(await changes('ctrl+s')).toEqual({ signedTransaction: signed });
    const sentBefore = autoTxView({ attempts: 1, submittedAt: NOW - 60_000 });
    const other = await showForm({ edited: sentBefore });
    await other.shows('signed for Ethereum');
    expect(other.screen()).not.toContain('paste another one');
  });

  it('signs a draft with what matches it', async () => {
    const draft = autoTxView({ status: 'DRAFT', from: null, nonce: null, hash: null, type: null });
    const { leads, press, paste, shows, changes } = await showForm({ edited: draft });
    await shows('Sign the draft', /The draft: .*0\.01 ETH to 0x7099…79C8\. Sign exactly that/);
    paste(await signedTransfer({ value: 5n }));
    await shows('is of another transaction than the draft: value differs');
    await press('ctrl+s');
    await leads('ctrl+u', 'needs a signed transaction: paste it here');
    const signed = await signedTransfer();
    paste(signed);
    await shows(`to         ${TO}`);
    expect(await changes('ctrl+s')).toEqual({ signedTransaction: signed });
  });
});

describe('the form for everybody', () => {
  it('is plain ASCII where that is asked for', async () => {
    const { screen, shows } = await pasted({ ascii: true });
    await shows('ok nonce');
    expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('is a window that is too small for a while, without losing what was pasted', async () => {
    const memory = new Map<string, unknown>();
    const first = await pasted({ memory });
    first.unmount();
    const service = fakeAutoTxs();
    const again = await showForm({ memory, isOpen: true, gas: service });
    await again.shows('signed transaction, 115 bytes, EIP-1559');
  });
});
