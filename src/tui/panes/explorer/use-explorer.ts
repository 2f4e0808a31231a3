import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { BlockView, TxRowView, TxView } from '../../../client/views/explorer.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { type Dated, type Polled, useEachHead, useMonitor, usePolledQuery } from '../../data/queries.ts';

/** Blocks on top of it after which nothing of a block changes any more but their number. */
const SETTLED = 12;

/** What no new block brings: a plan or a key without it. What is not there yet may be in the next block. */
function isRefused({ error }: Polled<unknown>): boolean {
  return error instanceof ClientError && (error.code === 'plan' || error.code === 'key');
}

/** One block; asked again with each new head while it may still be replaced. `null`: none is wanted. */
export function useBlock(number: number | null, snapshot: SnapshotView): Polled<Dated<BlockView>> {
  const { client, frozen, now } = useMonitor();
  const polled = usePolledQuery({
    key: ['block', number],
    enabled: number !== null,
    ask: async (signal) => ({ value: await client.block(number ?? 'latest', { signal }), at: now() }),
    everyMs: null,
    frozen,
  });
  const head = snapshot.blockNumber;
  useEachHead(snapshot, () => {
    const settled = number !== null && head !== null && head - number >= SETTLED && polled.data !== undefined;
    if (number !== null && !settled && !isRefused(polled)) void polled.renew();
  });
  return polled;
}

/** One transaction; asked again with each new head until it is settled. `null`: none is wanted. */
export function useTx(hash: string | null, snapshot: SnapshotView): Polled<Dated<TxView>> {
  const { client, frozen, now } = useMonitor();
  const polled = usePolledQuery({
    key: ['tx', hash],
    enabled: hash !== null,
    ask: async (signal) => ({ value: await client.tx(hash ?? '', { signal }), at: now() }),
    everyMs: null,
    frozen,
  });
  const included = polled.data?.value.blockNumber ?? null;
  const head = snapshot.blockNumber;
  useEachHead(snapshot, () => {
    const settled = included !== null && head !== null && head - included >= SETTLED;
    if (hash !== null && !settled && !isRefused(polled)) void polled.renew();
  });
  return polled;
}

const PAGE_SIZE = 100;
/** A window by seconds holds the blocks of fast chains beside the wanted one; more pages than this are not for eyes. */
const MOST_PAGES = 50;

export interface BlockTxs {
  /** As the service orders them, as far as they have been asked for. */
  readonly rows: readonly TxRowView[];
  /** More can be asked for. */
  readonly more: boolean;
}

export interface BlockTxsData {
  readonly polled: Polled<BlockTxs>;
  readonly data: BlockTxs | undefined;
  /** Asks for the next page. */
  readonly loadMore: () => void;
}

/** The transactions of a block, page by page. `null`: none are wanted. */
export function useBlockTxs(block: BlockView | null): BlockTxsData {
  const { client, frozen } = useMonitor();
  const queries = useQueryClient();
  const number = block?.blockNumber ?? null;
  const timestamp = block?.timestamp ?? null;
  const id = `${number} ${block?.hash ?? ''}`;
  const [wanted, setWanted] = useState({ id, pages: 1 });
  const pages = wanted.id === id ? wanted.pages : 1;
  const polled = usePolledQuery({
    key: ['block-txs', number, block?.hash ?? null, pages],
    enabled: number !== null && timestamp !== null,
    ask: async (signal): Promise<BlockTxs> => {
      const rows: TxRowView[] = [];
      // The window takes in a second at each side, because services differ in whether its ends belong to it.
      const window = { from: (timestamp ?? 0) - 1_000, to: (timestamp ?? 0) + 1_000, size: PAGE_SIZE };
      let answered = 0;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await queries.fetchQuery({
          queryKey: ['block-txs-page', number, block?.hash ?? null, page],
          queryFn: () => client.txs({ ...window, page }, { signal }),
          staleTime: Number.POSITIVE_INFINITY,
        });
        answered += answer.rows.length;
        rows.push(...answer.rows.filter((row) => row.blockNumber === null || row.blockNumber === number));
        const ended = answer.rows.length === 0 || answered >= answer.total || isComplete(rows, block);
        if (ended) return { rows, more: false };
        // A page may begin with rows of its neighbours: half a page of its own is as good as one.
        if (rows.length >= (pages - 0.5) * PAGE_SIZE) break;
      }
      return { rows, more: true };
    },
    everyMs: null,
    frozen,
  });
  // What was there stays while the next page comes.
  const last = useRef<{ readonly id: string; readonly data: BlockTxs } | null>(null);
  useEffect(() => {
    if (polled.data !== undefined) last.current = { id, data: polled.data };
  });
  const data = polled.data ?? (last.current?.id === id ? last.current.data : undefined);
  return {
    polled,
    data,
    loadMore: () => {
      if (polled.data?.more === true) setWanted({ id, pages: pages + 1 });
    },
  };
}

function isComplete(rows: readonly TxRowView[], block: BlockView | null): boolean {
  return block?.transactionCount != null && rows.length >= block.transactionCount;
}
