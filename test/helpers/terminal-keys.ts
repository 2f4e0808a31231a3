const NAMED_KEYS: Readonly<Record<string, string>> = {
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  insert: '\x1b[2~',
  delete: '\x1b[3~',
  enter: '\r',
  return: '\r',
  esc: '\x1b',
  escape: '\x1b',
  tab: '\t',
  'shift+tab': '\x1b[Z',
  space: ' ',
  backspace: '\x7f',
};

/** What a terminal sends for a key (`up`, `ctrl+c`), or for text, one character after the other. */
export function keyBytes(key: string): readonly string[] {
  const named = NAMED_KEYS[key];
  if (named !== undefined) return [named];
  const control = /^ctrl\+([a-z])$/.exec(key)?.[1];
  if (control !== undefined) return [String.fromCharCode(control.charCodeAt(0) - 96)];
  const meta = /^alt\+(.)$/.exec(key)?.[1];
  if (meta !== undefined) return [`\x1b${meta}`];
  return [...key];
}
