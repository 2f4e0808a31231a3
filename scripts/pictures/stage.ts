import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GASTOP } from '../../test/helpers/gastop.ts';
import { openTerminal, type Terminal } from '../../test/helpers/terminal.ts';
import type { Screen } from './screen-svg.ts';

export const COLUMNS = 100;
const SET_CLOCK = fileURLToPath(new URL('set-clock.ts', import.meta.url));

/** The built demo, whose wall clock begins at `now` (ISO 8601). */
export function openDemo(now: string, rows: number): Promise<Terminal> {
  return openTerminal({
    args: ['--import', SET_CLOCK, GASTOP, '--demo'],
    cols: COLUMNS,
    rows,
    env: { GASTOP_PICTURE_AHEAD_MS: String(Date.parse(now) - Date.now()) },
  });
}

const STILL_MS = 700;
const PATIENCE_MS = 15_000;

/** What stands on the screen once it has stood still for a moment, so that all that was asked for is on it. */
export async function stillScreen(terminal: Terminal): Promise<Screen> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let before = '';
  let since = performance.now();
  for (;;) {
    const now = terminal.screen().join('\n');
    if (now !== before) [before, since] = [now, performance.now()];
    if (performance.now() - since > STILL_MS) break;
    if (performance.now() > giveUpAt) throw new Error(`the screen never stood still:\n${now}`);
    await setTimeout(20);
  }
  return terminal.screen().map((_, y) => Array.from({ length: COLUMNS }, (_, x) => terminal.cell(x, y)));
}
