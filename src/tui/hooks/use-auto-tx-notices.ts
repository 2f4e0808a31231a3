import { useEffect, useRef, useState } from 'react';
import type { AutoTxListView, AutoTxView } from '../../client/views/auto-txs.ts';
import { describeChange, describeChanges } from '../../client/views/describe-auto-txs.ts';
import { isEnd, noticeChanges, type SeenAutoTxs } from '../auto-tx-changes.ts';
import { useToast } from '../chrome/footer.tsx';
import { useAnnounce } from './use-announce.ts';

interface AutoTxNoticesOptions {
  /** What the service says last, whatever the screen shows of it. */
  readonly list: AutoTxListView | undefined;
  /** The auto-txs are on the screen, so what becomes of one is seen. */
  readonly isShown: boolean;
}

/** Whoever runs a service sees the auto-txs of every key: those are told where that key is used. */
const isOwn = ({ keyId }: AutoTxView) => keyId === null;

/**
 * Tells of every auto-tx that is sent or comes to an end while the monitor runs; of an end the bell and the desktop tell,
 * too.
 *
 * @returns how many have come to an end since they were last looked at
 */
export function useAutoTxNotices({ list, isShown }: AutoTxNoticesOptions): number {
  const toast = useToast();
  const announce = useAnnounce();
  const [unseen, setUnseen] = useState(0);
  const known = useRef<SeenAutoTxs | null>(null);
  const latest = useRef({ isShown, toast, announce });
  latest.current = { isShown, toast, announce };

  useEffect(() => {
    if (list === undefined) return;
    const { isShown: isSeen, toast: show, announce: ring } = latest.current;
    const { seen, changed } = noticeChanges(known.current ?? new Map(), list.items);
    known.current = seen;
    const own = changed.filter(isOwn);
    const ended = own.filter(isEnd);
    if (ended.length > 0 && !isSeen) setUnseen((count) => count + ended.length);
    const told = ended.length > 0 ? ended : own;
    const [first] = told;
    if (first === undefined) return;
    const text = told.length > 1 ? describeChanges(told) : describeChange(first);
    show({
      kind: ended.length > 0 ? 'alert' : 'info',
      text,
      ...(ended.length > 0 ? {} : { forMs: SENT_MS }),
    });
    if (ended.length > 0) ring(text);
  }, [list]);

  useEffect(() => {
    if (isShown) setUnseen(0);
  }, [isShown]);
  return unseen;
}

const SENT_MS = 6_000;
