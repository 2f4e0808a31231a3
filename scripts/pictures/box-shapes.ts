/**
 * Characters that only look right when they meet their neighbours: box drawing and blocks. A font would leave gaps
 * between them, so they are drawn, as paths over their cells.
 */
export interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** Where a stretch of one character begins, and how many cells it takes. */
export interface Stretch {
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/** Which arms a character has from the middle of its cell: up, down, left, right. */
const ARMS: Readonly<Record<string, string>> = {
  '│': 'ud',
  '┌': 'rd',
  '┐': 'ld',
  '└': 'ru',
  '┘': 'lu',
  '├': 'udr',
  '┤': 'udl',
  '┬': 'rld',
  '┴': 'rlu',
  '┼': 'udrl',
};

/** On which sides a rounded corner leaves its cell: down (else up), right (else left). */
const CORNERS: Readonly<Record<string, readonly [down: boolean, right: boolean]>> = {
  '╭': [true, true],
  '╮': [true, false],
  '╰': [false, true],
  '╯': [false, false],
};

/** How much of a cell's colour is there. */
const SHADES: Readonly<Record<string, number>> = { '█': 1, '▓': 0.72, '▒': 0.46, '░': 0.24 };

export function isDrawn(character: string): boolean {
  return (
    character === '─' || singlePath(character, 0, 0, { width: 8, height: 16 }) !== null || character in SHADES
  );
}

/** The lines of a stretch, as data of a stroked path; `null`: it has none. */
export function linePath(character: string, { x, y, count }: Stretch, cell: CellSize): string | null {
  if (character === '─') return `M${x} ${y + cell.height / 2}h${count * cell.width}`;
  const paths = Array.from({ length: count }, (_, index) =>
    singlePath(character, x + index * cell.width, y, cell),
  );
  return paths.includes(null) ? null : paths.join('');
}

/** The area of a stretch of blocks and its opacity; `null`: it is none. A pixel above and below parts its rows. */
export function blockArea(
  character: string,
  { x, y, count }: Stretch,
  { width, height }: CellSize,
): { readonly path: string; readonly opacity: number } | null {
  const opacity = SHADES[character];
  if (opacity === undefined) return null;
  const length = count * width;
  return { path: `M${x} ${y + 1}h${length}v${height - 2}h${-length}z`, opacity };
}

function singlePath(character: string, x: number, y: number, { width, height }: CellSize): string | null {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const arms = ARMS[character];
  if (arms !== undefined) {
    const [top, bottom] = [arms.includes('u') ? y : middleY, arms.includes('d') ? y + height : middleY];
    const [left, right] = [arms.includes('l') ? x : middleX, arms.includes('r') ? x + width : middleX];
    const across = right > left ? `M${left} ${middleY}H${right}` : '';
    return `M${middleX} ${top}V${bottom}${across}`;
  }
  const corner = CORNERS[character];
  if (corner !== undefined) {
    const [down, right] = corner;
    return `M${middleX} ${down ? y + height : y}Q${middleX} ${middleY} ${right ? x + width : x} ${middleY}`;
  }
  switch (character) {
    case '╌':
      return `M${x + 1} ${middleY}h2m2 0h2`;
    case '╎':
      return `M${middleX} ${y + 2}v4m0 4v4`;
    case '┊':
      return `M${middleX} ${y + 1}v2m0 2v2m0 2v2m0 2v2`;
    case '╵':
      return `M${middleX} ${y}V${middleY}`;
    case '▏':
      return `M${x + 0.6} ${y}v${height}`;
    default:
      return null;
  }
}
