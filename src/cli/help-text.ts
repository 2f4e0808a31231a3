export const ROOT_EXAMPLES = `
Examples
  gastop --demo                              look around, no network needed
  gastop --rpc http://127.0.0.1:8545         your own node
  gastop now --format '{average} gwei'       for a status bar
  gastop history --window 7d --chart         the week as a line

Exit codes
  0 ok   1 failed   2 wrong usage   3 source unreachable or prices old
  4 key missing or refused   5 quota used up`;

/** The examples at the end of a command's help. */
export function examples(lines: readonly string[]): string {
  const list = lines.map((line) => `  ${line}`).join('\n');
  return `\nExamples\n${list}`;
}
