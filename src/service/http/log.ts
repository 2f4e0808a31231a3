import pino from 'pino';
import { cleanText } from '../../core/text.ts';
import { isUnforeseen } from './errors.ts';
import type { AnsweredRequest } from './metrics.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface LoggedRequest extends AnsweredRequest {
  readonly id: number;
  readonly keyId: string | null;
  readonly errorCode: string | null;
  readonly bytes: number;
  /** The connection ended before the answer did. */
  readonly cut: boolean;
  /** Asked for by a probe, every few seconds. */
  readonly isOperation: boolean;
}

/** What the server says while it runs. */
export interface RequestLog {
  answered(request: LoggedRequest): void;
  /** Something went wrong that nobody is answered with. */
  problem(error: unknown): void;
  /** The last word before the process ends. */
  fatal(error: unknown): void;
  info(message: string): void;
  warn(message: string): void;
}

interface RequestLogOptions {
  readonly level: LogLevel;
  /** Takes one line at a time, with its line break. */
  readonly write: (line: string) => void;
  /** Takes out what must not be said, from every line whatever it came from. */
  readonly redact: (line: string) => string;
}

const SECRETS = ['key', 'apiKey', 'headers', 'authorization'];

/** JSON lines by pino. A line names a route's template and a key's id, never what was typed. */
export function createRequestLog({ level, write, redact }: RequestLogOptions): RequestLog {
  const options = {
    level,
    base: null,
    timestamp: isoTime(),
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  // What is said of a request is listed below, field by field; an error may carry anything.
  const requests = pino(options, { write });
  const logger = pino({ ...options, redact: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)] }, { write });
  return {
    answered: ({ id, method, route, status, durationMs, bytes, keyId, errorCode, cut, isOperation }) => {
      const line = {
        id,
        method,
        route,
        status,
        ms: Math.round(durationMs * 100) / 100,
        bytes,
        ...(keyId === null ? {} : { keyId }),
        ...(errorCode === null ? {} : { errorCode }),
        ...(cut ? { cut } : {}),
      };
      if (status === 500) requests.error(line, 'request');
      else if (isOperation) requests.debug(line, 'request');
      else requests.info(line, 'request');
    },
    // The stack of what was foreseen says nothing that its message does not.
    problem: (error) => logger.warn(isUnforeseen(error) ? { err: error } : {}, messageOf(error)),
    fatal: (error) => logger.fatal({ err: error }, messageOf(error)),
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
  };
}

/** As pino writes it, but worked out once per millisecond and not once per line. */
function isoTime(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`;
    at = now;
    return text;
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Short lines for eyes, in place of JSON: `12:00:01 GET /be/api/v1/gas/current 200 0.4 ms`. */
export function createPlainLog({ level, write, redact }: RequestLogOptions): RequestLog {
  const say = (of: LogLevel, text: string) => {
    if (LOG_LEVELS.indexOf(of) < LOG_LEVELS.indexOf(level)) return;
    const clock = new Date().toISOString().slice(11, 19);
    write(redact(`${clock} ${of === 'info' || of === 'debug' ? '' : `${of}: `}${cleanText(text, 500)}\n`));
  };
  const sayError = (of: LogLevel) => (error: unknown) =>
    say(of, error instanceof Error ? error.message : String(error));
  return {
    answered: ({ method, route, status, durationMs, keyId, errorCode, isOperation }) => {
      const words = [method, route ?? '(no route)', status, errorCode, `${durationMs.toFixed(1)} ms`, keyId];
      say(
        status === 500 ? 'error' : isOperation ? 'debug' : 'info',
        words.filter((word) => word !== null).join(' '),
      );
    },
    problem: sayError('warn'),
    fatal: sayError('fatal'),
    info: (message) => say('info', message),
    warn: (message) => say('warn', message),
  };
}
