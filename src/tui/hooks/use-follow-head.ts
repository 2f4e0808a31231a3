import { useEffect, useRef } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { useMonitor } from './use-monitor.ts';
import type { Polled } from './use-polled-query.ts';
import { useEachSnapshot } from './use-snapshot.ts';

type Head = number | string | SnapshotView;

/** What changes when there is something new: a service that names no block changes its time, or its prices. */
export function headOf(snapshot: SnapshotView): Head {
  return snapshot.blockNumber ?? snapshot.updatedAt ?? snapshot;
}

/**
 * What changes also when another word is said of the same head: a service that has learnt of more past meanwhile advises
 * anew, and its prices must not stand beside advice from before.
 */
export function wordOf(snapshot: SnapshotView): Head {
  const { slow, average, fast } = snapshot.lanes;
  const prices = [slow, average, fast].flatMap(({ price, maxFeePerGas, probability }) => [
    price,
    maxFeePerGas,
    probability,
  ]);
  return snapshot.blockNumber === null ? headOf(snapshot) : [snapshot.blockNumber, ...prices].join(' ');
}

interface Following {
  readonly of?: (snapshot: SnapshotView) => Head;
  readonly leastMs?: number;
}

/**
 * Parts of `leastMs` from which on a new head brings the question with it, and until which one is awaited that may: heads
 * that come as often as is asked are never quite punctual, and what is asked beside them is a frame of its own.
 */
const DUE = 0.9;
const AT_LATEST = 1.1;

/**
 * Asks again once for every new head, or whatever else `of` takes for new, but no more often than about every `leastMs`.
 * What is new of the very head that was asked about is not waited with: the answer would stand beside it as one of less
 * past. What has failed waits for its own next try. One question per block and route is all that there can be an answer
 * to; one that a new head overtakes is followed by another.
 */
export function useFollowHead(
  polled: Polled<unknown>,
  shown: SnapshotView,
  { of = headOf, leastMs = 0 }: Following = {},
): void {
  const { frozen } = useMonitor();
  const head = of(shown);
  const asked = useRef({ head, block: headOf(shown), at: performance.now() });
  const latest = useRef(polled);
  latest.current = polled;
  const ask = useRef((snapshot: SnapshotView) => {
    asked.current = { head: of(snapshot), block: headOf(snapshot), at: performance.now() };
    if (latest.current.error === null) void latest.current.renew();
  });
  const isNew = (newest: Head) => asked.current.head !== newest && !frozen;
  const waitMs = (part: number, snapshot: SnapshotView) =>
    asked.current.block === headOf(snapshot) ? 0 : asked.current.at + leastMs * part - performance.now();
  // Before it is drawn; what has to wait is asked about below.
  useEachSnapshot((snapshot) => {
    if (isNew(of(snapshot)) && waitMs(DUE, snapshot) <= 0) ask.current(snapshot);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked of a head does not depend on who draws it
  useEffect(() => {
    if (!isNew(head)) return;
    if (waitMs(DUE, shown) <= 0) return ask.current(shown);
    const timer = setTimeout(ask.current, waitMs(AT_LATEST, shown), shown);
    return () => clearTimeout(timer);
  }, [head, leastMs, frozen]);
}
