import { describe, expect, it } from 'vitest';
import { gastop } from '../helpers/gastop.ts';
import { runMain } from './captured-io.ts';

describe.skipIf(process.platform === 'win32')('the monitor in a terminal, given what it cannot use', () => {
  const cases: [string, string[], string][] = [
    ['a URL that is none', ['--url', 'gas.example.org'], '--url: not a URL'],
    ['a node that is none', ['--rpc', 'nowhere'], '--rpc: the node address'],
    ['a recording that is not there', ['--replay', '/no/such.jsonl'], 'such.jsonl'],
    ['two sources', ['--demo', '--url', 'http://a'], 'cannot be combined'],
    ['a speed in words', ['--replay', 'x', '--speed', 'fast'], '--speed: "fast"'],
    ['a seed in words', ['--demo', '--seed', 'x'], '--seed: "x"'],
    ['a history too long', ['--demo', '--history', '90d'], 'from 1h to 30d'],
    ['a database that is a folder', ['--demo', '--db', '/'], 'gastop: '],
    ['a config file that is not there', ['--config', '/no/such.json'], 'does not exist'],
    ['an unknown flag', ['--rcp', 'x'], 'unknown option'],
  ];
  it.each(cases)('%s: one line and exit 2', async (_title, argv, says) => {
    const { exitCode, stdout, stderr } = await runMain(['live', ...argv], { terminal: true });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    // On a slow machine progress was shown, and cleared, before it.
    expect(stderr.replace(/^.*\u001b\[K/s, '')).toMatch(/^gastop: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });

  it('a real one shows that line alone, without the alternate screen', async () => {
    await using terminal = await gastop(['live', '--rcp', 'x'], { cols: 200 });
    expect((await terminal.waitForExit()).exitCode).toBe(2);
    const said = terminal.screen().filter((row) => row.trim() !== '');
    expect(said).toEqual([expect.stringMatching(/^gastop: .*unknown option/)]);
    expect(terminal.output()).not.toContain('\u001b[?1049h');
  });
});
