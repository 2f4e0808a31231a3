import { useMemo } from 'react';
import {
  describeChange,
  describeContent,
  describeOwnFee,
  describeState,
  describeTarget,
} from '../../../client/views/auto-tx-texts.ts';
import {
  type AutoTxView,
  autoTxState,
  isHeldByRules,
  isOver,
  isSentAtOnce,
  mayBeMined,
  statusOf,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { isWaiting } from '../../../core/auto-txs/state-machine.ts';
import { cannotBroadcastReason } from '../../../core/auto-txs/target.ts';
import { cleanText, shortHex } from '../../../core/text.ts';
import { formatCount } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useLists, useMonitor } from '../../data/monitor-context.ts';
import { unlessGone, usePendingChanges, useWork } from '../../data/mutations.ts';
import { useItem } from '../../data/queries.ts';
import type { Confirmation } from '../../input/confirm.tsx';
import { type Resource, ResourcePane } from '../../resource/resource-pane.tsx';
import { useNow } from '../../ui/pane-context.tsx';
import { faint, type Line } from '../../ui/text.tsx';
import { ageText } from '../../ui/time.ts';
import { autoTxColumns, autoTxFoot, detailsLines, detailsTitle, ordered } from './auto-tx-facts.ts';
import { AutoTxForm } from './auto-tx-form.tsx';

const NO_AUTO_TXS: readonly AutoTxView[] = [];

const AUTO_TXS: Resource<AutoTxView> = {
  name: 'auto-tx',
  useList({ snapshot }) {
    const now = useNow();
    const { autoTxs: feed } = useLists();
    const listed = feed.data?.items ?? NO_AUTO_TXS;
    // The list may have ten thousand items, and keys must be drawn at once.
    const items = useMemo(() => ordered(listed, snapshot), [listed, snapshot]);
    const counts = useMemo(() => Map.groupBy(items, describeState), [items]);
    const none = cannotBroadcastReason(snapshot.source.kind);
    return {
      feed,
      items,
      states: feed.data === undefined ? [] : ageSegments(feed.at, now),
      counts: [...counts]
        .sort(([one], [other]) => Number(other === 'failed') - Number(one === 'failed'))
        .map(([word, { length }]) => [faint(`${formatCount(length)} ${word}`)]),
      empty:
        none === null
          ? {
              title: 'No auto-txs yet',
              hint: 'n schedules a transaction that you signed in your wallet: it is broadcast once gas is at your target.',
              more: 'Keys stay in the wallet.',
            }
          : { title: asSentence(none), hint: 'gastop --rpc URL (a node) or --url URL (a service) can.' },
    };
  },
  columns: autoTxColumns,
  orders: {
    'under way': null,
    target: (one, other) => Number((one.target ?? 0n) - (other.target ?? 0n)),
    newest: (one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0),
  },
  foot: autoTxFoot,
  useDetails(id, context, listed, isWanted) {
    const uiNow = useNow();
    const polled = useItem(['auto-tx', id], (client, signal) => client.autoTx(id, { signal }), isWanted);
    const loading = listed && { ...listed, timeline: null, pending: null, problem: 'loading …' };
    const known = polled.data ?? (polled.error === null ? loading : undefined);
    const [data] = usePendingChanges()(known ? [known] : []);
    return {
      polled,
      item: data,
      title:
        data === undefined
          ? []
          : [...detailsTitle(data), ...(polled.data ? ageSegments(polled.at, uiNow) : [])],
      lines: data === undefined ? [] : detailsLines(data, context),
    };
  },
  useActions(pane, { snapshot }) {
    const copy = useClipboard();
    const { mutate } = useWork('auto-tx');
    const { mutate: toggle } = useWork<AutoTxView | null>('auto-tx', 'auto-tx-status');
    const { client } = useMonitor();
    const act = (done: string, failed: string, work: () => Promise<unknown>, onSuccess = () => {}) =>
      mutate({ done, failed, work }, { onSuccess });
    const setStatus = (words: string, status: 'PENDING' | 'DISABLED') => (autoTx: AutoTxView) => {
      const work = () => client.updateAutoTx(autoTx.id, { status });
      const done = (changed: AutoTxView | null) =>
        changed !== null && isHeldByRules(changed) ? describeChange(changed) : words;
      toggle({ done, failed: 'Not changed', work, change: { id: autoTx.id, status } });
    };
    const enable = setStatus('Enabled: it waits for its target', 'PENDING');
    const disable = setStatus('Disabled: it is not broadcast', 'DISABLED');
    const cancel = ({ id }: AutoTxView) =>
      act('It is cancelled', 'Not cancelled', () => client.cancelAutoTx(id));
    const remove = ({ id }: AutoTxView) =>
      act('It is deleted', 'Not deleted', () => unlessGone(client.deleteAutoTx(id)), pane.showList);
    const none = cannotBroadcastReason(snapshot.source.kind);
    // Reported before a signed transaction is pasted in vain.
    const noForm = none === null ? null : `${asSentence(none)}: start gastop with --rpc URL`;
    const askToEnable = async (autoTx: AutoTxView) => {
      // A block may have come since the prices on the screen.
      const latest = await client.gasCurrent().catch(() => snapshot);
      if (!isSentAtOnce({ ...autoTx, status: 'PENDING' }, latest, [])) enable(autoTx);
      else pane.confirm(autoTx, enableQuestion(snapshot), enable);
    };
    return {
      list: { new: noForm ?? (() => pane.openForm({})) },
      item: (autoTx) => {
        const { hash } = autoTx;
        const status = statusOf(autoTx);
        const submitted = (it: string) => (status === 'SUBMITTED' ? `It is submitted: it ${it}` : null);
        const final = isOver(autoTx) ? 'It is final: c schedules another one like it' : null;
        const draft = status === 'DRAFT' ? 'A draft needs its signature first: e' : null;
        const open = isWaiting(autoTx) ? 'Cancel it first: x' : null;
        const mined = autoTxState(autoTx) === 'included' ? 'It is in a block: nothing can stop it' : null;
        const other = status === 'PENDING' ? () => disable(autoTx) : () => void askToEnable(autoTx);
        return {
          toggle: submitted('cannot be disabled') ?? final ?? draft ?? other,
          another: noForm ?? (() => pane.openForm({ like: autoTx })),
          edit:
            final ??
            submitted('cannot be changed') ??
            noForm ??
            (() => pane.openForm({ like: autoTx, isChange: true })),
          copy: hash === null ? 'It has no hash before it is signed' : () => copy(hash, shortHex(hash, '…')),
          cancel: final ?? mined ?? (() => pane.confirm(autoTx, CANCEL_QUESTION, cancel)),
          delete:
            submitted('can be deleted once it is final') ??
            open ??
            (() => pane.confirm(autoTx, DELETE_QUESTION, remove)),
        };
      },
    };
  },
  Form: AutoTxForm,
};

export const AutoTxsPane = () => <ResourcePane resource={AUTO_TXS} />;

const FRESH_MS = 60_000;

const ageSegments = (at: number, now: number): readonly Line[] =>
  now - at < FRESH_MS ? [] : [[faint(`as of ${ageText(at, now)}`)]];

const asSentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** A question about an auto-tx, which it names first. */
const questionOf =
  (title: string, yes: string, no: string, lines: (autoTx: AutoTxView) => readonly string[]) =>
  (autoTx: AutoTxView): Confirmation => {
    const note = cleanText(autoTx.note ?? '').trim();
    const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
    const what = `${describeContent(autoTx)}${nonce}, once ${describeTarget(autoTx)}`;
    return { title, yes, no, lines: [what, note, ' ', ...lines(autoTx)] };
  };

const enableQuestion = (snapshot: SnapshotView) =>
  questionOf('Enable it, and send it at once?', 'Send it', 'Not yet', (autoTx) => [
    'Its target is reached.',
    describeOwnFee(autoTx, snapshot) ?? '',
    'It is broadcast at once and cannot be recalled.',
  ]);

const REPLACE = 'Only a same-nonce replacement from your wallet can stop it.';
const UNSIGNED = 'It is not signed, so it cannot be broadcast.';

const CANCEL_QUESTION = questionOf('Cancel this auto-tx?', 'Cancel it', 'Keep it', (autoTx) => {
  // It may have changed while this is asked.
  if (isOver(autoTx) || autoTxState(autoTx) === 'included')
    return [`It is ${describeState(autoTx)} now: there is nothing to cancel.`];
  if (statusOf(autoTx) === 'SUBMITTED')
    return ['It is submitted now: a broadcast transaction cannot be cancelled.', REPLACE];
  if (mayBeMined(autoTx))
    return [
      'It was broadcast before: a node may still have it, so it may be mined although it is cancelled.',
      REPLACE,
    ];
  if (statusOf(autoTx) === 'DRAFT') return [UNSIGNED];
  if (autoTx.mayBeMined === null)
    return [
      'The service does not say whether it was broadcast, nor whether it keeps the signed bytes.',
      'Only a same-nonce replacement from your wallet stops it for certain.',
    ];
  return ['It was not broadcast, and never will be: its signed bytes are deleted within a day.'];
});

const DELETE_QUESTION = questionOf('Delete this auto-tx?', 'Delete', 'Keep it', (autoTx) => [
  statusOf(autoTx) === 'DRAFT'
    ? UNSIGNED
    : 'Its history and savings are deleted with it; what was mined stays on the chain.',
  autoTx.mayBeMined === true
    ? 'It was broadcast before and may still be mined, which nothing here will tell.'
    : '',
  'It cannot be undone.',
]);
