import * as chains from 'viem/chains';

const isSymbol = (text: string) => /^[\w.$-]{1,8}$/.test(text);

/** The coins of viem's chains, `{ symbol: [ids] }`; of several chains with one id a main network's, then the first. */
export function coinTable(): string {
  const known = new Map<number, string>();
  const all = Object.values(chains).sort((a, b) => Number(a.testnet ?? false) - Number(b.testnet ?? false));
  for (const { id, nativeCurrency } of all) {
    if (!known.has(id) && isSymbol(nativeCurrency.symbol)) known.set(id, nativeCurrency.symbol);
  }
  const bySymbol = Map.groupBy(
    [...known].sort(([a], [b]) => a - b),
    ([, symbol]) => symbol,
  );
  const lines = [...bySymbol].map(
    ([symbol, rows]) => `  ${JSON.stringify(symbol)}: ${JSON.stringify(rows.map(([id]) => id).join(' '))}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
