import { useIsScreenReaderEnabled } from 'ink';
import type { SnapshotView } from '../../client/views/gas.ts';
import { chainProfile } from '../../core/chains.ts';
import { useNow } from '../app/clock.ts';
import { ASCII_THEME, type Theme, useTheme } from './theme.ts';
import { type OffsetAt, systemOffset } from './time.ts';

export interface PaneContext {
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  /** The reference time of ages, ms. */
  readonly present: number;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
  readonly width: number;
  readonly isSpoken: boolean;
}

/** Width for screen readers: nothing is wrapped, cut or set side by side. */
export const SPOKEN_WIDTH = 10_000;

export function usePaneContext(snapshot: SnapshotView, columns: number): PaneContext {
  const theme = useTheme();
  const isSpoken = useIsScreenReaderEnabled();
  return {
    snapshot,
    symbol: symbolOf(snapshot),
    present: presentOf(snapshot, useNow()),
    offsetAt: systemOffset,
    theme: isSpoken ? ASCII_THEME : theme,
    width: isSpoken ? SPOKEN_WIDTH : columns,
    isSpoken,
  };
}

export function symbolOf({ chainId }: SnapshotView): string {
  return chainId === null ? 'ETH' : chainProfile(chainId).nativeSymbol;
}

/** The reference time of ages, ms: a recording has its own present, and a chain's clock may be ahead of ours. */
export function presentOf({ source, blockTimestamp }: SnapshotView, now: number): number {
  if (blockTimestamp === null) return now;
  return source.kind === 'replay' ? blockTimestamp : Math.max(now, blockTimestamp);
}
