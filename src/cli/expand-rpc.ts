/**
 * Lets one `--rpc` take several URLs (`--rpc URL1 URL2 now`) without swallowing the command behind them: every
 * following word that looks like a URL gets an `--rpc` of its own.
 */
export function expandRpc(argv: readonly string[]): string[] {
  const expanded: string[] = [];
  let takes: 'nothing' | 'first' | 'further' = 'nothing';
  for (const [index, word] of argv.entries()) {
    if (word === '--') return [...expanded, ...argv.slice(index)];
    if (takes === 'further' && /^[a-z]+:\/\//i.test(word)) expanded.push('--rpc', word);
    else {
      expanded.push(word);
      if (word === '--rpc') takes = 'first';
      else takes = takes === 'first' || word.startsWith('--rpc=') ? 'further' : 'nothing';
      continue;
    }
    takes = 'further';
  }
  return expanded;
}
