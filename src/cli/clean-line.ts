// C0, DEL, C1, line and paragraph separators, and the marks that turn text around.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

const LONGEST = 600;

/** Makes one harmless line of text that came from outside, fit for a terminal. */
export function cleanLine(text: string): string {
  const line = text.replace(UNPRINTABLE, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
