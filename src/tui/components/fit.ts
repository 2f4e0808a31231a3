import stringWidth from 'string-width';
import { graphemes } from '../../core/graphemes.ts';
import { plainWidth } from './plain-width.ts';

/** Columns that `text` takes in a terminal. */
export function displayWidth(text: string): number {
  return plainWidth(text) ?? stringWidth(text);
}

/** `text` cut to at most `width` columns, ending in `ellipsis` (one column) where something is missing. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  if (plainWidth(text) !== null) return text.slice(0, width - 1) + ellipsis;
  let kept = '';
  let used = 0;
  for (const segment of graphemes(text)) {
    const next = used + displayWidth(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return kept + ellipsis;
}

/** As `truncate`, but no word is cut, nor a figure from its unit, where half of the room is filled without them. */
export function truncateWords(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  if (cut === text) return text;
  const whole = cut.slice(0, Math.max(cut.lastIndexOf(' '), 0)).replace(/ [^ ]*\d$/, '');
  return displayWidth(whole) > width / 2 ? `${whole} ${ellipsis}` : cut;
}

/** Exactly `width` columns, the text at the left. */
export function fitLeft(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  return cut + ' '.repeat(Math.max(width - displayWidth(cut), 0));
}

/** Exactly `width` columns, the text at the right. */
export function fitRight(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  return ' '.repeat(Math.max(width - displayWidth(cut), 0)) + cut;
}
