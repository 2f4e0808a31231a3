import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILM_TITLE } from '../../scripts/pictures/film.ts';
import { filmSvg } from '../../scripts/pictures/film-svg.ts';
import { PALETTES } from '../../scripts/pictures/palette.ts';
import { type PictureName, TITLES } from '../../scripts/pictures/scenes.ts';
import { screenSvg } from '../../scripts/pictures/screen-svg.ts';
import type { Cell } from '../helpers/terminal.ts';
import { read } from './project-files.ts';

const NAMES = Object.keys(TITLES) as PictureName[];
const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const MOST_BYTES = 60_000;
const MOST_FILM_BYTES = 300_000;

const picture = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const textOf = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1]).join(' ');

describe('docs/pictures (npm run pictures takes them)', () => {
  it('has each pane, light and dark, and nothing else', () => {
    const files = [...NAMES, 'demo'].flatMap((name) => [`${name}-dark.svg`, `${name}-light.svg`]);
    expect(readdirSync(FOLDER).sort()).toEqual(files.sort());
  });

  it.each([...NAMES, 'demo'])('%s says the same in both themes, is small, and loads nothing', (name) => {
    const [dark, light] = [picture(`${name}-dark.svg`), picture(`${name}-light.svg`)];
    expect(textOf(dark)).toBe(textOf(light));
    expect(textOf(dark)).toContain('gastop');
    for (const svg of [dark, light]) {
      expect(svg.length).toBeLessThan(name === 'demo' ? MOST_FILM_BYTES : MOST_BYTES);
      expect(unclosed(svg)).toEqual([]);
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
    expect(shown('docs/MONITOR.md')).toHaveLength(all.length);
    expect(shown('docs/MONITOR.md')).toEqual(expect.arrayContaining(all));
    // Live moves there.
    const [first, ...rest] = shown('README.md');
    expect(first).toEqual({ files: new Set(['demo']), alt: FILM_TITLE });
    const others = all.filter(({ files }) => !files.has('live'));
    expect(rest).toHaveLength(others.length);
    expect(rest).toEqual(expect.arrayContaining(others));
  });

  it('says on each that it is of no live chain', () => {
    for (const name of [...NAMES, 'demo']) expect(textOf(picture(`${name}-dark.svg`))).toContain('SIMULATED');
  });

  it('shows the tabs that the monitor has', () => {
    const tabs = ['1 Live', '2 Chart', '3 Alerts', '4 Auto-tx', '5 Explorer', '6 Service'];
    for (const name of NAMES) {
      const text = textOf(picture(`${name}-dark.svg`)).replaceAll(/\s+/g, ' ');
      expect(tabs.filter((tab) => !text.includes(tab))).toEqual([]);
    }
  });
});

/** Names of elements that are opened and not closed, or the other way round. */
function unclosed(svg: string): readonly string[] {
  const open: string[] = [];
  for (const [, slash, name = '', end] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^>]*?)?(\/?)>/gi)) {
    if (end === '/') continue;
    if (slash === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else return [...open, `/${name}`];
  }
  return open;
}

/** The text that stands in a film at that share of its time, 0 to 1, by its keyframes. */
function shownAt(film: string, share: number): string {
  const isShown = (name: string): boolean => {
    const [, steps = ''] = new RegExp(`@keyframes ${name}\\{(.*?\\})\\}`).exec(film) ?? [];
    const at = [...steps.matchAll(/([\d.]+)%\{visibility:(\w+)\}/g)];
    return at.findLast(([, percent]) => Number(percent) <= share * 100)?.[2] === 'visible';
  };
  const rows = film.split('\n').filter((row) => row.startsWith('<g class="s ') || row.startsWith('<text'));
  return textOf(
    rows
      .filter((row) => {
        const name = /^<g class="s (\S+)">/.exec(row)?.[1];
        return name === undefined || isShown(name);
      })
      .join(''),
  );
}

describe('the film of the README', () => {
  const film = picture('demo-dark.svg');
  const captions = [...new Set([...film.matchAll(/class="caption"[^>]*>([^<]*)</g)].map(([, text]) => text))];
  const during = (count: number) => Array.from({ length: count }, (_, index) => shownAt(film, index / count));

  it('has eight to sixteen frames, of which each says what is to be seen', () => {
    const frames = new Set(during(200));
    expect(frames.size).toBeGreaterThanOrEqual(8);
    expect(frames.size).toBeLessThanOrEqual(16);
    expect(captions.length).toBeGreaterThanOrEqual(4);
    for (const frame of frames) {
      expect(captions.filter((caption) => frame.includes(caption ?? ''))).toHaveLength(1);
      expect(frame).toContain('SIMULATED');
    }
  });

  it('tells that a wait pays, an alert fires, an auto-tx goes out, and the price is there', () => {
    const frames = during(200);
    const first = frames.findIndex((frame) => /WAIT .*up to .* gwei .*% likely .*saves/.test(frame));
    const alert = frames.findIndex((frame) => /Deliveries .*delivered/.test(frame));
    const sent = frames.findIndex((frame) => /included .*0\.5 ETH/.test(frame));
    const last = frames.findIndex((frame) => frame.includes('SEND NOW'));
    expect([first, alert, sent, last]).toEqual([0, alert, sent, last].sort((one, other) => one - other));
    const gwei = (frame: string | undefined) =>
      Number(/Average [│ ]*([\d.]+)/.exec(frame?.replaceAll(/\s+/g, ' ') ?? '')?.[1]);
    const wanted = Number(/up to \S+ for ([\d.]+)/.exec(frames[0]?.replaceAll(/\s+/g, ' ') ?? '')?.[1]);
    expect(gwei(frames[0])).toBeGreaterThan(wanted);
    expect(gwei(frames.at(-1))).toBeLessThanOrEqual(wanted);
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

  it('moves by CSS alone, draws what stays once, and stands still where motion is not wanted', () => {
    const frame = (caption: string, ...rows: Cell[][]) => ({ screen: rows, seconds: 2, caption });
    const film = filmSvg(
      [
        frame('one', row('same'), row('a')),
        frame('two', row('same'), row('b')),
        frame('two', row('same'), row('a')),
      ],
      PALETTES.light,
      'a title',
    );
    expect(film.match(/>same</g)).toHaveLength(1);
    expect([0.1, 0.4, 0.9].map((share) => shownAt(film, share))).toEqual([
      'same a one',
      'same b two',
      'same a two',
    ]);
    expect(film).toContain('@media (prefers-reduced-motion:reduce){.s{animation:none}}');
    // Without animation the first frame stands there.
    expect(film.match(/\.f(?:1-2|2-3|1-3)\{[^}]*visibility:hidden\}/g)).toHaveLength(3);
    expect(film).not.toMatch(/\.f0-1\{[^}]*visibility/);
    expect(unclosed(film)).toEqual([]);
    expect(film).not.toContain('<script');
  });

  it('refuses frames of two sizes', () => {
    const frames = ['ab', 'abc'].map((text) => ({ screen: [row(text)], seconds: 1, caption: text }));
    expect(() => filmSvg(frames, PALETTES.dark, 'a title')).toThrow('one size');
  });

  it('refuses a colour that no theme of a terminal can change', () => {
    expect(() => draw(row('x', { color: 200 }))).toThrow('no terminal');
    expect(() => draw(row('x', { color: 'rgb' }))).toThrow('no terminal');
  });
});
