import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gastop } from '../helpers/gastop.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import type { Terminal } from '../helpers/terminal.ts';

const home = sharedFolder('remembered');
const path = join(home, 'gastop', 'monitor.json');
const opened: Terminal[] = [];

afterEach(() => Promise.all(opened.splice(0).map((terminal) => terminal.close())));

async function demo(...flags: readonly string[]): Promise<Terminal> {
  const screen = await gastop(['--demo', ...flags], { env: { XDG_STATE_HOME: home } });
  opened.push(screen);
  await screen.waitFor('running');
  return screen;
}

async function quit(screen: Terminal) {
  await screen.press('q');
  expect(await screen.waitForExit()).toEqual({ exitCode: 0, signal: 0 });
}

describe('a monitor that is started again', () => {
  it('is where it was left, unless it is told to start afresh', async () => {
    const first = await demo();
    await first.waitFor('[1 Live]');
    expect(existsSync(path)).toBe(false);
    await first.press('2');
    await first.waitFor(/^ 1h /m);
    await first.press('t');
    await first.waitFor(/^ 24h /m);
    await quit(first);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ demo: { tab: 'chart', 'time-frame': '24h' } });

    const second = await demo();
    await second.waitFor('[2 Chart]');
    await second.waitFor(/^ 24h /m);
    await quit(second);

    const fresh = await demo('--fresh');
    await fresh.waitFor('[1 Live]');
    await quit(fresh);
  });

  it('says once that what it remembered is damaged, and goes on', async () => {
    writeFileSync(path, '{"demo":');
    const screen = await demo();
    await screen.waitFor('Nothing is remembered, damaged or unreadable');
    expect(screen.screen().join('\n')).toContain('[1 Live]');
    await quit(screen);
  });
});
