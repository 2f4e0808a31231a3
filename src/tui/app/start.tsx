import { setImmediate as nextTurn } from 'node:timers/promises';
import { render } from 'ink';
import { cleanText } from '../../core/text.ts';
import { atMost } from '../data/at-most.ts';
import { TerminalInput } from '../input/terminal-input.ts';
import { Monitor, type MonitorProps } from './app.tsx';
import { loggedClient, type MonitorLog } from './monitor-log.ts';
import { type MonitorSource, SourceHolder } from './source.ts';
import { type Ending, errorEnding, holdConsole, watchEnding } from './terminal.ts';

interface MonitorOptions
  extends Pick<
      MonitorProps,
      'openSource' | 'urlProblem' | 'fullPath' | 'saveFile' | 'ascii' | 'notifications'
    >,
    Partial<Pick<MonitorProps, 'undoMs' | 'board' | 'isBoardFirst' | 'remembered'>> {
  /** Opens the source. Called after the first frame is drawn, so it may load much code. */
  readonly connect: () => Promise<MonitorSource>;
  readonly screenReader?: boolean;
  /** Gets what the monitor does, for who works on it. */
  readonly log?: MonitorLog | undefined;
}

/** Ink waits for its turn twice, before it draws and before it writes: at 30 frames a second, the default, typing feels slow. */
const MAX_FPS = 1_000;
const FAREWELL_MS = 2_000;

/** Runs the monitor until it ends for any reason, and restores the terminal; an error is printed after that. */
export async function startMonitor(options: MonitorOptions): Promise<Pick<Ending, 'code'>> {
  const { connect, screenReader = false, board = null, isBoardFirst = false, log, ...props } = options;
  const { stdin, stdout, stderr } = process;
  const ending = watchEnding(stdin, stdout);
  const releaseConsole = holdConsole();
  const holder = new SourceHolder();
  const logged = async (opening: Promise<MonitorSource>): Promise<MonitorSource> => {
    const source = await opening;
    return log === undefined ? source : { ...source, client: loggedClient(source.client, log) };
  };
  const openFirst = async () => {
    await nextTurn();
    return logged(connect());
  };
  if (!isBoardFirst) void holder.open(openFirst);
  const input = new TerminalInput(stdin, (sequence) => stdout.write(sequence));
  // Not echoed while the keys are not listened to yet.
  input.setRawMode(true);
  const instance = render(
    <Monitor
      {...{ now: Date.now, ...props, holder, isBoardFirst, log }}
      board={board && { ...board, open: (name) => logged(board.open(name)) }}
      openSource={(choice) => logged(props.openSource(choice))}
    />,
    {
      stdin: input,
      stdout,
      alternateScreen: true,
      incrementalRendering: true,
      maxFps: MAX_FPS,
      exitOnCtrlC: false,
      patchConsole: false,
      onRender: log && (({ renderTime }) => log({ type: 'frame', ms: Math.round(renderTime) })),
      isScreenReaderEnabled: screenReader || undefined,
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
