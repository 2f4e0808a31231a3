import { afterEach } from 'vitest';
import { openTerminal, type Terminal, type TerminalOptions } from '../helpers/terminal.ts';
import { buildProgram } from './build-program.ts';

/** Of `Terminal.clears`: nothing was ever cleared. */
export const NO_CLEARS = { screen: 0, scrollback: 0, reset: 0 };

/** Shows a scene on a terminal, which is closed when its test ends. `args` and `command`: of another program. */
export type OpenScene = (scene: string, options?: Partial<TerminalOptions>) => Promise<Terminal>;

/**
 * The monitor over the answers of `monitor-program.tsx`, on terminals. It goes with the file of tests, so call it at its
 * top.
 */
export async function sceneOpener(): Promise<{ readonly program: string; readonly openScene: OpenScene }> {
  const program = await buildProgram('monitor-program.tsx');
  const opened: Terminal[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((terminal) => terminal.close()));
  });
  return {
    program,
    openScene: async (scene, { env, ...options } = {}) => {
      const terminal = await openTerminal({
        args: [program],
        env: { SCENE: scene, NODE_ENV: 'production', ...env },
        ...options,
      });
      opened.push(terminal);
      return terminal;
    },
  };
}
