import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { BlockView } from '../../../client/views/explorer.ts';
import { type Dated, useMonitor } from '../../data/queries.ts';
import type { BlockRow } from './block-rows.ts';
import { MOST_BLOCKS } from './load-block-series.ts';

/** Between two blocks that are asked for one after the other: a node or a quota bears four a second. */
const GAP_MS = 250;
/** A service that refuses so often in a row has no such route, or wants to be left alone. */
const MOST_REFUSALS = 2;

export interface RowDetails {
  /** What its own question has brought; `undefined`: nothing yet, or no more. */
  readonly blockOf: (number: number) => BlockView | undefined;
  /** Whether the service gives blocks one by one, as far as is known. */
  readonly works: () => boolean;
}

interface AskedRow {
  /** The base fee with which it was asked for: another one is another block, after a reorg. */
  readonly baseFee: number | null;
  readonly block: BlockView | undefined;
}

/**
 * The blocks that are on the screen, each asked for once, one after the other, the newest first. As many are kept as
 * the list holds.
 */
export function useRowDetails(rows: readonly BlockRow[], enabled: boolean): RowDetails {
  const { client, frozen, now } = useMonitor();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<ReadonlyMap<number, AskedRow>>(new Map());
  const [refusals, setRefusals] = useState(0);
  const got = useRef(false);
  const next = rows.find(({ number, baseFee }) => number !== null && asked.get(number)?.baseFee !== baseFee);
  const number = next?.number ?? null;
  const baseFee = next?.baseFee ?? null;
  const active = enabled && !frozen && refusals < MOST_REFUSALS && number !== null;

  useEffect(() => {
    if (!active || number === null) return;
    const calledOff = new AbortController();
    const keep = (block: BlockView | undefined) =>
      setAsked((known) => withLast(known, number, { baseFee, block: block ?? known.get(number)?.block }));
    const timer = setTimeout(async () => {
      try {
        const block = await client.block(number, { signal: calledOff.signal });
        if (calledOff.signal.aborted) return;
        got.current = true;
        queries.setQueryData<Dated<BlockView>>(['block', number], { value: block, at: now() });
        keep(block);
        setRefusals(0);
      } catch {
        if (calledOff.signal.aborted) return;
        // Named nowhere: the list says the same with fewer columns, and opening the block says why.
        keep(undefined);
        setRefusals((count) => count + 1);
      }
    }, GAP_MS);
    return () => {
      clearTimeout(timer);
      calledOff.abort();
    };
  }, [active, number, baseFee, client, queries, now]);
  return {
    blockOf: (wanted) => asked.get(wanted)?.block,
    works: () => got.current && refusals < MOST_REFUSALS,
  };
}

/** With `row` as the last one, and without the first ones where there are too many. */
function withLast(
  known: ReadonlyMap<number, AskedRow>,
  number: number,
  row: AskedRow,
): ReadonlyMap<number, AskedRow> {
  const others = [...known].filter(([other]) => other !== number);
  return new Map([...others.slice(-(MOST_BLOCKS - 1)), [number, row]]);
}
