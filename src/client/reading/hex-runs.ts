/** Shorter runs are addresses, selectors and numbers. */
const LEAST_DIGITS = 48;

/**
 * `text` with each run of 48 hex digits and more, and a `0x` before it, replaced by what `replace` makes of it. Looks at
 * every 48th character only until one is a digit: answers are searched for signed bytes each time, and have next to none.
 */
export function replaceHexRuns(text: string, replace: (run: string) => string): string {
  let replaced = '';
  let done = 0;
  for (let at = LEAST_DIGITS - 1; at < text.length; at += LEAST_DIGITS) {
    if (!isDigit(text, at)) continue;
    let from = at;
    while (from > done && isDigit(text, from - 1)) from--;
    while (at + 1 < text.length && isDigit(text, at + 1)) at++;
    const to = at + 1;
    if (to - from >= LEAST_DIGITS) {
      const start = from - 2 >= done && /^0x$/i.test(text.slice(from - 2, from)) ? from - 2 : from;
      replaced += text.slice(done, start) + replace(text.slice(start, to));
      done = to;
    }
    // Whatever begins after it has its 48th digit no sooner than 48 characters on.
    at = to;
  }
  return done === 0 ? text : replaced + text.slice(done);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
