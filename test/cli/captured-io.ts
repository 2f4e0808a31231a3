import type { Io } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';

export interface Captured {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a run ended: its exit code, all that it gave on stdout, all that it said on stderr. */
export const ended = (exitCode: number, stdout: string, stderr: string): Captured => ({
  exitCode,
  stdout,
  stderr,
});

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
  readonly terminal?: boolean;
  readonly stderrIsTTY?: boolean;
  readonly signal?: AbortSignal;
  readonly input?: string;
  readonly answer?: string | null;
  readonly pasted?: string | null;
  readonly onStderr?: (text: string) => void;
}

export interface CapturedIo {
  readonly io: Io;
  stdout(): string;
  stderr(): string;
}

export function captureIo(options: RunOptions & Partial<Pick<Io, 'now'>> = {}): CapturedIo {
  let stdout = '';
  let stderr = '';
  const isTTY = options.terminal ?? false;
  const io: Io = {
    stdin: { isTTY },
    stdout: {
      isTTY,
      columns: 80,
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      isTTY: options.stderrIsTTY ?? isTTY,
      columns: 80,
      write: (text) => {
        stderr += text;
        options.onStderr?.(stderr);
      },
    },
    readInput: async () => options.input ?? '',
    ask: async (question) => {
      stderr += question;
      return options.answer ?? null;
    },
    askHidden: async (question) => {
      stderr += question;
      return options.pasted ?? null;
    },
    deliver: async (text) => {
      stdout += text;
    },
    env: options.env ?? {},
    platform: options.platform ?? 'linux',
    home: options.home ?? '/nonexistent',
    now: options.now ?? (() => Date.now()),
    interruption: () => options.signal ?? new AbortController().signal,
    takeSignals: () => {},
    outliveReaders: () => {},
    endWithin: () => {},
  };
  return { io, stdout: () => stdout, stderr: () => stderr };
}

export async function runMain(argv: readonly string[], options: RunOptions = {}): Promise<Captured> {
  const { io, stdout, stderr } = captureIo(options);
  const exitCode = await main(argv, io);
  return { exitCode, stdout: stdout(), stderr: stderr() };
}
