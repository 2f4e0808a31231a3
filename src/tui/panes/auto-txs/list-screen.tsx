import { Box, useIsScreenReaderEnabled } from 'ink';
import { useMemo, useRef } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { useNow } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useAutoTxs } from '../../hooks/use-auto-txs.ts';
import { useDescribedCalls } from '../../hooks/use-described-calls.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { type Line, scrolledTo } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { hiddenSegments } from '../alerts/list-title.ts';
import { presentOf } from '../explorer/place-frame.tsx';
import { AutoTxList, LIST_CHROME } from './auto-tx-list.tsx';
import { ordered } from './auto-tx-order.ts';
import { AutoTxQuestion } from './auto-tx-question.tsx';
import type { AutoTxsAction, AutoTxsCursor } from './auto-txs-state.ts';
import { FOOT_LINES, footLines } from './foot-lines.ts';
import { ageSegment, titleSegments } from './list-title.ts';
import { NoAutoTxs } from './no-auto-txs.tsx';
import { SpokenAutoTxs } from './spoken-auto-txs.tsx';
import { useAutoTxActions, useAutoTxQuestion } from './use-auto-tx-actions.ts';
import { useAutoTxForm } from './use-auto-tx-form.ts';

interface ListScreenProps extends TabScreenProps {
  readonly cursor: AutoTxsCursor | null;
  readonly dispatch: (action: AutoTxsAction) => void;
}

const NONE: readonly AutoTxView[] = [];

/** The list of auto-txs and what the keys do in it. */
export function ListScreen({ snapshot, columns, rows, cursor, dispatch }: ListScreenProps) {
  const theme = useTheme();
  const now = useNow();
  const spoken = useIsScreenReaderEnabled();
  const feed = useAutoTxs();
  const describe = useDescribedCalls();
  const { toggle, cancel, remove, copyHash, refuse } = useAutoTxActions();
  const openForm = useAutoTxForm(snapshot, dispatch);
  const { asked, close, askCancel, askDelete } = useAutoTxQuestion(refuse);

  const items = feed.data?.value.items ?? NONE;
  const autoTxs = useMemo(() => ordered(items, snapshot), [items, snapshot]);
  const { title, counts } = useMemo(() => titleSegments(autoTxs, feed.data?.value), [autoTxs, feed.data]);
  const room = Math.max(rows - LIST_CHROME - FOOT_LINES - (feed.error === null ? 0 : 1), 1);
  const found = cursor === null ? 0 : autoTxs.findIndex(({ id }) => id === cursor.id);
  const near = found < 0 ? Math.min(cursor?.place ?? 0, autoTxs.length - 1) : found;
  const place = Math.max(near, 0);
  const first = useRef(0);
  first.current = Math.min(scrolledTo(place, first.current, room), Math.max(autoTxs.length - room, 0));
  const above = first.current;
  const marked = autoTxs[place];

  const go = (to: number) => {
    const at = Math.min(Math.max(to, 0), autoTxs.length - 1);
    const row = autoTxs[at];
    if (row !== undefined) dispatch({ type: 'move-cursor', to: { id: row.id, place: at } });
  };
  const withMarked = (act: (autoTx: AutoTxView) => void) => () => {
    if (marked !== undefined) act(marked);
  };
  useKeys('auto-txs', {
    up: () => go(place - 1),
    down: () => go(place + 1),
    'page-up': () => go(place - room),
    'page-down': () => go(place + room),
    start: () => go(0),
    end: () => go(autoTxs.length - 1),
    new: () => openForm(null),
    edit: withMarked(openForm),
    open: withMarked(({ id }) => dispatch({ type: 'open', cursor: { id, place } })),
    toggle: withMarked(toggle),
    cancel: withMarked(askCancel),
    delete: withMarked(askDelete),
    copy: withMarked(copyHash),
  });

  if (asked !== null) {
    return (
      <AutoTxQuestion
        asked={{ ...asked, autoTx: autoTxs.find(({ id }) => id === asked.autoTx.id) ?? asked.autoTx }}
        describe={describe}
        width={columns}
        height={rows}
        onYes={() => {
          const stays = { id: asked.autoTx.id, place };
          dispatch({ type: 'move-cursor', to: stays });
          void (asked.what === 'cancel' ? cancel : remove)(asked.autoTx);
          close();
        }}
        onNo={close}
      />
    );
  }
  if (feed.data === undefined && isAbsent(feed.error)) {
    return (
      <Box width={columns} height={rows}>
        <PaneState
          kind="empty"
          title="This service keeps no auto-txs"
          hint="Its API has none; gastop's own service keeps them, also as gastop serve."
        />
      </Box>
    );
  }
  return (
    <PolledFrame polled={feed} what="the auto-txs" pending={false} width={columns} height={rows}>
      {(notice) => {
        if (autoTxs.length === 0) return <NoAutoTxs snapshot={snapshot} columns={columns} rows={rows} />;
        const context = {
          snapshot,
          present: presentOf(snapshot, now),
          offsetAt: systemOffset,
          theme,
          describe,
        };
        const notices: readonly Line[] = notice === null ? [] : [[{ text: ' ' }, ...notice]];
        if (spoken)
          return <SpokenAutoTxs autoTxs={autoTxs.slice(place)} context={context} notices={notices} />;
        const age = feed.data === undefined ? [] : [ageSegment(feed.data.at, now)];
        return (
          <AutoTxList
            rows={autoTxs.slice(above, above + room)}
            cursor={place - above}
            context={context}
            width={columns}
            height={rows}
            title={[title, ...age, ...hiddenSegments(autoTxs.length, above, room), ...counts]}
            notices={notices}
            foot={marked === undefined ? [] : footLines(marked, context, columns)}
          />
        );
      }}
    </PolledFrame>
  );
}

/** Whether the service does not have auto-txs at all. */
function isAbsent(error: Error | null): boolean {
  return error instanceof ClientError && (error.code === 'not-found' || error.status === 501);
}
