import stringWidth from 'string-width';

/** Columns that `text` takes in a terminal. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** `text` cut to at most `width` columns, ending in `ellipsis` (one column) where something is missing. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (stringWidth(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const next = used + stringWidth(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return kept + ellipsis;
}

/** Exactly `width` columns, the text at the left. */
export function fitLeft(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  return cut + ' '.repeat(Math.max(width - stringWidth(cut), 0));
}

/** Exactly `width` columns, the text at the right. */
export function fitRight(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  return ' '.repeat(Math.max(width - stringWidth(cut), 0)) + cut;
}
