import { useMemo, useRef } from 'react';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { chainProfile } from '../../../core/chains.ts';
import { type Dated, type Polled, useEachHead, useMonitor, usePolledQuery } from '../../data/queries.ts';
import { type BlockRow, blockRows } from './block-rows.ts';
import { type BlockSeriesAnswer, loadBlockSeries, MOST_BLOCKS } from './load-block-series.ts';

const USUAL_BLOCK_SEC = 12;

export interface BlockListData {
  readonly polled: Polled<Dated<BlockSeriesAnswer>>;
  /** Newest first. */
  readonly rows: readonly BlockRow[];
}

/**
 * The latest blocks, asked for while they are shown: once, and again at every new head.
 *
 * @param ownTips whether the blocks' own questions bring their tips, so that they need no question here
 */
export function useBlockList(snapshot: SnapshotView, shown: boolean, ownTips: () => boolean): BlockListData {
  const { client, frozen, now } = useMonitor();
  const spanSec = useRef(usualSpan(snapshot.chainId));
  const knownTips = useRef<BlockSeriesAnswer['tips']>([]);
  const end = useRef(snapshot.blockTimestamp);
  end.current = snapshot.blockTimestamp;
  const polled = usePolledQuery({
    key: ['block-list', snapshot.chainId],
    enabled: shown,
    ask: async (signal) => {
      const tips = knownTips.current.length === 0 || !ownTips();
      const request = { end: end.current, spanSec: spanSec.current, tips };
      const value = await loadBlockSeries(client, request, { signal });
      spanSec.current = value.spanSec;
      if (tips) knownTips.current = value.tips;
      return { value: tips ? value : { ...value, tips: knownTips.current }, at: now() };
    },
    everyMs: null,
    frozen,
  });
  useEachHead(snapshot, () => {
    // What has failed waits for its own next try.
    if (shown && polled.error === null) void polled.renew();
  });
  const series = polled.data?.value;
  const rows = useMemo(
    () => (series === undefined ? [] : blockRows(series, snapshot, MOST_BLOCKS)),
    [series, snapshot],
  );
  return { polled, rows };
}

function usualSpan(chainId: number | null): number {
  const blockSec = chainId === null ? USUAL_BLOCK_SEC : chainProfile(chainId).feeRule.blockTimeSec;
  return Math.min(Math.max(Math.ceil(blockSec * MOST_BLOCKS), 60), 3_600);
}
