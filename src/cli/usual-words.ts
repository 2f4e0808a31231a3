/**
 * What other programs are asked for help and their version by, in gastop's own words: `help`, `help now`, `version`, `-v`.
 * Anything else stays as it was typed.
 */
export function usualWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  if ((first === 'version' || first === '-v') && rest.length === 0) return ['--version'];
  return argv;
}
