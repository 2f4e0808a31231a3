const REPLACEMENTS: Readonly<Record<string, string>> = {
  '—': '-',
  '−': '-',
  '–': '-',
  '·': '|',
  '×': 'x',
  '…': '...',
  '┤': '|',
  '┼': '+',
  '╭': '.',
  '╮': '.',
  '╰': "'",
  '╯': "'",
  '│': '|',
  '└': '+',
  '─': '-',
  '█': '#',
  '░': '.',
};

/** Writes `text` with ASCII alone; what has no likeness becomes `?`. */
export function toAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]/gu, (character) => REPLACEMENTS[character] ?? '?');
}
