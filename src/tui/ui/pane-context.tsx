import { useIsScreenReaderEnabled } from 'ink';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { chainProfile } from '../../core/chains.ts';
import { useNow } from '../app/clock.ts';
import { momentText } from './time.ts';

interface RoomSize {
  readonly columns: number;
  readonly rows: number;
}

const RoomContext = createContext<RoomSize>({ columns: 80, rows: 24 });

export const useRoom = (): RoomSize => useContext(RoomContext);

export function Room({ columns, rows, children }: RoomSize & { readonly children: ReactNode }) {
  const room = useMemo(() => ({ columns, rows }), [columns, rows]);
  return <RoomContext value={room}>{children}</RoomContext>;
}

export const SnapshotContext = createContext<SnapshotView | null>(null);

/** The current prices; there are some wherever a tab is shown. */
export function useShownSnapshot(): SnapshotView {
  const snapshot = useContext(SnapshotContext);
  if (snapshot === null) throw new Error('useShownSnapshot needs a SnapshotContext around it');
  return snapshot;
}

/** What the texts of a pane depend on, besides their data. */
export interface PaneContext {
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  /** The reference time of ages, ms. */
  readonly present: number;
  /** A time in words. */
  readonly moment: (at: number) => string;
  readonly width: number;
  readonly isSpoken: boolean;
}

/** Width for screen readers: nothing is wrapped, cut or set side by side. */
export const SPOKEN_WIDTH = 10_000;

export function usePane(): PaneContext {
  const snapshot = useShownSnapshot();
  const { columns } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const present = presentOf(snapshot, useNow());
  return {
    ...{ snapshot, present },
    symbol: symbolOf(snapshot),
    moment: (at) => momentText(at, present),
    width: isSpoken ? SPOKEN_WIDTH : columns,
    isSpoken,
  };
}

export const symbolOf = ({ chainId }: SnapshotView): string =>
  chainId === null ? 'ETH' : chainProfile(chainId).nativeSymbol;

/** The reference time of ages, ms: a recording has its own present, and a chain's clock may be ahead of ours. */
export function presentOf({ source, blockTimestamp }: SnapshotView, now: number): number {
  if (blockTimestamp === null) return now;
  return source.kind === 'replay' ? blockTimestamp : Math.max(now, blockTimestamp);
}
