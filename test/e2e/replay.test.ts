/** The monitor over recorded mainnet blocks, against figures computed here from the CSV alone. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RECORDING, SHORT_RECORDING } from '../cli/served.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';

/** The monitor draws each block that it has the time for: all 2,001 in `npm run test:slow`, the last 60 otherwise. */
const FILE = isSlowRun ? RECORDING : SHORT_RECORDING;

interface Row {
  readonly number: number;
  readonly timestamp: number;
  readonly base: number;
  readonly blob: number;
}

const rows: readonly Row[] = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [number = 0, timestamp = 0, base = 0, blob = 0] = line.split(',').map(Number);
    return { number, timestamp, base, blob };
  });

const gwei = (wei: number) => (wei / 1e9).toPrecision(3);
const LAST_BLOCK = '20,975,164';

it('gastop --replay of recorded mainnet blocks, at high speed ends with the last block, the day range, the blob fee and the chart of the recording', async () => {
  const last = rows.at(-1);
  expect(last?.number.toLocaleString('en-US')).toBe(LAST_BLOCK);
  const bases = rows.map(({ base }) => base);
  const mean = bases.reduce((sum, base) => sum + base, 0) / bases.length;
  await using terminal = await gastop(['--replay', FILE, '--speed', '20000'], {
    cols: 120,
    rows: 40,
    env: { NO_COLOR: '1' },
  });
  await terminal.waitFor(`#${LAST_BLOCK}`, { timeoutMs: 1_200_000 });
  await terminal.waitFor('◌ ended');
  await terminal.waitFor(new RegExp(`${gwei(Math.min(...bases))} ├[─●]+┤ ${gwei(Math.max(...bases))}`));
  // What the last block asked for; 1 wei in this recording, so it is shown to the last digit.
  await terminal.waitFor(`blob base ${((last?.blob ?? 0) / 1e9).toFixed(9)} gwei`);
  expect(terminal.screen()[0]).toContain('REPLAY');
  expect(terminal.output()).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
  await terminal.press('2', 't');
  await terminal.waitFor(
    (now) =>
      now.some((row) => row.startsWith(' 24h ')) &&
      now.some(
        (row) =>
          row.includes(`base ${gwei(last?.base ?? 0)}`) &&
          row.includes(`min ${gwei(Math.min(...bases))}`) &&
          row.includes(`max ${gwei(Math.max(...bases))}`) &&
          row.includes(`mean ${gwei(mean)}`),
      ),
  );
});

it('plays faster and slower, pauses, and goes a minute back and on by its keys, and says at which speed', async () => {
  await using terminal = await gastop(['--replay', RECORDING, '--speed', '45'], { cols: 120, rows: 24 });
  const block = () => Number(/#([\d,]+)/.exec(terminal.screen()[0] ?? '')?.[1]?.replaceAll(',', ''));
  await terminal.waitFor('playing 45×');
  await terminal.press('.');
  await terminal.waitFor('playing 60×');
  for (const speed of [30, 10, 5, 2, 1]) {
    await terminal.press(',');
    await terminal.waitFor(`playing ${speed}×`);
  }
  await terminal.press(',');
  await terminal.waitFor('◌ paused');
  const paused = block();
  await terminal.press('<');
  await terminal.waitFor(() => block() < paused && block() >= paused - 6);
  await terminal.press('>', '>');
  await terminal.waitFor(() => block() > paused);
  await terminal.press('.');
  await terminal.waitFor('playing 1×');
  await terminal.press('?');
  await terminal.press('G');
  await terminal.press('q');
  await terminal.waitForExit();
});
