import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FIXTURE, parseScores, readScores, scoreOf, writtenScores } from '../../scripts/advice/score.ts';
import { readFigures, WRITTEN, withTable } from '../../scripts/advice-figures.ts';
import { formatPercent } from '../../src/core/units.ts';
import { slowIt } from '../helpers/rounds.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the figures of the advice (npm run figures writes them)', () => {
  slowIt('of the stretch in the project are those that a fresh walk finds', async () => {
    const fresh = await scoreOf(fileURLToPath(FIXTURE));
    const committed = (await readScores()).filter(({ file }) => file === fresh.file);
    expect(writtenScores(committed)).toBe(writtenScores([fresh]));
  });

  it('are shown as the backtest shows them, rounded once', async () => {
    const [first] = await readScores();
    if (first === undefined) throw new Error('nothing was measured');
    const written = (share: number) =>
      parseScores(writtenScores([{ ...first, lowestBaseFee: share }]))[0]?.lowestBaseFee ?? Number.NaN;
    // By way of 25.45 % the first of them would become 25.5 %.
    for (const share of [0.254_496, 0.034_499, 0.000_499]) {
      expect(formatPercent(written(share), 1)).toBe(formatPercent(share, 1));
    }
  });

  it.each(Object.keys(WRITTEN))('stand in %s as they were measured', async (path) => {
    const before = read(path);
    expect(WRITTEN[path]?.(before, await readFigures())).toBe(before);
  });

  it('of ten simulated chains keep every row within three points of what it promised, hours and days too', async () => {
    const { simulated } = await readFigures();
    expect(simulated).toMatchObject({ seeds: 10, days: 30 });
    expect(simulated.horizons.map(({ sec }) => sec)).toEqual([300, 900, 3_600, 21_600, 86_400]);
    for (const { sec, judged, stated, kept } of simulated.horizons) {
      expect(judged).toBeGreaterThan(300_000);
      expect(Math.abs(kept - stated), `${sec} s`).toBeLessThan(0.03);
    }
  });

  it('name in every table but the sums of the README the stretch of each measured file', async () => {
    for (const { firstTime } of await readScores()) {
      const month = new Date(firstTime * 1_000).toISOString().slice(0, 7);
      for (const path of Object.keys(WRITTEN).filter((name) => name !== 'README.md')) {
        expect(read(path)).toContain(month);
      }
    }
  });
});

describe('the calibration picture', () => {
  const svg = read('docs/advice-calibration.svg');

  it('is one well-formed picture with words for those who cannot see it, readable on light and dark', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
    const open = [...svg.matchAll(/<(\w+)(?=[ >])[^>]*?(\/?)>/g)].filter((match) => match[2] === '');
    const closed = [...svg.matchAll(/<\/(\w+)>/g)];
    expect(open.map((match) => match[1]).sort()).toEqual(closed.map((match) => match[1]).sort());
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).toMatch(/<desc id="d">\d{4}-\d\d: .*kept/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined|https?:(?!\/\/www\.w3\.org)/);
  });

  it('has the diagonal, and a mark for every group that is large enough', async () => {
    expect(svg).toContain('class="diagonal"');
    const groups = (await readScores()).flatMap(({ lanes, horizons }) =>
      [...lanes, ...horizons].flatMap(({ calibration }) => calibration.filter(({ size }) => size >= 20)),
    );
    expect(groups.length).toBeGreaterThan(5);
    expect([...svg.matchAll(/<title>.* stated .*<\/title>/g)]).toHaveLength(groups.length);
  });
});

it('a document without its marks is refused, not written over', () => {
  expect(() => withTable('no marks', 'score', 'x')).toThrow('marks');
  expect(withTable(read('docs/COMMANDS.md'), 'score', 'x')).toContain(
    'scripts/advice-figures.ts -->\n\nx\n\n<!-- end of score',
  );
});
