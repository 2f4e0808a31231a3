import { Box, useIsScreenReaderEnabled } from 'ink';
import { ClientError } from '../../../client/errors.ts';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { useNow } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useDescribedCalls } from '../../hooks/use-described-calls.ts';
import { useKeys, useOverlayScope } from '../../input/use-keys.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { LineList, OneLine, SegmentLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { presentOf } from '../explorer/place-frame.tsx';
import { AutoTxQuestion } from './auto-tx-question.tsx';
import type { AutoTxsAction, AutoTxsLevel } from './auto-txs-state.ts';
import { detailsLines, detailsTitle } from './details-lines.ts';
import { ageSegment } from './list-title.ts';
import { SpokenAutoTx } from './spoken-auto-txs.tsx';
import { useAutoTxActions, useAutoTxQuestion } from './use-auto-tx-actions.ts';
import { useAutoTxDetails } from './use-auto-tx-details.ts';
import { useAutoTxForm } from './use-auto-tx-form.ts';

interface DetailsScreenProps extends TabScreenProps {
  readonly level: Extract<AutoTxsLevel, { kind: 'details' }>;
  readonly dispatch: (action: AutoTxsAction) => void;
}

/** One auto-tx: when it goes out, what it does, its checks, what became of it, and what happened. */
export function DetailsScreen({ snapshot, columns, rows, level, dispatch }: DetailsScreenProps) {
  const theme = useTheme();
  const now = useNow();
  const spoken = useIsScreenReaderEnabled();
  const describe = useDescribedCalls();
  const details = useAutoTxDetails(level.id);
  const { toggle, cancel, remove, copyHash, refuse } = useAutoTxActions(details.refresh);
  const { asked, close, askCancel, askDelete } = useAutoTxQuestion(refuse);
  const openForm = useAutoTxForm(snapshot, dispatch);

  const autoTx = details.data?.value;
  const context = { snapshot, present: presentOf(snapshot, now), offsetAt: systemOffset, theme, describe };
  const lines = autoTx === undefined ? [] : detailsLines(autoTx, context, columns);
  const room = Math.max(rows - 1 - (details.error === null ? 0 : 1), 1);
  const most = Math.max(lines.length - room, 0);
  const top = Math.min(level.top, most);

  const scroll = (to: number) => dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most) });
  const withIt = (act: (autoTx: AutoTxView) => void) => () => {
    if (autoTx !== undefined) act(autoTx);
  };
  useOverlayScope('auto-tx');
  useKeys('auto-txs', {
    up: () => scroll(top - 1),
    down: () => scroll(top + 1),
    'page-up': () => scroll(top - room),
    'page-down': () => scroll(top + room),
    start: () => scroll(0),
    end: () => scroll(most),
    new: () => openForm(null),
  });
  useKeys('auto-tx', {
    close: () => dispatch({ type: 'list' }),
    toggle: withIt(toggle),
    edit: withIt(openForm),
    cancel: withIt(askCancel),
    delete: withIt(askDelete),
    copy: withIt(copyHash),
  });

  if (asked !== null) {
    return (
      <AutoTxQuestion
        asked={{ ...asked, autoTx: autoTx ?? asked.autoTx }}
        describe={describe}
        width={columns}
        height={rows}
        onYes={() => {
          const { what, autoTx: it } = asked;
          close();
          if (what === 'cancel') void cancel(it);
          else void remove(it).then((isRemoved) => isRemoved && dispatch({ type: 'list' }));
        }}
        onNo={close}
      />
    );
  }
  if (details.data === undefined && isMissing(details.error)) {
    return (
      <Box width={columns} height={rows}>
        <PaneState kind="empty" title="There is no such auto-tx any more" hint="Esc goes back to the list." />
      </Box>
    );
  }
  return (
    <PolledFrame polled={details} what="the auto-tx" pending={false} width={columns} height={rows}>
      {(notice) => {
        if (autoTx === undefined) return <PaneState kind="loading" what="the auto-tx" />;
        if (spoken) return <SpokenAutoTx autoTx={autoTx} timeline={autoTx.timeline} context={context} />;
        const below = lines.length - top - room;
        const hidden = below > 0 ? [[{ text: `${below} more below`, faint: true }]] : [];
        const age = details.data === undefined ? [] : [ageSegment(details.data.at, now)];
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={[...detailsTitle(autoTx, context), ...hidden, ...age]} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={lines.slice(top, top + room)} width={columns} />
          </Box>
        );
      }}
    </PolledFrame>
  );
}

function isMissing(error: Error | null): boolean {
  return error instanceof ClientError && error.status === 404;
}
