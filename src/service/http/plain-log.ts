import { cleanText } from '../../core/clean-text.ts';
import { LOG_LEVELS, type LogLevel, type RequestLog, type RequestLogOptions } from './request-log.ts';

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
