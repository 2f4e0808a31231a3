import { win32 } from 'node:path';

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly execPath: string;
  /** `npm_execpath`, which npm and npx set for their children: the script of that npm. */
  readonly npmScript: string | undefined;
  exists(path: string): boolean;
}

/** `null`: not found. On Windows npx is a batch file, whose shell would parse arguments twice, so its script is run. */
export function npxCommand({ platform, execPath, npmScript, exists }: Machine): readonly string[] | null {
  if (platform !== 'win32') return ['npx'];
  const folders = [
    ...(npmScript === undefined ? [] : [win32.dirname(npmScript)]),
    win32.join(win32.dirname(execPath), 'node_modules', 'npm', 'bin'),
  ];
  const script = folders.map((folder) => win32.join(folder, 'npx-cli.js')).find(exists);
  return script === undefined ? null : [execPath, script];
}
