import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Io } from '../io.ts';
import { notExecutable, notFound } from './find-command.ts';

/** Signals that a key press sends to everything in the foreground, the command included. */
const OF_THE_KEYBOARD: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/**
 * Runs a command in this process's place, as nearly as that goes: with its streams, its signals, its end. Answers
 * the exit code; 128 + n for signal n.
 * @throws CliError (127, 126) where it cannot be started.
 */
export function runCommand(
  io: Io,
  command: string,
  args: readonly string[],
  env: Io['env'],
): Promise<number> {
  return new Promise((resolve, reject) => {
    // In this process group, not in one of its own: only so it may read from the terminal.
    const child = spawn(command, args, { stdio: 'inherit', env });
    io.takeSignals((name) => {
      if (OF_THE_KEYBOARD.has(name) && isInForeground(io)) return;
      child.kill(name);
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      // A signal that could not be sent is no failure of the command.
      if (child.pid !== undefined) return;
      reject(error.code === 'ENOENT' ? notFound(command) : notExecutable(command));
    });
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

/**
 * Whether Ctrl-C reaches this process – and so the command by itself, which must not get it twice. Node does not say
 * who sent a signal; like a shell, `kill -INT` from elsewhere is taken for the keyboard's while this is in front.
 */
function isInForeground(io: Io): boolean {
  try {
    // proc(5): pid (comm) state ppid pgrp session tty_nr tpgid
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[2] === fields[5];
  } catch {
    return [io.stdin, io.stdout, io.stderr].some((stream) => stream.isTTY === true);
  }
}
