import { cutText } from './graphemes.ts';

/**
 * A whole terminal sequence: CSI (colours, cursor), OSC and its kin (titles, links, clipboard) with their end or
 * up to the next control character, any other escape. In 7-bit and in 8-bit (C1) form.
 */
const SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/** What ends a line somewhere, and the tab: one space stands for it. */
const LINE_BREAK = /\r\n|[\t\n\v\f\r\x85\u2028\u2029]/g;

/** Controls, invisible formatting (bidi overrides, zero-width, tags) and halves of surrogate pairs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/**
 * Makes text from outside fit for one line of a terminal: escape sequences, control characters, bidi overrides and
 * everything else that is not seen are taken out, a tab or line break becomes a space. Ordinary spaces stay.
 *
 * @param maxLength Longest result in UTF-16 units; what is cut off is shown by an ellipsis.
 */
export function cleanText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // A cut before the work keeps a huge string cheap; four times leaves room for what is taken out.
  const enough = Number.isFinite(maxLength) ? text.slice(0, maxLength * 4 + 1_024) : text;
  const clean = enough.replace(SEQUENCE, '').replace(LINE_BREAK, ' ').replace(INVISIBLE, '');
  return cutText(clean, maxLength);
}
