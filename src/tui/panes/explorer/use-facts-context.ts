import { useNow } from '../../app/clock.ts';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import type { FactsContext } from './block-facts.ts';
import type { ExplorerLevelProps } from './explorer-level.ts';
import { presentOf } from './present.ts';

/** What the facts of a block or a transaction are told by; they are spread out from `airyFrom` rows on. */
export function useFactsContext(
  { snapshot, symbol, columns, rows }: ExplorerLevelProps,
  airyFrom: number,
): FactsContext {
  const theme = useTheme();
  const now = useNow();
  return {
    width: columns,
    present: presentOf(snapshot, now),
    head: snapshot.blockNumber,
    symbol,
    nativeUsd: snapshot.nativeUsd,
    offsetAt: systemOffset,
    theme,
    airy: rows >= airyFrom,
  };
}
