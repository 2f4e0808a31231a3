import { useMemo } from 'react';
import {
  type AutoTxView,
  autoTxState,
  describeContent,
  describeOwnFee,
  describeState,
  describeTarget,
  isOver,
  isPriceThere,
  mayBeMined,
  statusOf,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { cannotBroadcastReason } from '../../../core/auto-txs/target.ts';
import { cleanText, shortHex } from '../../../core/text.ts';
import { formatAge, formatCount } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useClipboard } from '../../app/terminal.ts';
import type { Memory } from '../../app/ui-state.ts';
import { useLists } from '../../data/lists.tsx';
import { useAutoTxMutations } from '../../data/mutations.ts';
import { useMonitor, usePolledQuery } from '../../data/queries.ts';
import { ResourcePane } from '../../resource/resource-pane.tsx';
import { resourceQuestion } from '../../resource/resource-state.ts';
import type {
  AskedAction,
  Confirmation,
  ItemAction,
  PaneActions,
  Resource,
  ResourceActions,
  ResourceDetails,
  ResourceList,
} from '../../resource/types.ts';
import type { PaneContext } from '../../ui/pane-context.ts';
import type { Line } from '../../ui/text.tsx';
import { autoTxColumns, calledBy, ordered } from './auto-tx-columns.ts';
import { detailsLines, detailsTitle, FOOT_LINES, footLines } from './auto-tx-facts.ts';
import { AutoTxForm } from './auto-tx-form.tsx';

/** How the form begins. `edited`: the auto-tx that is changed; `like`: one whose order a new one repeats. */
export interface AutoTxSeed {
  readonly edited?: AutoTxView;
  readonly like?: AutoTxView;
}

const AUTO_TXS: Resource<AutoTxView, AutoTxSeed> = {
  name: 'auto-tx',
  plural: 'auto-txs',
  tab: 'tab-4',
  spokenTitle: 'Auto-txs, what needs attention first.',
  useList: useAutoTxList,
  columns: autoTxColumns,
  orders: [
    { name: 'attention' },
    { name: 'target', compare: (one, other) => Number((one.target ?? 0n) - (other.target ?? 0n)) },
    { name: 'newest', compare: (one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0) },
  ],
  foot: { rows: FOOT_LINES, lines: footLines },
  useDetails: useAutoTxDetails,
  useActions: useAutoTxActions,
  Form: AutoTxForm,
};

/** The Auto-tx tab. */
export function AutoTxsPane(props: TabScreenProps) {
  return <ResourcePane resource={AUTO_TXS} {...props} />;
}

/** The response that the raw view shows. */
export function autoTxsQuestion(memory: Memory) {
  return resourceQuestion(memory, AUTO_TXS.plural, PATHS.autoTxs, PATHS.autoTx);
}

const NO_AUTO_TXS: readonly AutoTxView[] = [];

function useAutoTxList({ snapshot }: PaneContext): ResourceList<AutoTxView> {
  const now = useNow();
  const { autoTxs: feed } = useLists();
  const listed = feed.data?.value.items ?? NO_AUTO_TXS;
  // There may be ten thousand, and a key is drawn at once.
  const items = useMemo(() => ordered(listed, snapshot), [listed, snapshot]);
  const counts = useMemo(() => Map.groupBy(items, describeState), [items]);
  const { total = null, unreadable = 0 } = feed.data?.value ?? {};
  const ofTotal = total === null || total <= items.length ? '' : ` of ${formatCount(total)}`;
  return {
    feed,
    items,
    title: [
      [{ text: `Auto-txs ${formatCount(items.length)}${ofTotal}`, bold: true }],
      ...(feed.data === undefined ? [] : ageSegments(feed.data.at, now)),
    ],
    counts: [
      ...(unreadable === 0 ? [] : [`${formatCount(unreadable)} unreadable`]),
      ...[...counts]
        .sort(([one], [other]) => Number(other === 'failed') - Number(one === 'failed'))
        .map(([word, { length }]) => `${formatCount(length)} ${word}`),
    ].map((text) => [{ text, faint: true }]),
    notices: [],
    empty: emptyState(cannotBroadcastReason(snapshot.source.kind)),
  };
}

const FRESH_MS = 60_000;

/** How old what is shown is; nothing while that is fresh. */
function ageSegments(at: number, now: number): readonly Line[] {
  return now - at < FRESH_MS ? [] : [[{ text: `as of ${formatAge((now - at) / 1_000)}`, faint: true }]];
}

function emptyState(none: string | null) {
  return none === null
    ? {
        title: 'No auto-txs yet',
        hint: 'n schedules a transaction that you signed in your wallet: it is broadcast once gas is at your target.',
        more: 'Keys stay in the wallet.',
      }
    : { title: asSentence(none), hint: 'gastop --rpc URL (a node) or --url URL (a service) can.' };
}

const asSentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** A service elsewhere counts requests. */
const ELSEWHERE_MS = 15_000;

function useAutoTxDetails(
  id: string,
  _: AutoTxView | undefined,
  context: PaneContext,
): ResourceDetails<AutoTxView> {
  const uiNow = useNow();
  const { client, intervalMs, frozen, now, isOwnService = false } = useMonitor();
  const polled = usePolledQuery({
    key: ['auto-tx', id],
    ask: async (signal) => ({ value: await client.autoTx(id, { signal }), at: now() }),
    everyMs: isOwnService ? intervalMs : Math.max(intervalMs, ELSEWHERE_MS),
    frozen,
  });
  const { data } = polled;
  return {
    polled,
    item: data?.value,
    title: data === undefined ? [] : [...detailsTitle(data.value, context), ...ageSegments(data.at, uiNow)],
    lines: data === undefined ? [] : detailsLines(data.value, context),
    entries: [],
  };
}

function useAutoTxActions(
  pane: PaneActions<AutoTxSeed>,
  { snapshot }: PaneContext,
): ResourceActions<AutoTxView> {
  const copy = useClipboard();
  const { setStatus, cancel, remove } = useAutoTxMutations();
  const { client } = useMonitor();
  const none = cannotBroadcastReason(snapshot.source.kind);
  // Said before a signed transaction is pasted for nothing.
  const noForm = none === null ? null : `${asSentence(none)}: start gastop with --rpc URL`;
  const enable = async (autoTx: AutoTxView) => {
    // A block may have come since the prices on the screen.
    const latest = await client.gasCurrent().catch(() => snapshot);
    if (none === null && isPriceThere(autoTx, latest)) pane.ask('enable', autoTx.id);
    else setStatus(autoTx, 'PENDING');
  };
  return {
    new: noForm ?? (() => pane.openForm({})),
    whyNot: (action, autoTx) => whyNot(action, autoTx, noForm),
    item: {
      toggle: (autoTx) => {
        if (statusOf(autoTx) === 'PENDING') setStatus(autoTx, 'DISABLED');
        else void enable(autoTx);
      },
      another: (autoTx) => pane.openForm({ like: autoTx }),
      edit: (autoTx) => pane.openForm({ edited: autoTx }),
      copy: ({ hash }) => {
        if (hash !== null) copy(hash, shortHex(hash, '…'));
      },
      cancel: (autoTx) => pane.ask('cancel', autoTx.id),
      delete: (autoTx) => pane.ask('delete', autoTx.id),
    },
    confirmation: (what, autoTx) => {
      const { lines, ...question } = questionOf(what, autoTx, snapshot);
      const note = cleanText(autoTx.note ?? '').trim();
      const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
      return {
        ...question,
        lines: [
          `${describeContent(autoTx, calledBy(autoTx))}${nonce}, at ${describeTarget(autoTx)}`,
          ...(note === '' ? [] : [note]),
          ' ',
          ...lines,
        ],
        run: () => {
          if (what === 'enable') setStatus(autoTx, 'PENDING');
          else if (what === 'cancel') cancel(autoTx);
          else remove(autoTx, pane.showList);
        },
      };
    },
  };
}

function questionOf(what: AskedAction, autoTx: AutoTxView, snapshot: SnapshotView): Confirmation {
  if (what === 'cancel') return cancelQuestion(autoTx);
  return what === 'delete' ? deleteQuestion(autoTx) : enableQuestion(autoTx, snapshot);
}

/** Asked where its target is reached. */
function enableQuestion(autoTx: AutoTxView, snapshot: SnapshotView): Confirmation {
  const pays = describeOwnFee(autoTx, snapshot);
  return {
    title: 'Enable it, and send it at once?',
    lines: [
      'Its target is reached.',
      ...(pays === null ? [] : [pays]),
      'It is broadcast at once and cannot be recalled.',
    ],
    yes: 'Send it',
    no: 'Not yet',
  };
}

/** Why an action cannot be done to an auto-tx; `null`: it can. `noForm`: why the source takes no transactions. */
function whyNot(action: ItemAction, autoTx: AutoTxView, noForm: string | null): string | null {
  const status = statusOf(autoTx);
  const final = isOver(autoTx) ? `It is final: c schedules another one like it` : null;
  switch (action) {
    case 'toggle':
      if (status === 'SUBMITTED') return 'It is submitted: it cannot be disabled';
      return final ?? (status === 'DRAFT' ? 'A draft needs its signature first: e' : null);
    case 'another':
      return noForm;
    case 'edit':
      return final ?? (status === 'SUBMITTED' ? 'It is submitted: it cannot be changed' : noForm);
    case 'copy':
      return autoTx.hash === null ? 'It has no hash before it is signed' : null;
    case 'cancel':
      return final ?? (isMinedOrOver(autoTx) ? 'It is mined: nothing can stop it' : null);
    case 'delete':
      if (status === 'SUBMITTED') return 'It is submitted: it can be deleted once it is final';
      return status === 'PENDING' || status === 'DISABLED' ? 'Cancel it first: x' : null;
  }
}

const REPLACE = 'Only a same-nonce replacement from your wallet can stop it.';

const isMinedOrOver = (autoTx: AutoTxView) => isOver(autoTx) || autoTxState(autoTx) === 'mined';

function cancelQuestion(autoTx: AutoTxView): Confirmation {
  if (isMinedOrOver(autoTx)) {
    return {
      title: `It is ${describeState(autoTx)} now.`,
      lines: ['There is nothing to cancel.'],
      yes: 'Try anyway',
      no: 'Leave it',
    };
  }
  if (statusOf(autoTx) === 'SUBMITTED') {
    return {
      title: 'It is submitted already.',
      lines: [
        'A broadcast transaction cannot be cancelled.',
        REPLACE,
        'The service will most likely refuse.',
      ],
      yes: 'Try anyway',
      no: 'Leave it',
    };
  }
  return { title: 'Cancel this auto-tx?', lines: cancelLines(autoTx), yes: 'Cancel it', no: 'Keep it' };
}

function cancelLines(autoTx: AutoTxView): readonly string[] {
  if (mayBeMined(autoTx))
    return [
      'It was broadcast before: a node may still have it, so it may be mined although it is cancelled.',
      REPLACE,
    ];
  if (statusOf(autoTx) === 'DRAFT') return ['It is not signed, so it cannot be broadcast.'];
  if (autoTx.mayBeMined === null)
    return [
      'The service does not say whether it was broadcast, nor whether it keeps the signed bytes.',
      'Only a same-nonce replacement from your wallet stops it for certain.',
    ];
  return ['It was not broadcast. Its signed bytes are deleted, so it never will be.'];
}

function deleteQuestion(autoTx: AutoTxView): Confirmation {
  return {
    title: 'Delete this auto-tx?',
    lines: [
      statusOf(autoTx) === 'DRAFT'
        ? 'It is not signed, so it cannot be broadcast.'
        : 'Its history and savings are deleted with it; what was mined stays on the chain.',
      ...(autoTx.mayBeMined === true
        ? ['It was broadcast before and may still be mined, which nothing here will tell.']
        : []),
      'It cannot be undone.',
    ],
    yes: 'Delete',
    no: 'Keep it',
  };
}
