import { withoutSecrets } from '../../core/key-text.ts';
import {
  createPlainLog,
  createRequestLog,
  LOG_LEVELS,
  type LogLevel,
  type RequestLog,
} from '../../service/http/log.ts';
import { checked } from '../checked.ts';
import type { Io } from '../io.ts';
import { FreshProblems } from './fresh-problems.ts';

export interface ServeLog extends RequestLog {
  /** Writes what is still held. */
  close(): void;
}

/** The log of `gastop serve` on stderr, without `secrets`: short lines on a terminal, JSON lines everywhere else. */
export function openServeLog(io: Io, level: string, secrets: readonly string[] = []): ServeLog {
  const held: string[] = [];
  const flush = () => {
    if (held.length > 0) io.stderr.write(held.splice(0).join(''));
  };
  // Lines of one turn go out in one write: each is a system call that everybody waits for.
  const write = (line: string) => {
    if (held.push(line) === 1) setImmediate(flush);
  };
  const redact = (text: string) => withoutSecrets(text, secrets);
  const create = io.stderr.isTTY === true ? createPlainLog : createRequestLog;
  const log = create({ level: checked('--log-level', () => parseLevel(level)), write, redact });
  const fresh = new FreshProblems(() => io.now());
  const crash = (error: unknown) => {
    log.fatal(error);
    flush();
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('exit', flush);
  return {
    ...log,
    problem: (error) => {
      if (fresh.has(error)) log.problem(error);
    },
    close: () => {
      process.off('uncaughtException', crash);
      process.off('exit', flush);
      flush();
    },
  };
}

function parseLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level === undefined) throw new RangeError(`"${text}" is not a level; one of ${LOG_LEVELS.join(', ')}`);
  return level;
}
