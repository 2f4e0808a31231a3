import { setImmediate as nextTurn } from 'node:timers/promises';
import { render } from 'ink';
import { cleanText } from '../../core/text.ts';
import { atMost, UNDO_MS } from '../data/mutations.ts';
import { TerminalInput } from '../input/terminal-input.ts';
import { Monitor, type MonitorProps } from './app.tsx';
import { type MonitorSource, SourceHolder } from './source.ts';
import { type Ending, errorEnding, holdConsole, watchEnding } from './terminal.ts';

interface MonitorOptions
  extends Pick<
      MonitorProps,
      'openSource' | 'urlProblem' | 'saveFile' | 'ascii' | 'notifications' | 'patienceSec'
    >,
    Partial<Pick<MonitorProps, 'undoMs' | 'board' | 'isBoardFirst'>> {
  /** Opens the source. Called after the first frame is drawn, so it may load much code. */
  readonly connect: () => Promise<MonitorSource>;
  readonly screenReader?: boolean;
}

/** Ink waits for its turn twice, before it draws and before it writes: at 30 frames a second, the default, typing feels slow. */
const MAX_FPS = 1_000;
const FAREWELL_MS = 2_000;

/** Runs the monitor until it ends for any reason, and restores the terminal; an error is printed after that. */
export async function startMonitor(options: MonitorOptions): Promise<Pick<Ending, 'code'>> {
  const { connect, screenReader = false, board = null, isBoardFirst = false, ...props } = options;
  const { stdin, stdout, stderr } = process;
  const ending = watchEnding(stdin, stdout);
  const releaseConsole = holdConsole();
  const holder = new SourceHolder();
  const openFirst = async () => {
    await nextTurn();
    return connect();
  };
  if (!isBoardFirst) void holder.open(openFirst);
  const instance = render(
    <Monitor {...{ undoMs: UNDO_MS, now: Date.now, ...props, holder, board, isBoardFirst }} />,
    {
      stdin: new TerminalInput(stdin),
      stdout,
      alternateScreen: true,
      incrementalRendering: true,
      maxFps: MAX_FPS,
      exitOnCtrlC: false,
      patchConsole: false,
      ...(screenReader && { isScreenReaderEnabled: true }),
    },
  );
  const byKey = instance.waitUntilExit().then((): Ending => ({ code: 0 }), errorEnding);
  const { code, error } = await Promise.race([byKey, ending]);
  instance.unmount();
  await atMost(FAREWELL_MS, Promise.all([byKey, holder.end()]));
  const output = releaseConsole();
  const own = error === undefined ? [] : [`gastop: stopped by an error of its own: ${error.message}`];
  for (const text of [...own, ...output]) stderr.write(`${cleanText(text)}\n`);
  return { code };
}
