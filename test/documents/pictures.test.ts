import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PALETTES } from '../../scripts/pictures/palette.ts';
import { type PictureName, TITLES } from '../../scripts/pictures/scenes.ts';
import { screenSvg } from '../../scripts/pictures/screen-svg.ts';
import type { Cell } from '../helpers/terminal.ts';
import { read } from './project-files.ts';

const NAMES = Object.keys(TITLES) as PictureName[];
const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const MOST_BYTES = 60_000;

const picture = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const textOf = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1]).join(' ');

describe('docs/pictures (npm run pictures takes them)', () => {
  it('has each pane, light and dark, and nothing else', () => {
    const files = NAMES.flatMap((name) => [`${name}-dark.svg`, `${name}-light.svg`]);
    expect(readdirSync(FOLDER).sort()).toEqual(files.sort());
  });

  it.each(NAMES)('%s says the same in both themes, is small, and loads nothing', (name) => {
    const [dark, light] = [picture(`${name}-dark.svg`), picture(`${name}-light.svg`)];
    expect(textOf(dark)).toBe(textOf(light));
    expect(textOf(dark)).toContain('gastop');
    for (const svg of [dark, light]) {
      expect(svg.length).toBeLessThan(MOST_BYTES);
      expect(svg).not.toMatch(/<script|<image|@import|url\(|href|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
    }
  });

  it('stand in the README and in MONITOR.md, each of them, with words for those who cannot see them', () => {
    const shown = (path: string) =>
      [
        ...read(path).matchAll(
          /srcset="([^"]+)-dark\.svg">\n {2}<img src="([^"]+)-light\.svg" alt="([^"]+)">/g,
        ),
      ].map(([, dark = '', light = '', alt]) => ({
        files: new Set([dark, light].map((file) => posix.basename(file))),
        alt,
      }));
    const all = NAMES.map((name) => ({ files: new Set([name]), alt: TITLES[name] }));
    for (const path of ['README.md', 'docs/MONITOR.md']) {
      expect(shown(path)).toHaveLength(all.length);
      expect(shown(path)).toEqual(expect.arrayContaining(all));
    }
  });

  it('says on each that it is of no live chain', () => {
    for (const name of NAMES) expect(textOf(picture(`${name}-dark.svg`))).toContain('SIMULATED');
  });

  it('shows the tabs that the monitor has', () => {
    const tabs = ['1 Live', '2 Chart', '3 Alerts', '4 Auto-tx', '5 Explorer', '6 Service'];
    for (const name of NAMES) {
      const text = textOf(picture(`${name}-dark.svg`)).replaceAll(/\s+/g, ' ');
      expect(tabs.filter((tab) => !text.includes(tab))).toEqual([]);
    }
  });
});

describe('a screen as a picture', () => {
  const PLAIN: Cell = {
    text: ' ',
    dim: false,
    bold: false,
    inverse: false,
    underline: false,
    color: null,
    background: null,
  };
  const row = (text: string, style: Partial<Cell> = {}) =>
    [...text].map((character) => ({ ...PLAIN, ...style, text: character }));
  const draw = (...rows: Cell[][]) => screenSvg(rows, PALETTES.dark, 'a title');

  it('has its text as text, as wide as its cells, and nothing of it as markup', () => {
    const svg = draw(row('  <a> & b  '));
    expect(svg).toContain(
      'x="26" y="23" textLength="56" lengthAdjust="spacingAndGlyphs">&lt;a&gt; &amp; b</text>',
    );
    expect(svg).toContain('viewBox="0 0 108 37"');
  });

  it('refuses a colour that no theme of a terminal can change', () => {
    expect(() => draw(row('x', { color: 200 }))).toThrow('no terminal');
    expect(() => draw(row('x', { color: 'rgb' }))).toThrow('no terminal');
  });
});
