import { useRef } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';

const KEPT = 50;

/**
 * By how many seconds an answer is older than the prices, if more than one block came between them; else `null`. The
 * one block is no news: the question about it goes out when its prices are there. Blocks are counted, not seconds,
 * because some chains have theirs seldom.
 *
 * @param updatedAt when the answer was true, ms; `null`: it does not say, so nothing is said of it
 */
export function useOlderThanPrices(
  { updatedAt: now }: Pick<SnapshotView, 'updatedAt'>,
  updatedAt: number | null,
): number | null {
  const seen = useRef<readonly number[]>([]);
  if (now !== null && seen.current.at(-1) !== now) seen.current = [...seen.current, now].slice(-KEPT);
  if (now === null || updatedAt === null) return null;
  const newer = seen.current.filter((at) => at > updatedAt).length;
  return newer > 1 && now > updatedAt ? (now - updatedAt) / 1_000 : null;
}
