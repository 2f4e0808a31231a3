import { describe, expect, it } from 'vitest';
import type { TerminalOptions } from '../../helpers/terminal.ts';
import { NO_CLEARS, sceneOpener } from '../open-scene.ts';

const { openScene } = await sceneOpener();

const start = (options: Partial<TerminalOptions> = {}) => openScene('still', options);

describe('the Alerts pane on a terminal', () => {
  it('makes an alert from the price on Live, and deletes, undoes and opens it, without ever clearing the screen', async () => {
    const screen = await start();
    await screen.waitFor('[1 Live]');
    await screen.waitFor('│ Average');
    await screen.press('a');
    await screen.waitFor(/threshold +0\.05 .*has to fall 1 %/);
    await screen.waitFor((lines) => /Tab fields .* Ctrl-S make it .* Esc leave/.test(lines.at(-1) ?? ''));
    await screen.press('esc');
    await screen.waitFor('[1 Live]');
    await screen.press('a');
    await screen.waitFor('New alert');
    // None of these is a key of the monitor here.
    await screen.press('tab');
    await screen.press('tab');
    await screen.press('q?2n');
    await screen.waitFor('q?2n');
    await screen.press('ctrl+s');
    await screen.waitFor('Alerts 2');
    await screen.waitFor(/▸ .*Average < 0\.05 gwei/);
    await screen.press('enter');
    await screen.waitFor(/note +q\?2n/);
    await screen.waitFor((lines) => /Esc back .*send again/.test(lines.at(-1) ?? ''));
    await screen.press('d');
    await screen.waitFor('Delete this alert?');
    await screen.waitFor((lines) => /y yes .*n no/.test(lines.at(-1) ?? ''));
    await screen.press('y');
    await screen.waitFor('Alerts 1');
    await screen.waitFor(/deleted Average < 0\.05 gwei · u undoes \(\d+m\d*s?\)/);
    await screen.press('u');
    await screen.waitFor('Alerts 2');
    expect(screen.clears).toEqual(NO_CLEARS);
    await screen.press('q');
    expect(await screen.waitForExit()).toEqual({ exitCode: 0, signal: 0 });
    expect(screen.leftovers()).toEqual([]);
  });

  it('shows its list once a form that came from a price was left, with or without something typed', async () => {
    const screen = await start();
    await screen.waitFor('│ Average');
    for (const typed of ['', '7']) {
      await screen.press('a');
      await screen.waitFor('New alert');
      if (typed !== '') await screen.press(typed);
      await screen.press('esc');
      if (typed !== '') {
        await screen.waitFor('Leave without making the alert?');
        await screen.press('y');
      }
      await screen.waitFor('[1 Live]');
      await screen.press('3');
      await screen.waitFor('Alerts 1');
      expect(screen.find('New alert')).toBeNull();
      await screen.press('1');
      await screen.waitFor('[1 Live]');
    }
  });

  it('keeps what is typed while the window is too small', async () => {
    const screen = await start();
    await screen.waitFor('│ Average');
    await screen.press('3');
    await screen.waitFor('Alerts 1');
    await screen.press('n');
    await screen.waitFor('New alert');
    await screen.press('0.0123');
    await screen.waitFor(/threshold +0\.0123/);
    screen.resize(40, 10);
    await screen.waitFor('window has 40×10');
    screen.resize(60, 16);
    await screen.waitFor(/threshold +0\.0123/);
  });

  it('says with words and signs, without colours, which field and which answer is marked', async () => {
    const screen = await start({ env: { FORCE_COLOR: '0' } });
    await screen.waitFor('│ Average');
    await screen.press('3');
    await screen.waitFor('Alerts 1');
    await screen.press('d');
    await screen.waitFor('[▸ Keep it ]');
    await screen.press('right');
    await screen.waitFor('[▸ Delete ]');
    await screen.press('n');
    await screen.press('n');
    await screen.waitFor(/▸ threshold/);
  });

  it('is sentences for a screen reader: the list, an open alert, the form', async () => {
    const screen = await start({ env: { INK_SCREEN_READER: 'true' }, rows: 50, cols: 120 });
    await screen.waitFor('Average: 0.0507 gwei');
    await screen.press('3');
    await screen.waitFor('armed, fires when Average < 0.04 gwei, to go down 21 %, fired 2, last ');
    await screen.waitFor('tells email gas@example.org');
    await screen.press('enter');
    await screen.waitFor('saved: 0.00000345 ETH, $0.011 at 150,000 gas each.');
    await screen.waitFor('Selected: delivered, email gas@example.org');
    await screen.press('n');
    await screen.waitFor('Field 3 of 9, threshold: empty gwei');
    await screen.press('0.04');
    await screen.waitFor('threshold: 0.04 gwei');
    expect(screen.screen().join('')).not.toMatch(/[●◌▸▲▼│]/);
  });
});
