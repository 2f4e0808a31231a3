import { replaceEqualDeep } from '@tanstack/react-query';
import { useIsScreenReaderEnabled } from 'ink';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { coinSymbol } from '../../core/chains.ts';
import { useShownSnapshot } from '../data/monitor-context.ts';
import type { Change } from '../data/remembered.ts';
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

function createTicks(now: () => number) {
  const listeners = new Set<() => void>();
  let at = now();
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => at,
    tick: () => {
      at = now();
      for (const listener of listeners) listener();
    },
  };
}

const ClockContext = createContext(createTicks(Date.now));

interface ClockProps {
  readonly now: () => number;
  readonly periodMs?: number | undefined;
  readonly children: ReactNode;
}

/** One ticking second for everything that shows an age, so that all ages change in one frame. */
export function Clock({ now, periodMs = 1_000, children }: ClockProps) {
  const ticks = useMemo(() => createTicks(now), [now]);
  useEffect(() => {
    // On the full second: block times are whole seconds, and an age must not skip one.
    const waitMs = () => periodMs - (now() % periodMs);
    const next = () => {
      ticks.tick();
      timer = setTimeout(next, waitMs());
    };
    let timer = setTimeout(next, waitMs());
    return () => clearTimeout(timer);
  }, [now, ticks, periodMs]);
  return <ClockContext value={ticks}>{children}</ClockContext>;
}

/** What `select` makes of the time of the last tick (ms since epoch); renders the caller again when that changes. */
export function useAtNow<T>(select: (now: number) => T): T {
  const { subscribe, read } = useContext(ClockContext);
  const last = useRef<T>(undefined);
  const selected = () => {
    last.current = replaceEqualDeep(last.current, select(read()));
    return last.current as T;
  };
  return useSyncExternalStore(subscribe, selected);
}

/** The time of the last tick; renders the caller again at every tick. */
export const useNow = (): number => useAtNow((now) => now);

/** State that panes find again when their tab is shown again. */
export type Memory = Map<string, unknown>;

export const MemoryContext = createContext<Memory>(new Map());

/** `useState` that survives the pane: a tab looks as before when it is shown again. */
export function usePaneMemory<S>(id: string, initial: S): readonly [S, (change: Change<S>) => void] {
  const memory = useContext(MemoryContext);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const set = useCallback(
    (change: Change<S>): void => {
      const before = memory.has(id) ? (memory.get(id) as S) : initial;
      // Stored at once: React drops the change if the pane is left before its next frame.
      memory.set(id, change instanceof Function ? change(before) : change);
      redraw();
    },
    [memory, id, initial],
  );
  return [memory.has(id) ? (memory.get(id) as S) : initial, set];
}

/** What the texts of a pane depend on, besides their data. */
export interface PaneContext {
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  /** The reference time of ages, ms. */
  readonly present: number;
  readonly moment: (at: number) => string;
  readonly width: number;
  readonly isSpoken: boolean;
}

/** Width for screen readers: nothing is wrapped, cut or set side by side. */
export const SPOKEN_WIDTH = 10_000;

export function useTextWidth(): number {
  const { columns } = useRoom();
  return useIsScreenReaderEnabled() ? SPOKEN_WIDTH : columns;
}

export function usePane(): PaneContext {
  const snapshot = useShownSnapshot();
  const present = presentOf(snapshot, useNow());
  return {
    snapshot,
    present,
    symbol: coinSymbol(snapshot.chainId),
    moment: (at) => momentText(at, present),
    width: useTextWidth(),
    isSpoken: useIsScreenReaderEnabled(),
  };
}

/** The reference time of ages, ms: a recording has its own present, and a chain's clock may be ahead of ours. */
export function presentOf({ source, blockTimestamp }: SnapshotView, now: number): number {
  if (blockTimestamp === null) return now;
  return source.kind === 'replay' ? blockTimestamp : Math.max(now, blockTimestamp);
}
