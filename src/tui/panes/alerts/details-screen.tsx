import { Box, useIsScreenReaderEnabled } from 'ink';
import { useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { AlertView, DeliveryView } from '../../../client/views/alerts.ts';
import { describeCondition } from '../../../client/views/describe-alerts.ts';
import { chainProfile } from '../../../core/chains.ts';
import { useNow } from '../../app/clock.ts';
import { refusalText } from '../../app/connection.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useMonitor } from '../../data/queries.ts';
import { useAlerts } from '../../hooks/use-alerts.ts';
import { useKeys, useOverlayScope } from '../../input/use-keys.tsx';
import { factGrid, sectionLine } from '../../ui/fact-list.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { EMPTY_LINE, type Line, LineList, OneLine, SegmentLine, scrolledTo } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { presentOf } from '../explorer/place-frame.tsx';
import { draftLike, newDraft } from './alert-draft.ts';
import { alertFacts, alertTitle, savingsFacts } from './alert-facts.ts';
import type { AlertsAction, AlertsView } from './alerts-state.ts';
import { DeleteQuestion } from './delete-question.tsx';
import { deliveryLines } from './delivery-lines.ts';
import { SpokenAlert } from './spoken-alerts.tsx';
import { useAlertActions } from './use-alert-actions.ts';
import { useAlertDetails } from './use-alert-details.ts';

interface DetailsScreenProps extends TabScreenProps {
  readonly view: Extract<AlertsView, { kind: 'details' }>;
  readonly dispatch: (action: AlertsAction) => void;
}

const NO_DELIVERIES: readonly DeliveryView[] = [];

/** One alert: what it is, what it has saved, and what was sent for it. */
export function DetailsScreen({ snapshot, columns, rows, view, dispatch }: DetailsScreenProps) {
  const theme = useTheme();
  const now = useNow();
  const toast = useToast();
  const spoken = useIsScreenReaderEnabled();
  const { client } = useMonitor();
  const feed = useAlerts();
  const { toggle, remove, undo } = useAlertActions();
  const [asked, setAsked] = useState<AlertView | null>(null);
  const listed = feed.data?.value.items.find(({ id }) => id === view.id);
  const { details, savings } = useAlertDetails(view.id, listed?.triggerCount ?? null);
  // The list knows what was changed a moment ago, the details know what was sent.
  const alert: AlertView | undefined = listed ?? details.data?.value;

  const present = presentOf(snapshot, now);
  const context = { snapshot, present, offsetAt: systemOffset, theme };
  const symbol = snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol;
  const deliveries = details.data?.value.deliveries ?? NO_DELIVERIES;
  const place = Math.max(
    deliveries.findIndex(({ id }) => id === view.delivery),
    0,
  );
  const marked = deliveries[place];
  const head = alert === undefined ? [] : headLines();
  const logs = deliveries.map((delivery, index) =>
    deliveryLines(delivery, index === place, context, columns),
  );
  const lines = [...head, ...logs.flat()];
  const room = Math.max(rows - 1 - (details.error === null ? 0 : 1), 1);
  const most = Math.max(lines.length - room, 0);
  const top = Math.min(view.top, most);

  const scroll = (to: number) => dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most) });
  const mark = (to: number) => {
    const next = deliveries[to];
    if (next === undefined) return;
    const from = head.length + logs.slice(0, to).reduce((sum, log) => sum + log.length, 0);
    const end = from + (logs[to]?.length ?? 1) - 1;
    const inSight = scrolledTo(from, scrolledTo(end, top, room), room);
    dispatch({ type: 'scroll', top: Math.min(inSight, most), delivery: next.id });
  };
  const redeliver = async (delivery: DeliveryView) => {
    try {
      await client.redeliver(view.id, delivery.id);
      toast({ kind: 'info', text: 'It is sent once more' });
      await details.refresh();
    } catch (error) {
      const reason = error instanceof Error ? refusalText(error) : String(error);
      toast({ kind: 'error', text: `Not sent once more: ${reason}` });
    }
  };
  useOverlayScope('alert');
  const withAlert = (act: (alert: AlertView) => void) => () => {
    if (alert !== undefined) act(alert);
  };
  useKeys('alerts', {
    up: () => scroll(top - 1),
    down: () => scroll(top + 1),
    'page-up': () => scroll(top - room),
    'page-down': () => scroll(top + room),
    start: () => scroll(0),
    end: () => scroll(most),
    new: () => dispatch({ type: 'form', draft: newDraft(), like: null }),
    undo: undo,
  });
  useKeys('alert', {
    close: () => dispatch({ type: 'list' }),
    previous: () => mark(place - 1),
    next: () => mark(place + 1),
    redeliver: () => {
      if (marked === undefined)
        toast({ kind: 'error', text: 'Nothing has been sent that could be sent again' });
      else void redeliver(marked);
    },
    copy: withAlert((each) =>
      dispatch({ type: 'form', draft: draftLike(each), like: describeCondition(each) }),
    ),
    toggle: withAlert(toggle),
    delete: withAlert(setAsked),
  });

  if (asked !== null) {
    return (
      <DeleteQuestion
        alert={asked}
        width={columns}
        height={rows}
        onYes={() => {
          remove(asked);
          dispatch({ type: 'list' });
        }}
        onNo={() => setAsked(null)}
      />
    );
  }
  if (details.data === undefined && isGone(details.error)) {
    return (
      <Box width={columns} height={rows}>
        <PaneState kind="empty" title="There is no such alert any more" hint="Esc goes back to the list." />
      </Box>
    );
  }
  return (
    <PolledFrame polled={details} what="the alert" pending={false} width={columns} height={rows}>
      {(notice) => {
        if (alert === undefined) return <PaneState kind="loading" what="the alert" />;
        if (spoken) {
          return (
            <SpokenAlert
              alert={alert}
              savings={savings.data ?? null}
              deliveries={details.data?.value.deliveries ?? null}
              marked={place}
              symbol={symbol}
              context={context}
            />
          );
        }
        const below = lines.length - top - room;
        const hidden = below > 0 ? [[{ text: `${below} more below`, faint: true }]] : [];
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={alertTitle(alert, context).toSpliced(2, 0, ...hidden)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={lines.slice(top, top + room)} width={columns} />
          </Box>
        );
      }}
    </PolledFrame>
  );

  function headLines(): readonly Line[] {
    if (alert === undefined) return [];
    const saved = savings.data === undefined ? [] : savingsFacts(savings.data, symbol, context, columns);
    const log = details.data?.value.deliveries;
    const sent: Line =
      log === null
        ? [{ text: 'this service keeps no log of them', faint: true }]
        : deliveries.length === 0
          ? [{ text: 'none yet', faint: true }]
          : [{ text: `${deliveries.length}, newest first`, faint: true }];
    return [
      ...factGrid(alertFacts(alert, context, columns), columns, theme),
      EMPTY_LINE,
      sectionLine('Savings', savingsNote()),
      ...factGrid(saved, columns, theme),
      EMPTY_LINE,
      sectionLine('Deliveries', sent),
    ];
  }

  function savingsNote(): Line {
    if (savings.data !== undefined)
      return [{ text: "against the lane's mean of the day before", faint: true }];
    return [{ text: savings.error === null ? 'loading …' : savings.error.message, faint: true }];
  }
}

function isGone(error: Error | null): boolean {
  return error instanceof ClientError && error.status === 404;
}
