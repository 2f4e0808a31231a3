import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GASTOP } from '../helpers/gastop.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { openTerminal } from '../helpers/terminal.ts';

const OLD = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })",
)}`;

/** Runs a command as npx does: with what lies in node_modules/.bin of its folder, and of those above, before the rest. */
const NPX = `#!/bin/sh
first=
folder=$PWD
while :; do
  first="$first$folder/node_modules/.bin:"
  [ "$folder" = / ] && break
  folder=$(dirname "$folder")
done
while [ "$1" != -- ]; do shift; done
shift
PATH="$first$PATH" exec "$@"
`;

function script(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

describe('the offer of a newer Node', () => {
  it.each([
    ['the present folder', '.'],
    ['the one above', '..'],
    ['one further above', '../..'],
  ])('runs nothing of what a neighbour has put in %s', async (_, where) => {
    const home = await temporaryFolder();
    const folder = join(home, 'shared', 'of', 'all');
    mkdirSync(folder, { recursive: true });
    const ran = join(home, 'ran');
    for (const name of ['node', 'sh', 'gastop'])
      script(join(folder, where, 'node_modules', '.bin', name), `#!/bin/sh\necho ${name} >> ${ran}\n`);
    script(join(home, 'bin', 'npx'), NPX);
    const PATH = [join(home, 'bin'), dirname(process.execPath), process.env.PATH].join(':');
    await using terminal = await openTerminal({
      args: ['--import', OLD, GASTOP, 'backtest', './here.csv'],
      cwd: folder,
      home,
      env: { PATH },
      cols: 120,
    });
    await terminal.waitFor('[Y/n]');
    await terminal.press('y', 'enter');
    expect((await terminal.waitForExit()).exitCode).toBe(2);
    expect(terminal.screen().join('\n')).toContain('here.csv');
    expect(existsSync(ran)).toBe(false);
  });
});
