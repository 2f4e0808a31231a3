import { cleanText } from './clean-text.ts';
import { cutText } from './graphemes.ts';

const ZERO_WIDTH_NON_JOINER = '\\u200c';
const ZERO_WIDTH_JOINER = '\\u200d';
/** Scripts whose letters join or part at a joiner: an invisible one makes another word. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Mandaic', 'Nko', 'Mongolian', 'Adlam', 'Phags_Pa', 'Thaana'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
  ...['Sinhala', 'Khmer', 'Myanmar', 'Tibetan', 'Balinese', 'Javanese'],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
const EMOJI_END = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f';

/** A joiner between two letters that join, or between two emoji that it makes one of (UTS #51). */
const LETTER_JOINER = `(?<=[${JOINING}])[${ZERO_WIDTH_NON_JOINER}${ZERO_WIDTH_JOINER}](?=[${JOINING}])`;
const EMOJI_JOINER = `(?<=[${EMOJI_END}])${ZERO_WIDTH_JOINER}(?=\\p{Extended_Pictographic})`;
/** The flags of England, Scotland and Wales are a black flag and letters that are not seen. */
const FLAG_TAGS = '(?<=\\u{1f3f4})[\\u{e0030}-\\u{e007a}]{1,6}\\u{e007f}';
const KEPT = new RegExp(`(${LETTER_JOINER}|${EMOJI_JOINER}|${FLAG_TAGS}|\\r\\n|[\\n\\t])`, 'u');

/** What ends a line somewhere but is no line end of ours. */
const OTHER_BREAK = /\r(?!\n)|[\v\f\x85\u2028\u2029]/g;

/**
 * What people wrote, without what could act on a terminal or turn the reading: escape sequences, control characters,
 * bidi overrides and what is not seen are taken out. What makes the text another one stays as it is: joiners within
 * emoji and words, the letters of flags, blanks and line breaks. Terminals draw such text only after
 * {@link cleanText}, which makes one line of it.
 *
 * @param maxLength Longest result in UTF-16 units; what is cut off is shown by an ellipsis.
 */
export function cleanNote(note: string, maxLength = Number.POSITIVE_INFINITY): string {
  // As cleanText does: a cut before the work keeps a huge text cheap.
  const enough = Number.isFinite(maxLength) ? note.slice(0, maxLength * 4 + 1_024) : note;
  return cutText(settled(enough), maxLength);
}

/** Until nothing changes: what stood between two parts may have kept them from being something to take out, or to keep. */
function settled(text: string): string {
  let before = text;
  for (;;) {
    const after = withoutUnseen(before);
    if (after === before) return after;
    before = after;
  }
}

function withoutUnseen(text: string): string {
  return text
    .replace(OTHER_BREAK, '\n')
    .split(KEPT)
    .map((part, place) => (place % 2 === 1 ? part : cleanText(part)))
    .join('');
}
