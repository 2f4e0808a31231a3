import { cleanText } from '../core/clean-text.ts';

const LONGEST = 600;

/** Makes one harmless line of text that came from outside, fit for a terminal. */
export function cleanLine(text: string): string {
  return cleanText(text, LONGEST).trim();
}
