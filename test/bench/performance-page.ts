import { MEASURES } from './measures.ts';
import { cellsOf, HEAD, type Row } from './row.ts';

const BEGIN = '<!-- result: written by npm run bench -- --write -->';
const END = '<!-- end of result -->';

export interface Result {
  readonly rows: readonly Row[];
  readonly machine: string;
  /** `2026-11-22` */
  readonly day: string;
}

/** docs/PERFORMANCE.md with its table brought up to date; what stands around it is written by hand. */
export function withResult(page: string, { rows, machine, day }: Result): string {
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || after < before)
    throw new Error('docs/PERFORMANCE.md has lost its marks around the result');
  const table = [HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  const result = [`${day}, ${machine}`, table.join('\n'), measuresText()].join('\n\n');
  return `${page.slice(0, before)}${BEGIN}\n\n${result}\n\n${page.slice(after)}`;
}

function measuresText(): string {
  return MEASURES.map(
    ({ name, says, onRequest }) => `- \`${name}\` ${says}${onRequest ? ' (only when asked for)' : ''}`,
  ).join('\n');
}
