import { describe, expect, it } from 'vitest';
import { npxCommand } from '../../src/cli/npx-command.ts';

const NODE = 'C:\\Program Files\\nodejs\\node.exe';
const BESIDE_NODE = 'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js';
const NEWER = 'C:\\Users\\Jane Doe\\AppData\\Roaming\\npm\\node_modules\\npm\\bin';

const onWindows = (files: readonly string[], npmScript?: string) =>
  npxCommand({ platform: 'win32', execPath: NODE, npmScript, exists: (path) => files.includes(path) });

describe('npx', () => {
  it.each(['linux', 'darwin'] as const)('is looked up as usual on %s', (platform) => {
    expect(
      npxCommand({ platform, execPath: '/usr/bin/node', npmScript: undefined, exists: () => false }),
    ).toEqual(['npx']);
  });

  it('is the script beside Node on Windows, where the batch file would need a shell', () => {
    expect(onWindows([BESIDE_NODE])).toEqual([NODE, BESIDE_NODE]);
  });

  it('is that of the npm that runs gastop, where there is one', () => {
    const script = `${NEWER}\\npx-cli.js`;
    expect(onWindows([BESIDE_NODE, script], `${NEWER}\\npm-cli.js`)).toEqual([NODE, script]);
  });
});
