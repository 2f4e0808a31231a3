import { describe, expect, it } from 'vitest';
import { KEYMAP } from '../../../src/tui/input/keymap.ts';
import type { ScreenQuestion, TerminalOptions } from '../../helpers/terminal.ts';
import { NO_CLEARS, sceneOpener } from '../open-scene.ts';

const { openScene } = await sceneOpener();

/** The state under the cursor. */
const isOn = (word: string) => new RegExp(`^ ▸ . ${word} `, 'm');
const isList = /^ Auto-txs 9 /m;
const isCancel = 'Cancel this auto-tx?';
const isDelete = 'Delete this auto-tx?';
const isOpen = /^ Order/m;

/** Keys in turn, and what each must bring on the screen before the next is pressed. */
const LIST_KEYS: readonly (readonly [key: string, shows: ScreenQuestion])[] = [
  ['j', isOn('submitted')],
  ['down', isOn('held')],
  ['k', isOn('submitted')],
  ['up', isOn('mined')],
  ['pagedown', isOn('expired')],
  ['pageup', isOn('mined')],
  ['G', isOn('expired')],
  ['g', isOn('mined')],
  ['end', isOn('expired')],
  ['home', isOn('mined')],
  ['pagedown', isOn('expired')],
  ['d', isDelete],
  ['n', isList],
  ['delete', isDelete],
  ['n', isList],
  ['b', isOn('mined')],
  ['c', 'Copied 0xabab…abab'],
  ['j', isOn('submitted')],
  ['j', isOn('held')],
  ['j', isOn('waiting')],
  ['space', isOn('disabled')],
  ['space', isOn('waiting')],
  ['x', isCancel],
  ['n', isList],
  ['n', 'New auto-tx'],
  ['escape', isList],
  ['e', 'Change: 0.01 ETH'],
  ['escape', isList],
  ['return', isOpen],
];

const OPEN_KEYS: readonly (readonly [key: string, shows: ScreenQuestion])[] = [
  ['space', /— disabled/],
  ['space', /◌ waiting/],
  ['c', 'Copied 0xabab…abab'],
  ['x', isCancel],
  ['n', isOpen],
  ['e', 'Change: 0.01 ETH'],
  ['escape', isOpen],
  ['n', 'New auto-tx'],
  ['escape', isOpen],
  ['escape', isList],
  ['G', isOn('expired')],
  ['return', isOpen],
  ['d', isDelete],
  ['n', isOpen],
  ['delete', isDelete],
  ['n', isOpen],
  ['escape', isList],
];

const start = (options: Partial<TerminalOptions> = {}) => openScene('auto-txs', options);

describe('the Auto-tx pane on a terminal', () => {
  it('lists, opens, disables, cancels and deletes, without ever clearing the screen', async () => {
    const screen = await start();
    await screen.waitFor('4 Auto-tx ·4');
    await screen.press('4');
    await screen.waitFor('[4 Auto-tx ·4]');
    await screen.waitFor(/▸ → mined +0\.01 ETH to 0x7099…79C8/);
    await screen.waitFor((lines) => /n new .*⏎ details .*x cancel/.test(lines.at(-1) ?? ''));
    await screen.press('j', 'j', 'j', 'enter');
    await screen.waitFor(/sent when +Average ≤ 0\.04 gwei/);
    await screen.waitFor((lines) => /Esc back .*x cancel/.test(lines.at(-1) ?? ''));
    await screen.press('space');
    await screen.waitFor('— disabled');
    await screen.press('x');
    await screen.waitFor('[▸ Keep it ]');
    await screen.press('y');
    await screen.waitFor('— cancelled');
    await screen.press('d', 'y');
    await screen.waitFor('Auto-txs 8');
    await screen.waitFor('[4 Auto-tx ·3]');
    await screen.press('i');
    await screen.waitFor('GET /auto-txs');
    await screen.press('esc');
    await screen.waitFor('Auto-txs 8');
    expect(screen.clears).toEqual(NO_CLEARS);
    await screen.press('q');
    expect(await screen.waitForExit()).toEqual({ exitCode: 0, signal: 0 });
    expect(screen.leftovers()).toEqual([]);
  });

  it('does with every key what its help says, in the list and in an open one', async () => {
    const screen = await start({ cols: 120 });
    await screen.waitFor('4 Auto-tx ·4');
    await screen.press('4');
    await screen.waitFor(isOn('mined'));
    for (const [scope, keys] of [
      ['auto-txs', LIST_KEYS],
      ['auto-tx', OPEN_KEYS],
    ] as const) {
      for (const [place, [key, shows]] of keys.entries()) {
        await screen.press(key);
        await screen.waitFor(shows).catch((cause: unknown) => {
          throw new Error(`${key} (key ${place + 1} of ${scope}) did not do what it should`, { cause });
        });
      }
      const bound = KEYMAP.filter((binding) => binding.scope === scope).flatMap(({ keys: own }) =>
        own.map(String),
      );
      const pressed = new Set<string>(keys.map(([key]) => key));
      expect(bound.filter((key) => !pressed.has(key))).toEqual([]);
    }
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('scrolls through ten thousand while prices go on, without ever clearing the screen', async () => {
    const screen = await start({ env: { AUTO_TXS: '10000' }, cols: 120, rows: 40 });
    await screen.waitFor('4 Auto-tx ·10000');
    await screen.press('4');
    await screen.waitFor('Auto-txs 10,000');
    for (let page = 0; page < 10; page += 1) await screen.press('pagedown');
    await screen.waitFor('#300 ');
    await screen.press('G');
    await screen.waitFor(/▸ .*#9999 /);
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('says with a word or glyph whatever a colour says', async () => {
    const screen = await start({ env: { FORCE_COLOR: '0' } });
    await screen.waitFor('4 Auto-tx');
    await screen.press('4');
    await screen.waitFor(/→ submitted/);
    await screen.waitFor(/▲ held/);
    await screen.waitFor(/● reached/);
    await screen.press('j', 'j');
    await screen.waitFor('▲ nonce 8 must come first');
  });

  it('is sentences for a screen reader: the list and an open auto-tx', async () => {
    const screen = await start({ env: { INK_SCREEN_READER: 'true' }, rows: 60, cols: 140 });
    await screen.waitFor('Average: 0.0507 gwei');
    await screen.press('4');
    await screen.waitFor(/submitted, target .*when .* ago, nonce\/from #3/);
    await screen.waitFor(/held, target .*nonce\/from #9/);
    await screen.waitFor('0.01 ETH to 0x7099~79C8 when Average <= 0.06 gwei');
    await screen.press('j', 'j');
    await screen.waitFor(/n makes a new one\.\nheld, target/);
    await screen.waitFor('nonce 8 must come first');
    await screen.press('enter');
    await screen.waitFor('sent when: Average <= 0.06 gwei.');
    await screen.waitFor('no nonce-gap, nonce 8 must come first');
    await screen.waitFor('created, it was handed over');
    expect(screen.screen().join('')).not.toMatch(/[●◌▸▲▼│✓✗]/);
  });
});
