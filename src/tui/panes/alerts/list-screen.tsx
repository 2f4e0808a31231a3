import { Box, useIsScreenReaderEnabled } from 'ink';
import { useMemo, useRef, useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { AlertListView, AlertView } from '../../../client/views/alerts.ts';
import { describeCondition } from '../../../client/views/describe-alerts.ts';
import { formatDuration } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useMonitor } from '../../data/queries.ts';
import { useAlerts } from '../../hooks/use-alerts.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { type Line, scrolledTo, wrapText } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { presentOf } from '../explorer/place-frame.tsx';
import { draftLike, newDraft } from './alert-draft.ts';
import { AlertList, LIST_CHROME } from './alert-list.tsx';
import type { AlertsAction, AlertsCursor } from './alerts-state.ts';
import { DeleteQuestion } from './delete-question.tsx';
import { engineWords } from './engine-words.ts';
import { hiddenSegments, titleSegments } from './list-title.ts';
import { SpokenAlerts } from './spoken-alerts.tsx';
import { useAlertActions } from './use-alert-actions.ts';
import { useEngine } from './use-engine.ts';

interface ListScreenProps extends TabScreenProps {
  readonly cursor: AlertsCursor | null;
  readonly dispatch: (action: AlertsAction) => void;
}

const RULE_LINES = 2;
const ROOMY_FROM = 100;
const NONE: readonly AlertView[] = [];

/** The list of alerts and what the keys do in it. */
export function ListScreen({ snapshot, columns, rows, cursor, dispatch }: ListScreenProps) {
  const theme = useTheme();
  const now = useNow();
  const spoken = useIsScreenReaderEnabled();
  const { isOwnService = false } = useMonitor();
  const feed = useAlerts();
  const engine = useEngine();
  const { deletions, toggle, remove, undo } = useAlertActions();
  const [asked, setAsked] = useState<AlertView | null>(null);

  const alerts = feed.data?.value.items ?? NONE;
  const title = useMemo(
    () =>
      titleSegments(alerts, beyondOf(feed.data?.value, deletions.length), snapshot, presentOf(snapshot, now)),
    [alerts, feed.data, deletions, snapshot, now],
  );
  const rule = engineWords(engine, isOwnService, now);
  const last = deletions.at(-1);
  const ruleLines = wrapText(theme.text(rule ?? ''), columns - 2, RULE_LINES, theme.glyph.ellipsis).map(
    (text): Line => [{ text: ` ${text}`, faint: true }],
  );
  const notices: readonly Line[] = [
    ...ruleLines,
    ...(last === undefined
      ? []
      : [
          [
            { text: ` ${theme.glyph.arrow} deleted ${describeCondition(last.alert)}` },
            { text: ` · u undoes (${formatDuration(Math.max(last.until - now, 0) / 1_000)})`, bold: true },
            ...(deletions.length > 1 ? [{ text: ` · and ${deletions.length - 1} more` }] : []),
          ],
        ]),
  ];
  const room = Math.max(rows - LIST_CHROME - notices.length - (feed.error === null ? 0 : 1), 1);
  const found = cursor === null ? 0 : alerts.findIndex(({ id }) => id === cursor.id);
  const near = found < 0 ? Math.min(cursor?.place ?? 0, alerts.length - 1) : found;
  const place = Math.max(near, 0);
  const first = useRef(0);
  first.current = Math.min(scrolledTo(place, first.current, room), Math.max(alerts.length - room, 0));
  const above = first.current;
  const marked = alerts[place];

  const go = (to: number) => {
    const at = Math.min(Math.max(to, 0), alerts.length - 1);
    const row = alerts[at];
    if (row !== undefined) dispatch({ type: 'move-cursor', to: { id: row.id, place: at } });
  };
  const withMarked = (act: (alert: AlertView) => void) => () => {
    if (marked !== undefined) act(marked);
  };
  useKeys('alerts', {
    up: () => go(place - 1),
    down: () => go(place + 1),
    'page-up': () => go(place - room),
    'page-down': () => go(place + room),
    start: () => go(0),
    end: () => go(alerts.length - 1),
    new: () => dispatch({ type: 'form', draft: newDraft(), like: null }),
    copy: withMarked((alert) =>
      dispatch({ type: 'form', draft: draftLike(alert), like: describeCondition(alert) }),
    ),
    open: withMarked(({ id }) => dispatch({ type: 'open', cursor: { id, place } })),
    toggle: withMarked(toggle),
    delete: withMarked(setAsked),
    undo: undo,
  });

  if (asked !== null) {
    return (
      <DeleteQuestion
        alert={asked}
        width={columns}
        height={rows}
        onYes={() => {
          dispatch({ type: 'move-cursor', to: { id: asked.id, place } });
          remove(asked);
          setAsked(null);
        }}
        onNo={() => setAsked(null)}
      />
    );
  }
  if (feed.data === undefined && isAbsent(feed.error)) {
    return (
      <Box width={columns} height={rows}>
        <PaneState
          kind="empty"
          title="This service keeps no alerts"
          hint="Its API has none; gastop's own service keeps them, also as gastop serve."
        />
      </Box>
    );
  }
  return (
    <PolledFrame polled={feed} what="the alerts" pending={false} width={columns} height={rows}>
      {(notice) => {
        if (alerts.length === 0 && last === undefined) {
          return (
            <Box width={columns} height={rows}>
              <PaneState
                kind="empty"
                title="No alerts yet"
                hint="n makes one, a on Live or Chart makes one from a price."
                more={rule}
              />
            </Box>
          );
        }
        const present = presentOf(snapshot, now);
        const context = { snapshot, present, offsetAt: systemOffset, theme, isNarrow: columns < ROOMY_FROM };
        const lines = [...(notice === null ? [] : [[{ text: ' ' }, ...notice]]), ...notices];
        if (spoken) return <SpokenAlerts alerts={alerts.slice(place)} context={context} notices={lines} />;
        return (
          <AlertList
            rows={alerts.slice(above, above + room)}
            cursor={place - above}
            context={context}
            width={columns}
            height={rows}
            title={[...title, ...hiddenSegments(alerts.length, above, room)]}
            notices={lines}
          />
        );
      }}
    </PolledFrame>
  );
}

/** How many the service has beside what it listed; what is being deleted is not listed either. */
function beyondOf(list: AlertListView | undefined, deleted: number): number {
  if (list === undefined || list.total === null) return 0;
  return Math.max(list.total - deleted - list.items.length, 0);
}

/** Whether the service does not have alerts at all. */
function isAbsent(error: Error | null): boolean {
  return error instanceof ClientError && (error.code === 'not-found' || error.status === 501);
}
