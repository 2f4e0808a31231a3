import { cleanText } from '../core/clean-text.ts';
import { withoutSecrets } from '../core/key-text.ts';

const LONGEST = 600;

/** Makes one harmless line of text that came from outside, fit for a terminal; no key and none of `secrets` is in it. */
export function cleanLine(text: string, secrets: readonly string[] = [], longest = LONGEST): string {
  // Before the cut, which would make them unknown, and after it: what is taken out may have parted them.
  return withoutSecrets(cleanText(withoutSecrets(text, secrets), longest), secrets).trim();
}
