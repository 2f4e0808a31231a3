import type { Terminal as Emulator } from '@xterm/headless';

/** DEC private modes that a program may switch on and has to switch off again. */
const PRIVATE_MODES: Readonly<Record<number, string>> = {
  1: 'application cursor keys',
  9: 'mouse (9)',
  47: 'alternate screen (47)',
  1000: 'mouse (1000)',
  1002: 'mouse (1002)',
  1003: 'mouse (1003)',
  1004: 'focus reports',
  1005: 'mouse (1005)',
  1006: 'mouse (1006)',
  1015: 'mouse (1015)',
  1047: 'alternate screen (1047)',
  1049: 'alternate screen',
  2004: 'bracketed paste',
  2026: 'synchronized output',
};

/** SGR attribute → the code that ends it; colours are ranges and handled apart. */
const ATTRIBUTE_GROUP: Readonly<Record<number, string>> = {
  1: 'bold or dim',
  2: 'bold or dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  8: 'invisible',
  9: 'strikethrough',
};
const ATTRIBUTE_END: Readonly<Record<number, string>> = {
  22: 'bold or dim',
  23: 'italic',
  24: 'underline',
  27: 'inverse',
  28: 'invisible',
  29: 'strikethrough',
  39: 'text colour',
  49: 'background colour',
};

export interface ClearCounts {
  /** `ESC [ 2 J`: the whole screen, seen as flicker. */
  screen: number;
  /** `ESC [ 3 J`: the scrollback, which is the user's. */
  scrollback: number;
  /** `ESC c`: full reset. */
  reset: number;
}

export interface ModeWatch {
  readonly clears: ClearCounts;
  cursorVisible(): boolean;
  synchronizing(): boolean;
  /** What is switched on now and was not at the start, in words. */
  leftovers(): string[];
}

/** Listens to the emulator's own parser, so sequences split over several reads count once and exactly. */
export function watchModes(emulator: Emulator): ModeWatch {
  const clears: ClearCounts = { screen: 0, scrollback: 0, reset: 0 };
  const on = new Set<number>();
  const attributes = new Set<string>();
  let cursorVisible = true;
  let wraps = true;
  let kittyDepth = 0;
  let modifiedKeys = false;

  const setMode = (parameters: readonly (number | number[])[], value: boolean): boolean => {
    for (const mode of parameters.flat()) {
      if (mode === 25) cursorVisible = value;
      else if (mode === 7) wraps = value;
      else if (value) on.add(mode);
      else on.delete(mode);
    }
    return false;
  };

  const setAttributes = (parameters: readonly (number | number[])[]): boolean => {
    const codes = parameters.length === 0 ? [0] : parameters;
    for (let index = 0; index < codes.length; index++) {
      const entry = codes[index];
      // `38:2:…` arrives as [38, [2, …]], `38;2;…` flat: either way the rest belongs to the colour.
      if (typeof entry !== 'number') continue;
      const end = ATTRIBUTE_END[entry];
      const start = ATTRIBUTE_GROUP[entry];
      if (entry === 0) attributes.clear();
      else if (end !== undefined) attributes.delete(end);
      else if (start !== undefined) attributes.add(start);
      else if ((entry >= 30 && entry <= 38) || (entry >= 90 && entry <= 97)) attributes.add('text colour');
      else if ((entry >= 40 && entry <= 48) || (entry >= 100 && entry <= 107))
        attributes.add('background colour');
      if (entry === 38 || entry === 48) {
        if (codes[index + 1] === 5) index += 2;
        else if (codes[index + 1] === 2) index += 4;
      }
    }
    return false;
  };

  const { parser } = emulator;
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, (parameters) => setMode(parameters, true));
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, (parameters) => setMode(parameters, false));
  parser.registerCsiHandler({ final: 'm' }, setAttributes);
  parser.registerCsiHandler({ final: 'J' }, (parameters) => {
    if (parameters[0] === 2) clears.screen++;
    if (parameters[0] === 3) clears.scrollback++;
    return false;
  });
  parser.registerCsiHandler({ prefix: '>', final: 'u' }, () => {
    kittyDepth++;
    return false;
  });
  parser.registerCsiHandler({ prefix: '<', final: 'u' }, () => {
    kittyDepth = Math.max(0, kittyDepth - 1);
    return false;
  });
  parser.registerCsiHandler({ prefix: '>', final: 'm' }, (parameters) => {
    if (parameters[0] === 4) modifiedKeys = (parameters[1] ?? 0) !== 0;
    return false;
  });
  parser.registerEscHandler({ final: 'c' }, () => {
    clears.reset++;
    on.clear();
    attributes.clear();
    cursorVisible = true;
    wraps = true;
    kittyDepth = 0;
    modifiedKeys = false;
    return false;
  });

  return {
    clears,
    cursorVisible: () => cursorVisible,
    synchronizing: () => on.has(2026),
    leftovers: () => [
      ...[...on].map((mode) => PRIVATE_MODES[mode] ?? `private mode ${mode}`),
      ...(cursorVisible ? [] : ['hidden cursor']),
      ...(wraps ? [] : ['no line wrap']),
      ...(kittyDepth > 0 ? ['kitty keyboard'] : []),
      ...(modifiedKeys ? ['modifyOtherKeys'] : []),
      ...[...attributes],
    ],
  };
}
