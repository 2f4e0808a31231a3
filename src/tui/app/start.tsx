import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { render } from 'ink';
import { cleanText } from '../../core/text.ts';
import { atMost, UNDO_MS } from '../data/mutations.ts';
import { Monitor, type MonitorProps } from './app.tsx';
import { type MonitorSource, SourceHolder } from './source.ts';
import { type Ending, errorEnding, holdConsole, watchEnding } from './terminal.ts';

interface MonitorOptions
  extends Pick<MonitorProps, 'openSource' | 'urlProblem' | 'ascii' | 'notifications'>,
    Partial<Pick<MonitorProps, 'undoMs' | 'board' | 'isBoardFirst'>> {
  /** Opens the source. Called after the first frame is drawn, so it may load much code. */
  readonly connect: () => Promise<MonitorSource>;
  readonly screenReader?: boolean;
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout?: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WritableStream;
}

interface MonitorExit {
  /** Exit code: 0 after `q` and `Ctrl-C`, 128 + n after a signal, 1 after an error. */
  readonly code: number;
}

/** Shows a key within 8 ms; 30 frames a second, the default, feel slow while typing. */
const MAX_FPS = 120;
const FAREWELL_MS = 2_000;

/** Runs the monitor until it ends for any reason, and restores the terminal; an error is printed after that. */
export async function startMonitor(options: MonitorOptions): Promise<MonitorExit> {
  const { connect, screenReader = false, ...props } = options;
  const { stdin = process.stdin, stdout = process.stdout, stderr = process.stderr } = options;
  const watch = watchEnding(stdin, stdout);
  const heldConsole = holdConsole();
  const holder = new SourceHolder();
  // The source opens after the first frame is drawn: loading its code may take longer than the frame.
  const drawn = Promise.withResolvers<void>();
  const { board = null, isBoardFirst = false } = options;
  if (!isBoardFirst) void holder.open(() => drawn.promise.then(connect));
  const instance = render(
    <Monitor
      {...{ undoMs: UNDO_MS, now: Date.now, saveFile: saveHere, ...props, holder, board, isBoardFirst }}
    />,
    {
      stdin,
      stdout,
      alternateScreen: true,
      incrementalRendering: true,
      maxFps: MAX_FPS,
      exitOnCtrlC: false,
      patchConsole: false,
      ...(screenReader && { isScreenReaderEnabled: true }),
    },
  );

  const opening = setImmediate(drawn.resolve);

  const byKey = instance
    .waitUntilExit()
    .then((): Ending => ({ code: 0 }))
    .catch((cause: unknown) => errorEnding(cause));
  const { code, error } = await Promise.race([byKey, watch.ending]);
  clearImmediate(opening);
  instance.unmount();
  await atMost(FAREWELL_MS, Promise.all([byKey, holder.end()]));
  watch.stop();
  const output = heldConsole.release();
  if (error !== undefined)
    stderr.write(`gastop: stopped by an error of its own: ${cleanText(error.message)}\n`);
  if (output.length > 0) stderr.write(`${output.map((text) => cleanText(text)).join('\n')}\n`);
  return { code };
}

async function saveHere(name: string, text: string): Promise<string> {
  const path = resolve(name);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    // Removes an incomplete file after a full disk, but never one that existed before.
    const isOthers = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isOthers) await rm(path, { force: true }).catch(() => {});
    throw error;
  }
  return path;
}
