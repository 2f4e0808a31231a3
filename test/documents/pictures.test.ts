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
/** All that can be selected in a picture. */
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

  it('draws lines and blocks as shapes that meet, and keeps their text to select', () => {
    const svg = draw(row('──┤█░'));
    expect(svg).toContain('M10 18.5h16');
    expect(svg).toContain('M30 10V27M26 18.5H30');
    expect(svg).toContain('fill-opacity="0.24" d="M42 11h8v15h-8z"');
    expect(svg).toContain('class="g"');
    expect(svg).toContain('>──┤█░</text>');
  });

  it('keeps colour, bold, dim and inverse', () => {
    expect(draw(row('x', { color: 6, bold: true }))).toContain('<text class="c6 b"');
    expect(draw(row('x', { dim: true }))).toContain('<text class="d"');
    expect(draw(row('x', { color: 3, inverse: true }))).toMatch(/<rect class="c3" .*<text class="n"/);
  });

  it('refuses a colour that no theme of a terminal can change', () => {
    expect(() => draw(row('x', { color: 200 }))).toThrow('no terminal');
    expect(() => draw(row('x', { color: 'rgb' }))).toThrow('no terminal');
  });
});

describe('the colours of the pictures', () => {
  it.each(Object.entries(PALETTES))('can be read on %s, the dimmed ones as well', (_, palette) => {
    const ground = parts(palette.background);
    const dimmed = parts(palette.foreground).map(
      (value, index) => value * palette.dim + (ground[index] ?? 0) * (1 - palette.dim),
    );
    expect(contrast(dimmed, ground)).toBeGreaterThan(4.5);
    // Black on black is nobody's to read, in any terminal.
    for (const color of palette.colors.slice(1)) expect(contrast(parts(color), ground)).toBeGreaterThan(4.5);
  });
});

const parts = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** Contrast ratio of WCAG 2: 1 to 21. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
