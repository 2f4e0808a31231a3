import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cuts a line to `width` columns of a terminal, saying so by its `ending`; wide characters take two. */
export function cutToWidth(line: string, width: number, ending = '…'): string {
  if (stringWidth(line) <= width) return line;
  let kept = '';
  let columns = 0;
  for (const { segment } of graphemes.segment(line)) {
    columns += stringWidth(segment);
    if (columns > width - ending.length) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ending}`;
}
