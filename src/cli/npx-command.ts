import { win32 } from 'node:path';

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly execPath: string;
  /** `npm_execpath`, which npm and npx set for what they run: the script of the npm that did. */
  readonly npmScript: string | undefined;
  exists(path: string): boolean;
}

/**
 * How npx is started with arguments that reach it as they are, or null where it is not found.
 * Windows has it as a batch file, which only a shell can run, and which reads its arguments twice: a path like
 * `C:\Users\Jane Doe` or a `%` would not arrive. So there the script behind it is run; both files lie beside Node.
 */
export function npxCommand({ platform, execPath, npmScript, exists }: Machine): readonly string[] | null {
  if (platform !== 'win32') return ['npx'];
  const folders = [
    ...(npmScript === undefined ? [] : [win32.dirname(npmScript)]),
    win32.join(win32.dirname(execPath), 'node_modules', 'npm', 'bin'),
  ];
  const script = folders.map((folder) => win32.join(folder, 'npx-cli.js')).find(exists);
  return script === undefined ? null : [execPath, script];
}
