import { Box, useIsScreenReaderEnabled } from 'ink';
import { ClientError } from '../../../client/errors.ts';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { LineList, OneLine } from '../../components/line-list.tsx';
import { PaneState } from '../../components/pane-state.tsx';
import { PolledFrame } from '../../components/polled-frame.tsx';
import { SegmentLine } from '../../components/segment-line.tsx';
import { useActions } from '../../hooks/use-actions.ts';
import { useDescribedCalls } from '../../hooks/use-described-calls.ts';
import { useOverScope } from '../../hooks/use-modal-keys.ts';
import { useNow } from '../../hooks/use-now.ts';
import type { TabScreenProps } from '../../tabs.ts';
import { useTheme } from '../../theme.ts';
import { systemOffset } from '../chart/local-time.ts';
import { presentOf } from '../explorer/present.ts';
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
  const { toggle, cancel, remove, copyHash, refuse } = useAutoTxActions(details.renew);
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
  useOverScope('auto-tx');
  useActions('auto-txs', {
    'auto-txs-up': () => scroll(top - 1),
    'auto-txs-down': () => scroll(top + 1),
    'auto-txs-page-up': () => scroll(top - room),
    'auto-txs-page-down': () => scroll(top + room),
    'auto-txs-start': () => scroll(0),
    'auto-txs-end': () => scroll(most),
    'auto-tx-new': () => openForm(null),
  });
  useActions('auto-tx', {
    'open-auto-tx-close': () => dispatch({ type: 'list' }),
    'open-auto-tx-toggle': withIt(toggle),
    'open-auto-tx-edit': withIt(openForm),
    'open-auto-tx-cancel': withIt(askCancel),
    'open-auto-tx-delete': withIt(askDelete),
    'open-auto-tx-copy': withIt(copyHash),
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
