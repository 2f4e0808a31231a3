import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { expectCleanEnd, leads, NO_CLEARS, outputFrom, sceneOpener } from './open-scene.ts';

const { openScene, shareScene } = await sceneOpener();

const folder = sharedFolder('flag');
const LIVE = /● (?:live|running)/;

describe('a source that fails', () => {
  it('leaves its last data dimmed, with reason and next try, and is live again without a key', async () => {
    const flag = join(folder, 'down');
    const screen = await openScene('flaky', { watchTty: true, env: { DOWN_WHILE: flag } });
    await screen.waitFor(LIVE);
    await screen.waitFor('│ Average');
    const row = screen.find('│ Average')?.y ?? -1;
    expect(screen.isDim(row)).toBe(false);
    await writeFile(flag, '');
    await screen.waitFor((lines) => /◌ reconnecting/.test(lines[0] ?? ''));
    await screen.waitFor(/nothing answers at 127\.0\.0\.1:8787 .* · next try in \d+s/);
    const moved = screen.find('│ Average')?.y ?? -1;
    expect(screen.screen()[moved]).toContain('0.0507');
    expect(screen.isDim(moved)).toBe(true);
    await screen.waitFor((lines) => Number(/(\d+)s ago/.exec(lines[0] ?? '')?.[1]) >= 4);
    await rm(flag);
    await screen.waitFor((lines) => LIVE.test(lines[0] ?? ''));
    expect(screen.isDim(screen.find('│ Average')?.y ?? -1)).toBe(false);
    expect(screen.clears).toEqual(NO_CLEARS);
    screen.signal('SIGINT');
    await expectCleanEnd(screen, 130);
  });

  slowIt('at start is told node by node; the demo is one key away, its badge on every screen', async () => {
    const screen = await openScene('picker', { watchTty: true, env: { FORCE_COLOR: '0' } });
    await screen.waitFor('No source answers');
    await screen.waitFor(/eth\.drpc\.org +connection refused/);
    await leads(screen, 'd', '│ Average', LIVE);
    for (const [key, shows] of [
      ['2', '[2 Chart]'],
      ['?', 'show or hide this help'],
      ['esc', '[2 Chart]'],
      ['i', 'GET /'],
      ['esc', '[2 Chart]'],
      ['1', '[1 Live]'],
    ] as const) {
      await leads(screen, key, shows);
      expect(screen.screen()[0]).toContain('SIMULATED');
    }
    screen.resize(40, 10);
    await screen.waitFor((lines) => lines.some((line) => line.includes('needs 60×16')));
    expect(screen.screen().join('\n')).toContain('SIMULATED');
    // Whatever colour says is said by a word or a glyph: there is no SGR at all but resets.
    expect(screen.output()).not.toMatch(/\x1b\[[0-9;]*[1-9][0-9;]*m/);
    screen.signal('SIGTERM');
    await expectCleanEnd(screen, 143);
  });

  describe('can be replaced', () => {
    const shown = shareScene('picker');

    it('by a URL that is not drawn with what gives access in it', async () => {
      const screen = shown();
      await screen.waitFor('No source answers');
      await leads(screen, 'u', 'for example http://127.0.0.1:8545');
      const written = outputFrom(screen);
      screen.paste('https://me:sesame@rpc.example/v3/0123456789abcdef01234567');
      await screen.waitFor(`https://${'•'.repeat(9)}@rpc.example/v3/${'•'.repeat(24)}`);
      expect(written()).not.toMatch(/sesame|0123456789abcdef/);
      await leads(screen, 'ctrl+u', 'for example http://127.0.0.1:8545');
    });

    it('by a URL that is checked while it is typed or pasted', async () => {
      const screen = shown();
      await leads(screen, ['q', 'x'], 'cannot be read: write http://');
      await screen.press('backspace', 'backspace');
      screen.paste('http://127.0.0.1:0\n');
      await screen.waitFor('with host and port');
      await screen.press('enter');
      await screen.press('backspace');
      screen.paste('8545');
      await screen.waitFor('Enter opens it');
      await leads(screen, 'enter', '│ Average');
    });

    it('and then is shown on, though Ctrl-Z was pressed where no shell waits', async () => {
      const screen = shown();
      await leads(screen, 'ctrl+z', () => screen.isAlternate() && screen.find('│ Average') !== null);
      const block = screen.screen()[0];
      await screen.waitFor((lines) => lines[0] !== block && LIVE.test(lines[0] ?? ''));
    });
  });
});
