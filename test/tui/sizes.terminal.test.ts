import { describe, expect, it } from 'vitest';
import { TERMINAL_SIZES } from '../helpers/terminal-sizes.ts';
import { leads, NO_CLEARS, sceneOpener } from './open-scene.ts';

const { shareScene } = await sceneOpener();

/** What decides on each tab; it stands whole at every size. */
const DECIDES = {
  '1': [/│ Average │ +0\.0\d+ │/, /WAIT up to 15m for 0\.0410 gwei/],
  '2': [/base .*0\.0\d+/, /┤/],
  '3': [/▸ . \S+.* Average < 0\.04 gwei/],
  '4': [/▸ → included .* 0\.04 /],
  '5': [/\[5 Explorer|\[5 Expl/],
  '6': [/a\.example:8545/],
} as const;

describe('every tab over auto-txs in each state', () => {
  const shown = shareScene('auto-txs');

  it.each(TERMINAL_SIZES)(
    'shows what decides whole, and its keys in the last row, at %i×%i',
    async (columns, rows) => {
      const screen = shown();
      await screen.waitFor(/Average/);
      screen.resize(columns, rows);
      for (const [tab, texts] of Object.entries(DECIDES)) {
        await leads(
          screen,
          tab,
          new RegExp(`\\[${tab} `),
          ...texts,
          (lines) => lines.length === rows && /^ \? help/.test(lines.at(-1) ?? ''),
        );
      }
      const hasHalves = columns >= 140;
      await leads(screen, '4', /▸ → included/);
      const border = (lines: readonly string[]) => lines[2]?.indexOf(' │ ') ?? -1;
      await screen.waitFor((lines) => border(lines) > 70 === hasHalves);
      if (hasHalves) {
        await leads(screen, 'j', /▸ → submitted/, /│ .*→ submitted/);
        await leads(screen, 'enter', /▸ .*ETH to .*→ submitted/, (lines) =>
          /Esc back/.test(lines.at(-1) ?? ''),
        );
        await leads(screen, 'esc', (lines) => !/Esc back/.test(lines.at(-1) ?? ''));
        await leads(screen, 'k', /▸ → included/);
      }
      expect(screen.clears).toEqual(NO_CLEARS);
    },
  );
});

describe('in ASCII without colours', () => {
  const shown = shareScene('auto-txs', { env: { ASCII: '1', NO_COLOR: '1' }, cols: 160, rows: 45 });

  it('both halves and every box are drawn by ASCII', async () => {
    const screen = shown();
    await screen.waitFor(/\| if you can wait \|/);
    for (const [tab, text] of [
      ['1', /\+-+\+-+\+.*\| .*1h/],
      ['3', /> .* Average < 0\.04 gwei/],
      ['4', /> \S+ included .*\|/],
    ] as const) {
      await leads(screen, tab, text);
      expect(screen.screen().join('')).toMatch(/^[\x20-\x7e]*$/);
    }
  });
});
