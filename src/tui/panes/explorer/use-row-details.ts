import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { BlockView } from '../../../client/views/explorer.ts';
import { useMonitor } from '../../hooks/use-monitor.ts';
import type { Dated } from '../../hooks/use-polled-query.ts';
import type { BlockRow } from './block-rows.ts';

/** Between two blocks that are asked for one after the other: a node or a quota bears four a second. */
const GAP_MS = 250;
/** A service that refuses so often in a row has no such route, or wants to be left alone. */
const MOST_REFUSALS = 2;

export interface RowDetails {
  readonly blocks: ReadonlyMap<number, BlockView>;
  /** Whether the service gives blocks one by one, as far as is known. */
  readonly works: () => boolean;
}

/** The blocks that are on the screen, each asked for once, one after the other, the newest first. */
export function useRowDetails(rows: readonly BlockRow[], enabled: boolean): RowDetails {
  const { client, frozen, now } = useMonitor();
  const queries = useQueryClient();
  const [blocks, setBlocks] = useState<ReadonlyMap<number, BlockView>>(new Map());
  const [refusals, setRefusals] = useState(0);
  // By number the base fee with which a block was asked for: another one is another block, after a reorg.
  const asked = useRef(new Map<number, number | null>());
  const got = useRef(false);
  const next = rows.find(({ number, baseFee }) => number !== null && asked.current.get(number) !== baseFee);
  const number = next?.number ?? null;
  const baseFee = next?.baseFee ?? null;
  const active = enabled && !frozen && refusals < MOST_REFUSALS && number !== null;

  useEffect(() => {
    if (!active || number === null) return;
    const calledOff = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const block = await client.block(number, { signal: calledOff.signal });
        if (calledOff.signal.aborted) return;
        asked.current.set(number, baseFee);
        got.current = true;
        queries.setQueryData<Dated<BlockView>>(['block', number], { value: block, at: now() });
        setBlocks((known) => new Map(known).set(number, block));
        setRefusals(0);
      } catch {
        if (calledOff.signal.aborted) return;
        // Named nowhere: the list says the same with fewer columns, and opening the block says why.
        asked.current.set(number, baseFee);
        setRefusals((count) => count + 1);
      }
    }, GAP_MS);
    return () => {
      clearTimeout(timer);
      calledOff.abort();
    };
  }, [active, number, baseFee, client, queries, now]);
  return { blocks, works: () => got.current && refusals < MOST_REFUSALS };
}
