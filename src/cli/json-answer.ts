import { ClientError } from '../client/errors.ts';

/** A service's JSON answer as a line of output. What is not JSON is refused, for a script could not read it. */
export function jsonAnswer(text: string, endpoint: string): string {
  try {
    JSON.parse(text);
  } catch (cause) {
    const message = `the answer of ${endpoint} is not JSON; is the URL right?`;
    throw new ClientError('unreadable', message, { endpoint, cause });
  }
  return text.endsWith('\n') ? text : `${text}\n`;
}
