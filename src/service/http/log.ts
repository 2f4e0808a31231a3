import pino from 'pino';
import { cleanText } from '../../core/text.ts';
import { isUnforeseen } from './errors.ts';
import type { AnsweredRequest } from './metrics.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

interface LoggedRequest extends AnsweredRequest {
  readonly id: number;
  readonly keyId: string | null;
  readonly errorCode: string | null;
  readonly bytes: number;
  /** The connection ended before the response did. */
  readonly cut: boolean;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

interface RequestLogOptions {
  readonly level: LogLevel;
  /** Short lines for people instead of JSON. */
  readonly isPlain?: boolean;
  readonly write: (line: string) => void;
  readonly redact: (line: string) => string;
}

let written = { at: 0, text: '' };
/** Of a thousand requests a second many end in one millisecond. */
function isoTime(): string {
  const at = Date.now();
  if (at !== written.at) written = { at, text: new Date(at).toISOString() };
  return written.text;
}

const SECRETS = ['key', 'apiKey', 'headers', 'authorization'];

/** Lines as pino's. That of a request has a route's template and a key's id, never the typed path or key. */
export function createRequestLog({ level, isPlain = false, write, redact }: RequestLogOptions) {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${isoTime()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
    // An error may contain anything.
    redact: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)],
  };
  const stream = { write: isPlain ? (line: string) => write(plainLine(JSON.parse(line))) : write };
  const logger = pino(options, stream);
  // The line of a request has no secret field, and to look for one takes four times as long as the line.
  const requests = logger.child({}, { redact: [] });
  return {
    answered: (level: 'debug' | 'info' | 'error', request: LoggedRequest) => {
      const { id, method, route, status, durationMs, bytes, keyId, errorCode, cut } = request;
      const line = {
        ...{ id, method, route, status },
        ms: Math.round(durationMs * 100) / 100,
        bytes,
        keyId: keyId ?? undefined,
        errorCode: errorCode ?? undefined,
        cut: cut || undefined,
      };
      requests[level](line, 'request');
    },
    /** An error that no response reports. The stack of an expected one adds nothing to its message. */
    problem: (error: unknown) => logger.warn(isUnforeseen(error) ? { err: error } : {}, messageOf(error)),
    fatal: (error: unknown) => logger.fatal({ err: error }, messageOf(error)),
    info: (message: string) => logger.info(message),
    warn: (message: string) => logger.warn(message),
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

type Line = Partial<LoggedRequest> & Record<'level' | 'time' | 'msg', string> & { readonly ms?: number };

/** `12:00:01 GET /be/api/v1/gas/current 200 0.4 ms` */
function plainLine({ level, time, msg, method, route, status, errorCode, ms = 0, keyId }: Line): string {
  const words = [method, route ?? '(no route)', status, errorCode, `${ms.toFixed(1)} ms`, keyId];
  const text = method === undefined ? msg : words.filter((word) => word !== undefined).join(' ');
  const mark = level === 'info' || level === 'debug' ? '' : `${level}: `;
  return `${time.slice(11, 19)} ${mark}${cleanText(text, 500)}\n`;
}
