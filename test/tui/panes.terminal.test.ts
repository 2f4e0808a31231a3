import { describe, expect, it } from 'vitest';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { FROM, noise, signedBlobs, signedTransfer, TO } from './auto-txs/signed.ts';
import { leads, NO_CLEARS, sceneOpener } from './open-scene.ts';

const { shareScene } = await sceneOpener();

/** The runs of 16 digits of `signed` that the terminal was given, but for those of the receiver, which it must show. */
function shownDigits(screen: Terminal, signed: string): string[] {
  const output = screen.output().toLowerCase();
  const shown = new Set<string>();
  for (const [run] of output.matchAll(/[0-9a-f]{16,}/g)) {
    for (let from = 0; from + 16 <= run.length; from++) shown.add(run.slice(from, from + 16));
  }
  const receiver = TO.slice(2).toLowerCase();
  return [...shown].filter((digits) => signed.includes(digits) && !receiver.includes(digits));
}

const LARGE = 128 * 1_024 - 200;

describe('over prices that stand still', () => {
  const shown = shareScene('still', { watchTty: true });

  it('Alerts makes an alert from the price on Live, and deletes, undoes and opens it, without ever clearing the screen', async () => {
    const screen = shown();
    await screen.waitFor('WAIT ');
    await leads(screen, 'a', 'New alert');
    // None of these is a key of the monitor here.
    await screen.press('tab');
    await screen.press('tab');
    await leads(screen, 'q?2n', 'q?2n');
    await leads(screen, 'ctrl+s', 'Alerts 2', /▸ .*Average < 0\.041 gwei/);
    await leads(screen, 'enter', /note +q\?2n/, (lines) => /Esc back .*n new/.test(lines.at(-1) ?? ''));
    await leads(screen, 'd', 'Delete this alert?', (lines) => /y yes .*n no/.test(lines.at(-1) ?? ''));
    await leads(screen, 'y', 'Alerts 1', /deleted Average < 0\.041 gwei · u undoes \(\d+m\d*s?\)/);
    await leads(screen, 'u', 'Alerts 2');
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  const openForm = async () => {
    await leads(shown(), 'n', 'paste it here; it is never shown');
  };
  const leaveForm = async () => {
    await leads(shown(), 'esc', 'Leave without scheduling it?');
    await leads(shown(), 'y', 'No auto-txs yet');
  };

  it('a pasted transaction does nothing where no text is taken, and it is said what to press', async () => {
    const screen = shown();
    const signed = await signedTransfer();
    await leads(screen, '4', 'No auto-txs yet');
    screen.paste(signed);
    await screen.waitFor('Not pasted: first go to a field that takes text (n, / or u opens one)');
    await openForm();
    screen.paste(signed);
    await screen.waitFor(FROM);
    expect(shownDigits(screen, signed)).toEqual([]);
    await leaveForm();
  });

  slowIt('a pasted transaction may be 128 KB in lines, without brackets; no line end sends it', async () => {
    const screen = shown();
    const signed = await signedTransfer({ data: noise(LARGE), gas: 10_000_000n });
    await openForm();
    screen.write(`${signed.replace(/(.{64})/g, '$1\r')}\r`);
    await screen.waitFor('signed transaction, 128 KB, EIP-1559');
    await screen.waitFor('New auto-tx');
    expect(shownDigits(screen, signed)).toEqual([]);
    await leaveForm();
  });

  slowIt('a pasted transaction may bring blobs', async () => {
    const screen = shown();
    const signed = await signedBlobs(6);
    await openForm();
    screen.paste(signed);
    await screen.waitFor('signed transaction, 769 KB, EIP-4844 (blobs)');
    await screen.waitFor('6 blobs at most');
    expect(shownDigits(screen, signed)).toEqual([]);
    await leaveForm();
  });

  it.each([
    [60, 16],
    [80, 24],
    [200, 50],
  ])('each pane and overlay leaves the last row to the keys at %i×%i', async (columns, rows) => {
    const screen = shown();
    screen.resize(columns, rows);
    const hasKeys = (lines: readonly string[]) =>
      lines.length === rows && /^ (\? help|Esc)/.test(lines.at(-1) ?? '');
    for (const tab of ['2', '3', '4', '5', '6', '1']) {
      await leads(screen, tab, new RegExp(`\\[${tab} `), hasKeys);
    }
    await leads(screen, '?', 'Keys', hasKeys);
    await leads(screen, 'esc', '[1 Live]', hasKeys);
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('the form of an alert takes the signs of a rule as they are typed, and says what it stands for now', async () => {
    const screen = shown();
    await leads(screen, '3', 'Alerts 2');
    await leads(screen, 'n', 'New alert');
    await leads(screen, '2% of $0.50/swap', /threshold +2% of \$0\.50\/swap +\(0\.\d+ gwei now\)/);
    await leads(screen, 'esc', 'Leave without making the alert?');
    await leads(screen, 'y', 'Alerts 2');
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('a form keeps what is typed while the window is too small, asks at Ctrl-C, and quits clean at the next', async () => {
    const screen = shown();
    await leads(screen, '3', 'Alerts 2');
    await leads(screen, 'n', 'New alert');
    await leads(screen, '0.0123', /threshold +0\.0123/);
    screen.resize(40, 10);
    await screen.waitFor('window has 40×10');
    screen.resize(60, 16);
    await screen.waitFor(/threshold +0\.0123/);
    // Asked once whether what is typed may go, it quits at the second.
    await leads(screen, 'ctrl+c', 'y yes');
    await screen.press('ctrl+c');
    expect(await screen.waitForExit()).toEqual({ exitCode: 0, signal: 0 });
    expect(screen.leftovers()).toEqual([]);
  });
});

describe.runIf(isSlowRun)('for a screen reader', () => {
  const shown = shareScene('auto-txs', { env: { INK_SCREEN_READER: 'true' }, rows: 60, cols: 140 });
  const expectNoSigns = () => expect(shown().screen().join('')).not.toMatch(/[●◌▸↑↓│✓✗]/);

  it('the chart is its figures in sentences, and its keys say why nothing is drawn', async () => {
    const screen = shown();
    await screen.waitFor('Average, price 0.0507');
    await leads(
      screen,
      '2',
      /^base 0\.0508 .*, min 0\.\d+( at [^,]+| [^,]+)?, mean 0\.\d+, max 0\.\d+.*\.$/m,
      /^now .*, tip p50 /m,
    );
    for (const key of ['l', 'B']) await leads(screen, key, 'For a screen reader no chart is drawn');
    expectNoSigns();
    expect(screen.screen().join('')).not.toMatch(/log axis|[\u2801-\u28ff]/);
    await leads(screen, '1', 'Average, price 0.0507');
  });

  it('the list of auto-txs and an open one are sentences', async () => {
    const screen = shown();
    await screen.waitFor('Average, price 0.0507');
    await leads(
      screen,
      '4',
      /^submitted, what it does .* target .*when .* ago, nonce\/from #3/m,
      /^held, what it does .*nonce\/from #9/m,
      '0.01 ETH to 0x7099~79C8 once Average <= 0.04 gwei',
    );
    await leads(screen, ['j', 'j'], /Marked: held, what it does/, 'nonce 8 must come first');
    await leads(
      screen,
      'enter',
      'target: Average <= 0.06 gwei.',
      /^nonce-gap, nonce 8 must come first/m,
      'created, it was scheduled',
    );
    expectNoSigns();
  });

  it('the form of an auto-tx is sentences, without what was pasted', async () => {
    const screen = shown();
    const signed = await signedTransfer();
    await leads(screen, 'n', 'Field 1 of 6: signed');
    screen.paste(signed);
    await screen.waitFor('signed, signed transaction, 115 bytes, EIP-1559');
    await screen.waitFor(`from: ${FROM}`);
    await leads(screen, 'enter', 'Field 2 of 6: target', /^ok,? nonce/m);
    expectNoSigns();
    expect(shownDigits(screen, signed)).toEqual([]);
    await leads(screen, 'esc', 'Leave without scheduling it?');
    await screen.press('y');
  });

  it('the list of alerts, an open one and its form are sentences', async () => {
    const screen = shown();
    await leads(
      screen,
      '3',
      'armed, fires when Average < 0.04 gwei, to go down 21 %, fired 2, last ',
      'notify email gas@example.org',
    );
    await leads(
      screen,
      'enter',
      'saved: +0.00000345 ETH, +$0.011 at 150,000 gas each.',
      /Selected:\.?\ndelivered, email gas@example.org/,
    );
    await leads(screen, 'n', 'Field 3 of 9: threshold');
    await leads(screen, '0.04', /^threshold, 0\.04/m);
    expectNoSigns();
  });
});
