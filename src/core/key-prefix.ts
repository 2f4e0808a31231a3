/** Every key of gastop begins so: it is recognised wherever it turns up, by people and by scanners for leaked secrets. */
export const KEY_PREFIX = 'gastop_';

const KEY_BEGINNING = new RegExp(`${KEY_PREFIX}[0-9A-Za-z]`, 'i');

/** Whether a text holds a key of gastop or the beginning of one. */
export function looksLikeKey(text: string): boolean {
  return KEY_BEGINNING.test(text);
}
