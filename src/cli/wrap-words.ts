import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Breaks `text` between words into lines of at most `width` columns; a longer word is parted between characters. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => pieces(whole, width))) {
    if (line === '') line = word;
    else if (stringWidth(line) + 1 + stringWidth(word) <= width) line += ` ${word}`;
    else {
      lines.push(line.trimEnd());
      line = word;
    }
  }
  return [...lines, line.trimEnd()];
}

function pieces(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word];
  const parted: string[] = [];
  let piece = '';
  let columns = 0;
  for (const { segment } of graphemes.segment(word)) {
    const more = stringWidth(segment);
    if (columns + more > width && piece !== '') {
      parted.push(piece);
      piece = '';
      columns = 0;
    }
    piece += segment;
    columns += more;
  }
  return [...parted, piece];
}
