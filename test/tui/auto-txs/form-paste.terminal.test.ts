import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../helpers/terminal.ts';
import { NO_CLEARS, sceneOpener } from '../open-scene.ts';
import { FROM, noise, signedBlobs, signedTransfer, TO } from './signed.ts';

const { openScene } = await sceneOpener();

/** The monitor with the form of a new auto-tx. */
async function openForm(): Promise<Terminal> {
  const opened = await openScene('still');
  await opened.waitFor('│ Average');
  await opened.press('4');
  await opened.waitFor('No auto-txs yet');
  await opened.press('n');
  await opened.waitFor('paste it here; it is never shown');
  return opened;
}

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

/** The list, or another place where no text is taken. */
async function openList(scene: string, title: RegExp | string): Promise<Terminal> {
  const opened = await openScene(scene);
  await opened.waitFor('│ Average');
  await opened.press('4');
  await opened.waitFor(title);
  return opened;
}

/** As much as nodes take. */
const LARGE = 128 * 1_024 - 200;

describe('a signed transaction that is pasted into the monitor', () => {
  it('may have 128 KB, in a terminal that puts brackets around it', async () => {
    const signed = await signedTransfer({ data: noise(LARGE), gas: 10_000_000n });
    const screen = await openForm();
    screen.paste(signed);
    await screen.waitFor('signed transaction, 128 KB, type 2');
    await screen.waitFor(FROM);
    await screen.press('enter', 'ctrl+s');
    await screen.waitFor(/▸ .*Average/);
    expect(shownDigits(screen, signed)).toEqual([]);
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('may have 128 KB in lines of 64, in a terminal that does not; it is not sent by its line ends', async () => {
    const signed = await signedTransfer({ data: noise(LARGE), gas: 10_000_000n });
    const screen = await openForm();
    screen.write(`${signed.replace(/(.{64})/g, '$1\r')}\r`);
    await screen.waitFor('signed transaction, 128 KB, type 2', { timeoutMs: 60_000 });
    await screen.waitFor('New auto-tx');
    expect(shownDigits(screen, signed)).toEqual([]);
    await screen.press('esc');
    await screen.waitFor('Leave without handing it over?');
    await screen.press('y');
    await screen.waitFor('No auto-txs yet');
  });

  it('may bring blobs', async () => {
    const signed = await signedBlobs(6);
    const screen = await openForm();
    screen.paste(signed);
    await screen.waitFor('signed transaction, 769 KB, type 3', { timeoutMs: 60_000 });
    await screen.waitFor('6 blobs at most');
    expect(shownDigits(screen, signed)).toEqual([]);
  });

  it('is sentences for a screen reader', async () => {
    const opened = await openScene('still', { rows: 50, cols: 120, env: { INK_SCREEN_READER: 'true' } });
    await opened.waitFor('Average: 0.0507 gwei');
    await opened.press('4');
    await opened.waitFor('No auto-txs yet');
    await opened.press('n');
    await opened.waitFor('Field 1 of 6, signed: empty');
    const signed = await signedTransfer();
    opened.paste(signed);
    await opened.waitFor('signed: signed transaction, 115 bytes, type 2');
    await opened.waitFor(`from: ${FROM}`);
    await opened.press('enter');
    await opened.waitFor('Field 2 of 6, target: 0.041 gwei');
    await opened.waitFor('nonce, good: ');
    expect(opened.screen().join('')).not.toMatch(/[●◌▸▲▼│✓✗]/);
    expect(shownDigits(opened, signed)).toEqual([]);
  });
});

describe('a signed transaction that is pasted where no text is taken', () => {
  const UNTOUCHED = 'Not pasted: press n first, then paste';

  it('does nothing, and says what to press', async () => {
    const signed = await signedTransfer();
    const screen = await openList('still', 'No auto-txs yet');
    screen.paste(signed);
    await screen.waitFor(UNTOUCHED);
    await screen.press('n');
    await screen.waitFor('paste it here; it is never shown');
    screen.paste(signed);
    await screen.waitFor(FROM);
    expect(shownDigits(screen, signed)).toEqual([]);
  });

  it('answers no question', async () => {
    const signed = await signedTransfer();
    const screen = await openList('auto-txs', / Auto-txs 9 /);
    await screen.press('j', 'j', 'j');
    await screen.waitFor(/^ ▸ . waiting /m);
    await screen.press('x');
    await screen.waitFor('Cancel this auto-tx?');
    screen.paste(signed);
    await screen.waitFor('Not pasted: answer the question first');
    await screen.waitFor('Cancel this auto-tx?');
    expect(shownDigits(screen, signed)).toEqual([]);
  });
});
