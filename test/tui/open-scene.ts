import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openTerminal, type Terminal, type TerminalOptions } from '../helpers/terminal.ts';
import { buildProgram } from './build-program.ts';

export const NO_CLEARS = { screen: 0, scrollback: 0, reset: 0 };

type SceneOptions = Partial<TerminalOptions>;

interface SceneOpener {
  readonly program: string;
  /** Shows a scene on a terminal, which is closed when its test ends. `args` and `command`: of another program. */
  readonly openScene: (scene: string, options?: SceneOptions) => Promise<Terminal>;
  /** One terminal with a scene for all tests of the block that this is called in, each leaves it as the next expects it. */
  readonly shareScene: (scene: string, options?: SceneOptions) => () => Terminal;
}

/** The monitor over the answers of `monitor-program.tsx`, closed after each test: call it at the file's top. */
export async function sceneOpener(): Promise<SceneOpener> {
  const program = await buildProgram('tui/monitor-program.tsx');
  // What the first program leaves there, the next ones need not compile again.
  const compiled = join(dirname(program), 'compiled');
  const open = (scene: string, { env, ...options }: SceneOptions = {}) =>
    openTerminal({
      args: [program],
      env: { SCENE: scene, NODE_ENV: 'production', NODE_COMPILE_CACHE: compiled, ...env },
      ...options,
    });
  const opened: Terminal[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((terminal) => terminal.close())));
  return {
    program,
    openScene: async (scene, options) => {
      const terminal = await open(scene, options);
      opened.push(terminal);
      return terminal;
    },
    shareScene: (scene, options) => {
      let shared: Terminal | null = null;
      let isLost = false;
      beforeAll(async () => {
        shared = await open(scene, options);
      });
      // Where one test fails the screen is not what the next expects: it would wait in vain.
      beforeEach(({ skip }) => skip(isLost, 'a test before it failed'));
      afterEach(({ task }) => {
        isLost ||= task.result?.state === 'fail';
      });
      afterAll(() => shared?.close());
      return () => {
        if (shared === null) throw new Error(`the scene ${scene} is not open`);
        return shared;
      };
    },
  };
}

/** After what ended the program: the terminal is as it was before. */
export async function expectCleanEnd(screen: Terminal, exitCode: number) {
  expect(await screen.waitForExit()).toEqual({ exitCode, signal: 0 });
  expect(screen.leftovers()).toEqual([]);
  expect(screen.isAlternate()).toBe(false);
  expect(screen.screen().join('').trim()).toBe('');
}

export function outputFrom(screen: Terminal): () => string {
  const before = screen.output().length;
  return () => screen.output().slice(before);
}

export async function leads(
  screen: Terminal,
  keys: string | readonly string[],
  ...shown: readonly Parameters<Terminal['waitFor']>[0][]
) {
  await screen.press(...[keys].flat());
  for (const each of shown) await screen.waitFor(each);
}
