/** The built program whose input, output or reader is not there, as in cron, in a pipe or behind a closed window. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SHORT_RECORDING } from '../cli/served.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';

const home = sharedFolder('odd-streams');

async function shell(script: string) {
  const child = spawn('sh', ['-c', `gastop() { "${process.execPath}" "${GASTOP}" "$@"; }; ${script}`], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, stdout, stderr };
}

const PRINTING = [
  `history --window 5m --replay ${SHORT_RECORDING}`,
  ...(isSlowRun
    ? [
        '--help',
        `block --replay ${SHORT_RECORDING}`,
        'config',
        'completion bash',
        'now --demo',
        'doctor --demo --json',
      ]
    : []),
];

describe.skipIf(process.platform === 'win32')('streams that are not there', () => {
  slowIt('a reader that is gone from the start is no failure of any command that prints', async () => {
    const each = PRINTING.map((argv) => `{ gastop ${argv}; echo "$? ${argv}" >&2; } | true`);
    const { stderr } = await shell(each.join('\n'));
    expect(stderr.trimEnd().split('\n')).toEqual(PRINTING.map((argv) => `0 ${argv}`));
  });

  it.runIf(process.platform === 'linux')('output without room is a failure, said in one line', async () => {
    const each = PRINTING.map((argv) => `gastop ${argv} > /dev/full; echo "$? ${argv}" >&2`);
    const { stderr } = await shell(each.join('\n'));
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toEqual(
      PRINTING.flatMap((argv) => ['gastop: the output cannot grow: the disk is full', `1 ${argv}`]),
    );
  });

  slowIt('closed streams are as good as /dev/null', async () => {
    const said = 'echo $?';
    const { stdout } = await shell(
      [
        `gastop now --replay ${SHORT_RECORDING} --format x 2>&- <&-; ${said}`,
        `gastop config <&- >&- 2>&-; ${said}`,
      ].join('\n'),
    );
    expect(stdout).toBe('x\n0\n0\n');
  });

  it.each([
    'echo q | gastop --demo',
    ...(isSlowRun
      ? ['gastop live >&-', 'gastop </dev/null', 'gastop --demo | cat', 'gastop --demo <&-']
      : []),
  ])('%s: the monitor points to what works there', async (script) => {
    const { stderr } = await shell(script);
    expect(stderr).toBe(
      'gastop: the monitor needs a terminal; for scripts and pipes there is "gastop now"\n',
    );
  });
});
