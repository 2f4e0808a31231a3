import { ClientError } from '../client/client-error.ts';

// All that a terminal might act on; tab and line ends are JSON's own whitespace.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * A service's JSON as it is, fit for a terminal: control characters inside strings are written as escapes, which
 * means the same. What is not JSON is refused, for a script could not read it.
 */
export function jsonAnswer(text: string, endpoint: string): string {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new ClientError('unreadable', `the answer of ${endpoint} is not JSON; is the URL right?`, {
      endpoint,
      cause,
    });
  }
  const safe = text.replace(CONTROL, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return safe.endsWith('\n') ? safe : `${safe}\n`;
}
