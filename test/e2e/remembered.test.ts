import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gastop } from '../helpers/gastop.ts';
import { slowIt } from '../helpers/rounds.ts';
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

describe('two monitors at once on one state file', () => {
  slowIt('lose nothing of what either changed, whoever ends first', async () => {
    for (const isFirstOut of [true, false]) {
      rmSync(path, { force: true });
      const [one, other] = await Promise.all([demo(), demo()]);
      await one.waitFor('[1 Live]');
      await other.waitFor('(you can wait 1h)');
      await other.press('P');
      await other.waitFor('(you can wait 6h)');
      await one.press('2');
      await one.waitFor(/^ 1h /m);
      await one.press('t');
      await one.waitFor(/^ 24h /m);
      await other.press('M');
      await other.waitFor('Mouse on');
      for (const screen of isFirstOut ? [one, other] : [other, one]) await quit(screen);
      const { demo: ofDemo, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
      expect(ofDemo).toEqual({ tab: 'chart', 'time-frame': '24h', patience: 21_600 });
      expect(JSON.stringify(rest)).toContain('"mouse":true');
      expect(one.leftovers().concat(other.leftovers())).toEqual([]);
    }
  });
});

describe('the mouse', () => {
  const config = join(home, 'config');

  slowIt.each<readonly [string, readonly string[], Readonly<Record<string, string>>, boolean]>([
    ['off without a word', [], {}, false],
    ['on by --mouse', ['--mouse'], {}, true],
    ['on by GASTOP_MOUSE', [], { GASTOP_MOUSE: 'true' }, true],
    ['on by the config file', [], { XDG_CONFIG_HOME: config }, true],
    [
      'off by GASTOP_MOUSE over the config file',
      [],
      { XDG_CONFIG_HOME: config, GASTOP_MOUSE: 'false' },
      false,
    ],
  ])('is %s, and the terminal has it back at the end', async (_, flags, env, isOn) => {
    mkdirSync(join(config, 'gastop'), { recursive: true });
    writeFileSync(join(config, 'gastop', 'config.json'), '{ "mouse": true }');
    const screen = await gastop(['--demo', '--fresh', ...flags], { env });
    opened.push(screen);
    await screen.waitFor('│ Average');
    const modes = screen.leftovers().filter((name) => name.startsWith('mouse'));
    expect(modes.length > 0).toBe(isOn);
    await quit(screen);
    expect(screen.leftovers()).toEqual([]);
  });
});
