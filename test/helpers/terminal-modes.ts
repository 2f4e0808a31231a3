import type { Terminal as Emulator } from '@xterm/headless';

/** DEC private modes that a program may switch on and has to switch off again. */
const PRIVATE_MODES: Readonly<Record<number, string>> = {
  1: 'application cursor keys',
  1003: 'mouse (1003)',
  1004: 'focus reports',
  1049: 'alternate screen',
  2004: 'bracketed paste',
  2026: 'synchronized output',
};

/** By the SGR code that begins each; 20 more ends it, and 22 ends both 1 and 2. */
const ATTRIBUTES: Readonly<Record<number, string>> = {
  1: 'bold or dim',
  2: 'bold or dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  8: 'invisible',
  9: 'strikethrough',
};
/** Codes of either colour, by their tens: 30 to 38 and 90 to 97, 40 to 48 and 100 to 107; 39 and 49 end it. */
const COLOURS: Readonly<Record<number, string>> = {
  3: 'text colour',
  9: 'text colour',
  4: 'background colour',
  10: 'background colour',
};

type Parameters = readonly (number | number[])[];

/** Listens to the emulator's own parser, so sequences split over several reads count once and exactly. */
export function watchModes(emulator: Emulator) {
  /** `ESC [ 2 J`: the whole screen, seen as flicker; `ESC [ 3 J`: the scrollback, which is the user's; `ESC c`: all. */
  const clears = { screen: 0, scrollback: 0, reset: 0 };
  const on = new Set<number>();
  const attributes = new Set<string>();
  const off = new Set<string>();
  let kittyDepth = 0;

  const setMode = (parameters: Parameters, value: boolean) => {
    for (const mode of parameters.flat()) {
      const name = mode === 25 ? 'hidden cursor' : mode === 7 ? 'no line wrap' : null;
      if (name === null) on[value ? 'add' : 'delete'](mode);
      else off[value ? 'delete' : 'add'](name);
    }
  };
  const setAttributes = (parameters: Parameters) => {
    const codes = parameters.length === 0 ? [0] : parameters;
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index];
      // `38:2:…` arrives as [38, [2, …]], `38;2;…` flat: either way the rest belongs to the colour.
      if (typeof code !== 'number') continue;
      const colour = COLOURS[Math.floor(code / 10)];
      const name = ATTRIBUTES[code] ?? colour;
      const ends = code === 39 || code === 49 ? colour : ATTRIBUTES[code - 20];
      if (code === 0) attributes.clear();
      else if (ends !== undefined) attributes.delete(ends);
      else if (name !== undefined) attributes.add(name);
      if (code === 38 || code === 48) {
        if (codes[index + 1] === 5) index += 2;
        else if (codes[index + 1] === 2) index += 4;
      }
    }
  };

  const listen = (id: { prefix?: string; final: string }, hear: (parameters: Parameters) => void) =>
    emulator.parser.registerCsiHandler(id, (parameters) => {
      hear(parameters);
      return false;
    });
  listen({ prefix: '?', final: 'h' }, (parameters) => setMode(parameters, true));
  listen({ prefix: '?', final: 'l' }, (parameters) => setMode(parameters, false));
  listen({ final: 'm' }, setAttributes);
  listen({ final: 'J' }, ([what]) => {
    if (what === 2) clears.screen++;
    if (what === 3) clears.scrollback++;
  });
  listen({ prefix: '>', final: 'u' }, () => kittyDepth++);
  listen({ prefix: '<', final: 'u' }, () => {
    kittyDepth = Math.max(0, kittyDepth - 1);
  });
  emulator.parser.registerEscHandler({ final: 'c' }, () => {
    clears.reset++;
    for (const set of [on, attributes, off]) set.clear();
    kittyDepth = 0;
    return false;
  });

  return {
    clears: clears as Readonly<typeof clears>,
    synchronizing: () => on.has(2026),
    leftovers: () => [
      ...[...on].map((mode) => PRIVATE_MODES[mode] ?? `private mode ${mode}`),
      ...off,
      ...(kittyDepth > 0 ? ['kitty keyboard'] : []),
      ...attributes,
    ],
  };
}
