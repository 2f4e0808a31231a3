const PLAIN = /^[\x20-\x7e]*$/;

// Making one takes longer than most of its work.
let segmenter: Intl.Segmenter | null = null;

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** What people take for single characters (Unicode UAX #29): a flag, an emoji with its skin colour, a letter with its marks. */
export function graphemes(text: string): string[] {
  return PLAIN.test(text) ? text.split('') : Array.from(segments(text), ({ segment }) => segment);
}

/**
 * `text` in at most `most` UTF-16 units, ending in an ellipsis where something is missing. No character is cut, but
 * for one that would fill all the room.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most < 1) return '';
  const whole = segments(text).containing(most - 1)?.index ?? 0;
  const kept = text.slice(0, whole === 0 ? most - 1 : whole).replace(/[\ud800-\udbff]$/, '');
  return `${kept}…`;
}
