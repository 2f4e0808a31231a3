const START = '\x1b[200~';
const END = '\x1b[201~';
/** A paste that stops in its middle for so long has lost its end: what came counts, and keys are keys again. */
const LOST_AFTER_MS = 2_000;

/**
 * Hands a bracketed paste on in one piece, however many reads it takes. Ink goes over all that came before with each of
 * them, and waits for ever for an end that never comes: a link that breaks within a paste would take the keyboard with
 * it, Ctrl-C included. Returns the way back.
 */
export function holdPastes(stdin: NodeJS.ReadStream, lostAfterMs = LOST_AFTER_MS): () => void {
  const read = stdin.read;
  let held: string[] = [];
  /** What may be the beginning of a mark whose end is in the next piece. */
  let tail = '';
  let timer: NodeJS.Timeout | undefined;

  const hold = (pieces: string[]): string => {
    held = pieces;
    timer = setTimeout(() => {
      if (!stdin.readableEnded) stdin.unshift(END);
    }, lostAfterMs);
    return '';
  };
  const take = (chunk: string): string => {
    clearTimeout(timer);
    const seen = tail + chunk;
    tail = seen.slice(1 - END.length);
    if (held.length === 0) return isOpen(seen) ? hold([chunk]) : chunk;
    held.push(chunk);
    if (!seen.includes(END)) return hold(held);
    const all = held.join('');
    if (isOpen(all)) return hold([all]);
    held = [];
    return all;
  };
  stdin.read = (size?: number) => {
    for (;;) {
      const chunk: unknown = read.call(stdin, size);
      if (typeof chunk !== 'string') return chunk;
      const text = take(chunk);
      if (text !== '') return text;
    }
  };
  return () => {
    clearTimeout(timer);
    held = [];
    stdin.read = read;
  };
}

/** Whether a paste has begun in it that does not end there. */
function isOpen(text: string): boolean {
  return text.lastIndexOf(START) > text.lastIndexOf(END);
}
