import { format } from 'node:util';

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;
const MOST_LINES = 50;

/**
 * Keeps what libraries print from tearing the screen: it is held and handed out by `release`, which also gives
 * the console back.
 */
export function holdConsole(): { readonly release: () => readonly string[] } {
  const held: string[] = [];
  const originals = METHODS.map((method) => [method, console[method]] as const);
  for (const method of METHODS) {
    console[method] = (...values: unknown[]) => {
      if (held.length < MOST_LINES) held.push(format(...values));
    };
  }
  return {
    release: () => {
      for (const [method, original] of originals) console[method] = original;
      return held;
    },
  };
}
