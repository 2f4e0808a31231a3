import { describe, expect, it, vi } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { AutoTxView } from '../../../src/client/views/auto-txs.ts';
import { AutoTxsPane } from '../../../src/tui/panes/auto-txs/auto-txs-pane.tsx';
import { waitFor } from '../../helpers/wait-for.ts';
import { type AutoTxMethods, autoTxView, fakeAutoTxs } from '../fake-auto-txs.ts';
import { SNAPSHOT } from '../fake-gas.ts';
import { type ShowOptions, SIZES, showScreen, until } from '../show-screen.tsx';
import {
  AT,
  CALLS,
  CONFIRMING,
  DISABLED,
  DRAFT,
  EXECUTED,
  FAILED,
  HELD,
  SAMPLES,
  SENT,
  TRANSFER,
  WAITING,
} from './auto-tx-samples.ts';

function show(
  autoTxs: readonly AutoTxView[],
  options: Partial<ShowOptions> = {},
  changes: Partial<AutoTxMethods> = {},
) {
  const service = { ...fakeAutoTxs(autoTxs), ...changes };
  return showScreen({
    Pane: AutoTxsPane,
    scope: 'auto-txs',
    isOwnService: true,
    ...options,
    gas: { ...service, ...options.gas },
  });
}

const marked = (lines: readonly string[]) => lines.find((line) => line.startsWith(' ▸ '));

const refused = (message: string) =>
  new ClientError('conflict', message, { endpoint: '/auto-txs/{id}', status: 409 });

describe('the list of auto-txs', () => {
  it.each(SIZES)('fills %i × %i exactly', async (columns, rows) => {
    const { lines } = await until(show(SAMPLES, { columns, rows }), 'Auto-txs 9');
    expect(lines().length).toBe(rows);
    expect(lines()[2]).toMatch(/→ included +(#2 )?0.01 ETH to 0x709.* 0.04 .*5\/12 blocks/);
  });

  it('has first what is on its way, then what waits by its distance, what is on hold, and what has ended', async () => {
    const far = autoTxView({ id: 'far', target: 10_000_000n });
    const { lines } = await until(show([far, ...SAMPLES], { columns: 120, rows: 37 }), 'Auto-txs 10');
    const words = lines()
      .slice(2, 12)
      .map((line) => /^ [▸ ] . (\w+)/.exec(line)?.[1]);
    const waiting = ['held', 'pending', 'pending'];
    const rest = ['disabled', 'draft', 'failed', 'executed', 'expired'];
    expect(words).toEqual(['included', 'submitted', ...waiting, ...rest]);
    expect(lines()[6]).toContain('↓ 80 %');
    expect(marked(lines())).toContain('included');
  });

  it('s sorts by the target, then the newest first, then by what is under way again', async () => {
    const low = autoTxView({ id: 'low', target: 1_000_000n, createdAt: 0 });
    const { leads, shows, press, lines } = show([...SAMPLES, low], { columns: 120, rows: 37 });
    await shows('Auto-txs 10');
    for (const [words, isLast] of [
      ['by target', false],
      ['by newest', true],
    ] as const) {
      await leads('s', words);
      expect(lines()[isLast ? 11 : 2]).toContain(' 0.001 ');
    }
    await press('s');
    await waitFor(() => lines()[2]?.includes('included') === true);
  });

  it('says state, what it does, target and price, how far, how likely, until when, whose, and why', async () => {
    await show([WAITING], { columns: 120, rows: 37 }).shows(
      /◌ pending +0.01 ETH to 0x7099…79C8 +0.04 +0.0507 +↓ 21 % +81 % +in 3h04m +#7 0xf39F…2266 +deploy the/,
      'waits until Average ≤ 0.04 gwei',
    );
  });

  it('compares a strict target with what the transaction itself would pay', async () => {
    const { shows } = show([{ ...WAITING, isStrict: true, target: 50_000_000n }], { columns: 120 });
    // The next base fee and its own tip, and not the lane's price.
    await shows(/0.05 +0.0507 +↓ 1 %/, 'its own price ≤ 0.05 gwei');
  });

  it('says that a target is reached, that the cap is too low for it, and that it never will be', async () => {
    const there = autoTxView({ id: 'there', target: 60_000_000n });
    const low = autoTxView({ id: 'low', target: 55_000_000n, maxFeePerGas: 30_000_000n });
    const message = 'its tip alone is above the target';
    const code = 'unreachable_target';
    const unreachable = { name: 'reachable', result: 'block', ok: false, code, message } as const;
    const never = autoTxView({ id: 'never', isStrict: true, checks: [unreachable], reachProbability: 0 });
    const { leads } = await until(show([there, low, never]), '● reached', 'cap low', /never +—/);
    await leads('j', 'target reached, but it waits while the base fee of 0.0497 gwei');
    await leads('j', '! its tip alone is above the target');
  });

  it('tells two of the same words apart by their nonces, and begins its counts with what failed', async () => {
    const { shows, lines } = show([
      WAITING,
      { ...WAITING, id: 'other', nonce: 8 },
      TRANSFER,
      EXECUTED,
      FAILED,
    ]);
    await shows('#7 0.01 ETH to 0x7099…79C8', '#8 0.01 ETH to 0x7099…79C8');
    expect(lines()[0]).toMatch(/Auto-txs 5 +1 failed/);
    expect(lines().find((line) => line.includes('transfer on'))).not.toContain('#');
  });

  it('says how many could not be read', async () => {
    const autoTxs = async () => ({ items: [WAITING], total: 3, unreadable: 2 });
    await show([WAITING], { columns: 120 }, { autoTxs }).shows('Auto-txs 1 of 3', '2 unreadable');
  });

  it('promises nothing of one that a missing nonce keeps back, and has no price for one that is sent', async () => {
    const gap = { ...HELD, hold: null };
    const { shows, screen } = show([gap, SENT], { columns: 120 });
    await shows(/pending .* 0.06 +0.0507 +nonce-gap/, /submitted .* 0.04 +— +not mined/);
    expect(screen()).not.toMatch(/reached +>99/);
  });

  it('says under the list what holds the marked one, or why it failed', async () => {
    const { leads, shows } = show([HELD, FAILED]);
    await shows('! nonce 8 must come first: no transaction has it yet; tried again in 30s');
    await leads('j', '! nonce 0 is used: another transaction of this account was mined with it');
  });

  it('says the nonce of the marked one where there is a free line, within 60 columns', async () => {
    await show([SENT], { columns: 60, rows: 13 }).shows(/nonce\s+3\s+of\s+0xf39F…2266\s+·\s+rent/);
  });

  it('says of an executed one what it paid and saved', async () => {
    await show([EXECUTED]).shows(
      'paid 0.0388',
      /mined in block 24,337,380 at 0.0388 gwei, 0.000000250 ETH less\s+than\s+at\s+its\s+creation/,
    );
  });

  it('says of one that its own tip made far too dear what that cost, and no saving', async () => {
    const { screen } = await until(
      show([{ ...EXECUTED, target: 20_000_000n }]),
      /at 0.0388 gwei with its own tip, 0.000000395 ETH\s+above\s+its\s+target\s+of\s+0.0200\s+gwei/,
    );
    expect(screen()).not.toContain('its creation');
  });

  it('says which well-known function is called, and in words with what', async () => {
    const { leads, shows, press } = show([TRANSFER, { ...TRANSFER, id: 'listed', data: null }]);
    await shows('transfer on 0xA0b8…eB48');
    // Long data is left out of lists.
    await shows('call on 0xA0b8…eB48', 'sends 25,000,000 base units of token 0xA0b8');
    await press('enter');
    await leads(
      'pagedown',
      /Call {2}transfer\(address,uint256\)/,
      /to +0x70997970C51812dc3A010C7d01b50e0d17dc79C8/,
      /amount +25000000/,
    );
  });

  it('shows what a foreign service has: its own words, missing fields, and nothing that moves the cursor', async () => {
    const bare: AutoTxView = {
      ...DRAFT,
      ...{ id: 'x/1', status: 'QUEUED_FOR_LATER', target: null, gasSpeed: 'TURBO', isStrict: null },
      ...{ to: null, value: null, data: null, reachProbability: null, note: 'two\u001b[2Jlines\nof it' },
    };
    const { leads, shows, screen } = show([bare], { isOwnService: false, columns: 120 });
    await shows('queued for later', 'twolines of it');
    await leads('enter', 'Order');
    expect(screen()).not.toMatch(/null|undefined|NaN/);
  });

  it('is ASCII alone where that is asked for', async () => {
    const { leads, shows, screen } = show(SAMPLES, { ascii: true, columns: 120, rows: 37 });
    await shows('Auto-txs 9');
    expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
    await leads(['j', 'j', 'enter'], 'o nonce-gap');
    expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('an auto-tx that calls a known function', () => {
  it.each(CALLS)('is found by the name that its row has: %s', async (name, call) => {
    const shown = await until(show([WAITING, call]), `${name} on 0xA0b8…eB48`);
    for (const key of ['/', ...name]) await shown.press(key);
    await shown.shows('1 of 2 match');
  });

  it.each(CALLS)('is named so by the form that changes it: %s', async (name, call) => {
    const shown = await until(show([call]), `${name} on 0xA0b8…eB48`);
    await shown.press('e');
    await shown.shows(`Change: ${name} on 0xA0b8…eB48`);
  });
});

describe('a list that shows no auto-txs', () => {
  it.each(SIZES)('says how one is scheduled, at %i × %i', async (columns, rows) => {
    await show([], { columns, rows }).shows('No auto-txs yet', 'n schedules a transaction that you signed');
  });

  const REPLAYED = { ...SNAPSHOT, source: { ...SNAPSHOT.source, kind: 'replay' as const } };

  it('of a recording says what takes them', async () => {
    await show([], { snapshot: REPLAYED }).shows('A recording takes no transactions', 'gastop --rpc URL');
  });

  it.each([
    [[], []],
    [[DISABLED], []],
    [[DISABLED], ['enter']],
  ])('of a recording opens no form that would take one, and says why (%#)', async (autoTxs, way) => {
    const first = autoTxs.length > 0 ? 'Auto-txs 1' : 'A recording takes no transactions';
    const { leads, tells, screen } = await until(show(autoTxs, { snapshot: REPLAYED }), first);
    await leads(way, ...(way.length > 0 ? ['Timeline'] : []));
    for (const key of autoTxs.length > 0 ? ['n', 'e'] : ['n']) {
      await tells(key, 'error: A recording takes no transactions: start gastop with --rpc URL');
      expect(screen()).not.toContain('Ctrl-S');
    }
  });

  it('stays on the screen through a failure, with its age and the reason', async () => {
    let fails = false;
    const fake = fakeAutoTxs([WAITING]);
    const { leads, shows } = show(
      [],
      { columns: 120 },
      {
        ...fake,
        autoTxs: () => (fails ? Promise.reject(new Error('the line is cut')) : fake.autoTxs()),
      },
    );
    await shows('◌ pending');
    fails = true;
    await leads('space', /the auto-txs as of now · next try in \S+ · the line is cut/, '◌ pending');
  });
});

describe('the keys of an auto-tx', () => {
  it('space disables it and has it wait again, in the list and in its details', async () => {
    const { leads, toasts } = await until(show([WAITING]), '◌ pending');
    await leads('space', '— disabled');
    await leads('enter', 'Order');
    await leads('space', '◌ pending');
    expect(toasts.map(({ text }) => text)).toEqual([
      'Disabled: it is not broadcast',
      'Enabled: it waits for its target',
    ]);
  });

  it('space that enables one which the gas rules hold says so', async () => {
    const hold = { code: 'gas_too_low_after_fork', message: 'enough until Amsterdam', retryAt: null };
    const updateAutoTx = async () => ({ ...DISABLED, status: 'PENDING', hold });
    const { tells } = await until(show([DISABLED], {}, { updateAutoTx }), '— disabled');
    await tells('space', 'enough until Amsterdam');
  });

  it('space does nothing to a draft, and says so', async () => {
    const updateAutoTx = vi.fn(async () => null);
    const { tells } = await until(show([DRAFT], {}, { updateAutoTx }), 'Auto-txs 1');
    await tells('space', 'error: A draft needs its signature first: e');
    expect(updateAutoTx).not.toHaveBeenCalled();
  });

  it('space that is refused changes nothing, and says why', async () => {
    const updateAutoTx = () => Promise.reject(refused('it was sent a moment ago'));
    const { screen, tells } = await until(show([WAITING], {}, { updateAutoTx }), '◌ pending');
    await tells('space', 'Not changed: it was sent a moment ago');
    expect(screen()).toContain('◌ pending');
  });

  it.each(SIZES)('x asks before it cancels; a key too many keeps it, at %i × %i', async (columns, rows) => {
    const { leads, toasts } = await until(show([WAITING], { columns, rows }), '◌ pending');
    await leads('x', 'Cancel this auto-tx?', '[▸ Keep it ]', 'It was not broadcast');
    await leads('enter', '◌ pending');
    await leads(['x', 'right', 'enter'], '— cancelled');
    expect(toasts.map(({ text }) => text)).toEqual(['It is cancelled']);
  });

  it('the chance is told for as long as the service has looked ahead', async () => {
    const { leads } = await until(show([{ ...WAITING, reachWithinSec: 185 * 60 }]), '◌ pending');
    await leads('enter', '81 % within 3h05m');
  });

  it('x says of one that was sent before what may still come, and what stops it', async () => {
    const { leads, shows } = show([{ ...WAITING, attempts: 1, submittedAt: AT - 60_000, mayBeMined: true }]);
    await shows('◌ pending');
    await leads(
      'x',
      /may\s+be\s+mined\s+although\s+it\s+is\s+cancelled/,
      'Only a same-nonce replacement from your wallet can stop it.',
    );
  });

  it.each(['CANCELLED', 'EXPIRED', 'DISABLED'])(
    'one that is %s says that it may be mined while nodes may have it, and no longer once it cannot be',
    async (status) => {
      const sent = { ...WAITING, status, attempts: 1, submittedAt: AT - 60_000 };
      const open = show([{ ...sent, mayBeMined: true }]);
      await open.shows(/was\s+broadcast\s+before\s+and\s+may\s+be\s+mined\s+until\s+its\s+nonce\s+is\s+used/);
      const settled = show([{ ...sent, mayBeMined: false }]);
      await settled.shows('Auto-txs 1');
      expect(settled.screen()).not.toContain('may be mined');
      expect(settled.screen()).not.toContain('before it was broadcast');
    },
  );

  it('nothing is claimed of a service that does not say whether nodes may have it', async () => {
    const foreign = { ...WAITING, attempts: null, submittedAt: null, mayBeMined: null };
    const { leads, screen } = await until(show([foreign], { isOwnService: false }), '◌ pending');
    await leads(
      'x',
      'The service does not say whether it was broadcast',
      /a same-nonce\s+replacement from your wallet/,
    );
    expect(screen()).not.toMatch(/deleted|never will be|was not broadcast/);
    const cancelled = show([{ ...foreign, status: 'CANCELLED', checks: [] }], { isOwnService: false });
    await cancelled.shows('cancelled; the service does not say whether it was broadcast before');
    await cancelled.leads('enter', 'this service has none');
    expect(cancelled.screen()).not.toContain('none before it is signed');
  });

  it('d says of what may still be mined that nothing will tell of it', async () => {
    const { leads } = await until(show([{ ...WAITING, status: 'CANCELLED', mayBeMined: true }]), 'cancelled');
    await leads('d', /may still be mined, which nothing here\s+will\s+tell/);
  });

  it('x says of one that is on its way that nothing here stops it, and what does', async () => {
    const { leads, shows, tells } = await until(show([SENT]), 'submitted');
    await leads(
      'x',
      'It is submitted now: a broadcast transaction cannot be cancelled.',
      'Only a same-nonce replacement from your wallet can stop it.',
      '[▸ Keep it ]',
    );
    await tells('y', 'error: Not cancelled: it was sent already');
    await shows('→ submitted');
  });

  it.each(['in the list', 'in its details'])(
    'the question of x %s stays true when it goes out meanwhile, and when it is mined',
    async (where) => {
      let current = WAITING;
      const list: AutoTxMethods['autoTxs'] = async () => ({ items: [current], total: 1, unreadable: 0 });
      const autoTx: AutoTxMethods['autoTx'] = async () => ({ ...current, timeline: [], pending: null });
      const { leads, shows, renew } = show([WAITING], {}, { autoTxs: list, autoTx });
      await shows('◌ pending');
      if (where !== 'in the list') {
        await leads('enter', 'Order');
      }
      await leads('x', 'It was not broadcast');
      current = { ...SENT, id: WAITING.id };
      await renew();
      await shows('It is submitted now');
      current = { ...EXECUTED, id: WAITING.id };
      await renew();
      await shows('It is executed now: there is nothing to cancel.');
    },
  );

  it('one whose checks need attention is marked in its row', async () => {
    const message = 'its own priority fee of 100 gwei makes it pay about 100 gwei';
    const check = { name: 'cost', result: 'pass', ok: false, code: 'above_target', message } as const;
    await show([autoTxView({ id: 'dear', checks: [check] })]).shows('! pending', message);
  });

  it('one that a block has takes neither edit nor cancel', async () => {
    const { leads, press, screen } = await until(show([CONFIRMING]), 'included');
    await leads(['x', 'e', 'enter'], 'Order');
    await press('x', 'e');
    expect(screen()).toContain('Order');
  });

  it('space asks before one whose target is reached goes out, with what that pays', async () => {
    const { leads } = await until(show([{ ...DISABLED, target: 60_000_000n }]), '— disabled');
    await leads(
      'space',
      'Enable it, and send it at once?',
      'It pays 0.0507 gwei itself: fees of about 0.00000106 ETH',
    );
    await leads('enter', '— disabled');
    await leads('space', 'Enable it');
    await leads('y', '◌ pending');
  });

  it('a final one takes neither edit nor cancel nor on/off, and c schedules another like it', async () => {
    const { leads, toasts } = await until(show([{ ...FAILED, target: 31_000_000n, note: 'rent' }]), 'failed');
    await leads(['x', 'e', 'space', 'c'], 'New auto-tx');
    await leads('tab', /target +0\.031 /, /note +rent/);
    const error = { kind: 'error', text: 'It is final: c schedules another one like it' };
    expect(toasts).toEqual([error, error, error]);
  });

  it('x of which nobody knows whether it was done says so, and asks for the list', async () => {
    const lost = new ClientError('unreachable', 'no answer', { endpoint: '/auto-txs', mayBeDone: true });
    const { shows, tells } = show([WAITING], {}, { cancelAutoTx: () => Promise.reject(lost) });
    await shows('◌ pending');
    await tells(['x', 'y'], 'Perhaps done, the list is asked again: no answer');
  });

  it.each([
    ['what waits', WAITING, 'Cancel it first: x'],
    ['what is disabled', DISABLED, 'Cancel it first: x'],
    ['what is on its way', CONFIRMING, 'It is submitted: it can be deleted once it is final'],
  ])('d does not delete %s, and says what to do', async (_, autoTx, text) => {
    const { press, toasts } = await until(show([autoTx]), 'Auto-txs 1');
    await press('d');
    await waitFor(() => toasts.length === 1);
    expect(toasts).toEqual([{ kind: 'error', text }]);
  });

  it('d asks, deletes what is over, and the cursor stays where it was', async () => {
    const { leads, lines } = await until(show([DRAFT, EXECUTED, FAILED]), 'Auto-txs 3');
    await leads(['j', 'delete'], 'Delete this auto-tx?', 'It cannot be undone.');
    await leads('n', 'Auto-txs 3');
    await leads(['d', 'y'], 'Auto-txs 2');
    expect(marked(lines())).toContain('executed');
  });

  it('y copies the hash, in the list and in the details; a draft has none', async () => {
    const { leads, tells } = await until(show([WAITING, DRAFT]), 'Auto-txs 2');
    await tells('y', 'Sent 0xabab…abab to ');
    await leads('enter', 'Order');
    await tells('y', 'Sent 0xabab…abab to ');
    await leads('esc', 'Auto-txs 2');
    await tells(['j', 'y'], 'It has no hash before it is signed');
  });
});

describe('the details of an auto-tx', () => {
  it.each(SIZES)('say all that is known, within %i × %i', async (columns, rows) => {
    const { leads, press, screen, lines } = await until(show([HELD], { columns, rows }), 'held');
    await leads('enter', 'Order');
    expect(lines().length).toBe(rows);
    const seen = new Set<string>();
    await press('g');
    for (let page = 0; page < 40; page += 1) {
      for (const line of lines()) {
        seen.add(line.trim().replace(/\s+/g, ' '));
      }
      if (!/more \(j\)/.test(screen())) break;
      const before = screen();
      await press('j');
      await waitFor(() => screen() !== before);
    }
    const all = [...seen].join('\n');
    for (const text of [
      'target Average ≤ 0.06 gwei',
      'now 0.0507 gwei, target reached',
      'from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      'to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '✓ chain signed for Ethereum (1)',
      '◌ nonce-gap nonce 8 must come first',
      '? balance no node said what the account has',
      'Checks 1 waits, 1 unknown, 1h ago',
      'created it was scheduled',
    ])
      expect(all).toContain(text);
  });

  it('of a mined one begin with what it cost and saved, a loss as such', async () => {
    const { leads } = await until(show([EXECUTED], { columns: 120, rows: 37 }), 'executed');
    await leads(
      'enter',
      /confirmed +by 12 blocks; final after 12/,
      /cost +0.000000815 ETH {2}\$0.0026/,
      /saved +\+0.000000250 ETH {2}\+\$0.0008 against its price at creation of 0.0507 gwei/,
      '−0.000000655 ETH  −$0.0021 against the 24h mean with its tip of 0.0700 gwei',
    );
  });

  it('scroll by lines and pages, and Esc goes back to where the list was', async () => {
    const { leads, press, lines, screen } = await until(show(SAMPLES, { rows: 13 }), 'Auto-txs 9');
    await leads(['j', 'j', 'enter'], 'Order');
    await press('pagedown');
    await waitFor(() => !screen().includes('Order'));
    await leads(['G', 'k', 'up', 'down', 'b'], 'more (j)');
    await leads('home', 'Order');
    await press('end');
    await waitFor(() => !screen().includes('more (j)'));
    await leads('esc', 'Auto-txs 9');
    expect(marked(lines())).toContain('held');
  });

  it('of a service that keeps no timeline say so', async () => {
    const autoTx = async () => ({ ...WAITING, timeline: null, pending: null });
    const { leads } = await until(show([WAITING], { columns: 120, rows: 37 }, { autoTx }), 'pending');
    await leads('enter', 'this service has none');
  });
});
