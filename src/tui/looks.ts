/** Codes of what is switched on (ECMA-48, SGR), joined by `;`; empty: nothing. */
export type Look = string;

/** What switches looks on and off, with its codes. */
export const STYLE = /\x1b\[([\d;]*)m/g;

const FOREGROUND = /^(3|9)\d$/;
const BACKGROUND = /^(4|10)\d$/;
const COLOURS = [FOREGROUND, BACKGROUND] as const;
/** What each code switches off; those that are missing switch on. */
const ENDS: Readonly<Record<string, RegExp>> = {
  '': /./,
  0: /./,
  22: /^[12]$/,
  23: /^3$/,
  24: /^4$/,
  27: /^7$/,
  29: /^9$/,
  39: FOREGROUND,
  49: BACKGROUND,
};
const BEGINS = /^([123479]|3[0-7]|9[0-7]|4[0-7]|10[0-7])$/;

const looksAfter = new Map<string, Look | null>();

/** The look after `code` where it was `look` before; `null`: a code that is not one of those that the monitor writes. */
export function lookAfter(look: Look, code: string): Look | null {
  const key = `${look} ${code}`;
  let changed = looksAfter.get(key);
  if (changed === undefined) {
    changed = switched(look === '' ? [] : look.split(';'), code);
    looksAfter.set(key, changed);
  }
  return changed;
}

function switched(open: readonly string[], code: string): Look | null {
  const ends = ENDS[code];
  if (ends !== undefined) return open.filter((each) => !ends.test(each)).join(';');
  if (!BEGINS.test(code)) return null;
  // One colour takes the place of another.
  const kind = COLOURS.find((colour) => colour.test(code));
  return [...open.filter((each) => each !== code && kind?.test(each) !== true), code].sort().join(';');
}
