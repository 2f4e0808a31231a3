import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/cli/leave-hanging-names.ts', import.meta.url).href;

/** A program that ends while the system still looks up a name. */
const program = (shell: string) => `
  import { lookup } from 'node:dns';
  import { leaveHangingNames } from ${JSON.stringify(MODULE)};
  lookup('gas.invalid', () => {});
  leaveHangingNames(5, ${JSON.stringify(shell)});
  process.exit(6);`;

it.each([
  ['another program takes its place', '/bin/sh', process.execve === undefined ? 6 : 5],
  ['without a shell it ends as any program does', '/nonexistent/sh', 6],
])('%s', (_, shell, status) => {
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program(shell)]);
  expect({ status: ended.status, stderr: ended.stderr.toString() }).toEqual({ status, stderr: '' });
});
