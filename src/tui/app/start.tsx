import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { render } from 'ink';
import { cleanText } from '../../core/text.ts';
import type { Badge } from '../chrome/status-bar.tsx';
import { atMost, UNDO_MS } from '../data/mutations.ts';
import { type Notifications, SILENT } from '../data/notifications.ts';
import { Monitor } from './app.tsx';
import { type MonitorSource, type SourceChoice, SourceHolder } from './source.ts';
import { type Ending, errorEnding, holdConsole, watchEnding } from './terminal.ts';

export interface MonitorOptions {
  /** Opens the source. Called after the first frame is on the screen, so it may load as much code as it likes. */
  readonly connect: () => Promise<MonitorSource>;
  /** Opens what the user chose when nothing answered; default for `retry`: `connect` again. */
  readonly openSource?: (choice: SourceChoice) => Promise<MonitorSource>;
  /** Why a URL that the user types cannot be opened, in one line; `null`: it is worth trying. Default: any is. */
  readonly urlProblem?: (text: string) => string | null;
  readonly onPrices?: () => void;
  readonly chainName?: string;
  readonly badge?: Badge;
  readonly ascii?: boolean;
  readonly screenReader?: boolean;
  /** How the terminal is told of alerts that fire; default: on the screen alone. */
  readonly notifications?: Notifications;
  readonly undoMs?: number;
  readonly now?: () => number;
  readonly saveFile?: (name: string, text: string) => Promise<string>;
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout?: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WritableStream;
}

export interface MonitorExit {
  /** What the program should exit with: 0 after `q` and `Ctrl-C`, 128 + n after a signal, 1 after an error. */
  readonly code: number;
}

/** Keys on the screen within 8 ms of being drawn; 30 frames a second, the default, are felt while typing. */
const MAX_FPS = 120;
/** How long the terminal and the source may take to be given back. */
const FAREWELL_MS = 2_000;

/**
 * Runs the monitor on a terminal until it ends, whatever ends it, and gives the terminal back clean. Needs
 * `stdin` and `stdout` to be terminals. An error is told in one line on stderr, after the screen is back.
 */
export async function startMonitor(options: MonitorOptions): Promise<MonitorExit> {
  const { stdin = process.stdin, stdout = process.stdout, stderr = process.stderr, now = Date.now } = options;
  const watch = watchEnding(stdin, stdout);
  const heldConsole = holdConsole();
  const holder = new SourceHolder();
  // The source opens after the first frame is on the screen: it may load code for longer than the frame takes.
  const drawn = Promise.withResolvers<void>();
  void holder.open(() => drawn.promise.then(options.connect));
  const instance = render(
    <Monitor
      holder={holder}
      openSource={async (choice) => {
        if (options.openSource !== undefined) return options.openSource(choice);
        if (choice === 'retry') return options.connect();
        throw new Error('only retrying is possible here');
      }}
      onPrices={options.onPrices ?? (() => {})}
      urlProblem={options.urlProblem ?? (() => null)}
      chainName={options.chainName ?? null}
      badge={options.badge ?? null}
      ascii={options.ascii ?? false}
      notifications={options.notifications ?? SILENT}
      undoMs={options.undoMs ?? UNDO_MS}
      now={now}
      saveFile={options.saveFile ?? saveHere}
    />,
    {
      stdin,
      stdout,
      alternateScreen: true,
      incrementalRendering: true,
      maxFps: MAX_FPS,
      exitOnCtrlC: false,
      patchConsole: false,
      ...(options.screenReader === true ? { isScreenReaderEnabled: true } : {}),
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
  const said = heldConsole.release();
  if (error !== undefined)
    stderr.write(`gastop: stopped by an error of its own: ${cleanText(error.message)}\n`);
  if (said.length > 0) stderr.write(`${said.map((text) => cleanText(text)).join('\n')}\n`);
  return { code };
}

async function saveHere(name: string, text: string): Promise<string> {
  const path = resolve(name);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    // What a full disk leaves of a file is no export; one that was there before is not ours.
    const isOthers = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isOthers) await rm(path, { force: true }).catch(() => {});
    throw error;
  }
  return path;
}
