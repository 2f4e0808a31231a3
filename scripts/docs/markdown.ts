/** A table of texts; bars within them are kept apart from those between. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/**
 * The document with what stands between the marks of what wrote it replaced.
 * @throws where it has lost them.
 */
export function withPart(document: string, name: string, text: string, by = 'npm run docs'): string {
  const begin = `<!-- ${name}: written by ${by} -->`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the marks around "${name}" are lost`);
  return `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`;
}
