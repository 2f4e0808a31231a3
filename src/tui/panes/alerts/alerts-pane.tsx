import { Box, Text } from 'ink';
import {
  type AlertDetailsView,
  type AlertSavingsView,
  type AlertView,
  alertState,
  describeCondition,
  distanceToThreshold,
  isOn,
  statusWord,
} from '../../../client/views/alerts.ts';
import type { EngineView } from '../../../client/views/dashboard.ts';
import { cleanText } from '../../../core/text.ts';
import { formatAge, formatCount, formatDuration } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { useClipboard } from '../../app/terminal.ts';
import type { Memory } from '../../app/ui-state.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useLists } from '../../data/lists.tsx';
import { useAlertMutations, useWork } from '../../data/mutations.ts';
import { ELSEWHERE_MS, type Polled, useItem, useMonitor, useMonitorQuery } from '../../data/queries.ts';
import type { ActionName } from '../../input/keymap.ts';
import { useModalKeys } from '../../input/use-keys.tsx';
import { openResourceForm, type Resource, type SecretProps } from '../../resource/resource.ts';
import { ResourcePane } from '../../resource/resource-pane.tsx';
import { factGrid, section, wrappedLines } from '../../ui/fact-list.tsx';
import { type PaneContext, useRoom } from '../../ui/pane-context.tsx';
import { bold, type Line, plain } from '../../ui/text.tsx';
import { COLORS, forTerminal } from '../../ui/theme.ts';
import { alertColumns, alertFacts, alertTitle, deliveryLines, savingsFacts } from './alert-facts.ts';
import { draftLike, newDraft } from './alert-fields.ts';
import { AlertForm, type AlertSeed, useAlertOffer } from './alert-form.tsx';
import type { AlertPrefill } from './alert-prefill.ts';

const ALERTS: Resource<AlertView, AlertSeed> = {
  name: 'alert',
  plural: 'alerts',
  tab: 'tab-3',
  title: 'Alerts',
  spokenTitle: 'Alerts, newest first.',
  useList({ snapshot, present, width }) {
    const now = useNow();
    const { isOwnService = false } = useMonitor();
    const { alerts: feed } = useLists();
    const { deletions } = useAlertMutations();
    const rule = engineText(useEngine(), isOwnService, now);
    // The row and the message about its deletion change in the same frame.
    const items = (feed.data?.items ?? []).filter(
      ({ id }) => !deletions.some(({ alert }) => alert.id === id),
    );
    const last = deletions.at(-1);
    const left = formatDuration(Math.max((last?.until ?? now) - now, 0) / 1_000);
    const deleted = (alert: AlertView): Line => [
      plain(` ▸ deleted ${describeCondition(alert)}`),
      bold(` · u undoes (${left})`),
      plain(deletions.length > 1 ? ` · and ${deletions.length - 1} more` : ''),
    ];
    const kinds = Map.groupBy(items, (alert) => {
      const { kind } = alertState(alert, snapshot, present);
      return kind === 'leaving' || kind === 'cooling' ? 'cooling down' : kind;
    });
    const states = [...kinds].map(([kind, { length }]) => `${formatCount(length)} ${kind}`).join(', ');
    return {
      feed,
      items,
      states: states === '' ? [] : [[{ text: states, faint: true }]],
      notices: [
        ...wrappedLines(rule, width, { most: RULE_LINES, look: { faint: true } }),
        ...(last === undefined ? [] : [deleted(last.alert)]),
      ],
      empty:
        last === undefined
          ? {
              title: 'No alerts yet',
              hint: 'n makes one; a makes one from the present price, on every tab.',
              more: rule,
            }
          : null,
    };
  },
  columns: alertColumns,
  orders: [
    { name: 'newest' },
    {
      name: 'nearest',
      compare: (one, other, { snapshot }) => awayOf(one, snapshot) - awayOf(other, snapshot),
    },
    {
      name: 'last fired',
      compare: (one, other) => (other.lastTriggeredAt ?? 0) - (one.lastTriggeredAt ?? 0),
    },
  ],
  useDetails(id, context, listed) {
    const { client } = useMonitor();
    const mutate = useWork('alert');
    const polled = useItem(['alert', id], (from, signal) => from.alert(id, { signal }));
    const savings = useMonitorQuery({
      // Savings change only with a firing.
      key: ['alert-savings', id, listed?.triggerCount ?? null],
      ask: (from, signal) => from.alertSavings(id, { signal }),
      freshMs: ELSEWHERE_MS,
    });
    // The list has the latest changes, the details have the deliveries.
    const details = polled.data;
    const item = listed ?? details;
    return {
      polled,
      item,
      title: item === undefined ? [] : alertTitle(item, context),
      lines: item === undefined ? [] : detailLines(item, details, savings, context),
      entries: (details?.deliveries ?? []).map((delivery) => ({
        id: delivery.id,
        lines: (isSelected) => deliveryLines(delivery, isSelected, context),
      })),
      redeliver: (deliveryId) =>
        mutate({
          done: 'The delivery is sent again',
          failed: 'Not sent again',
          work: () => client.redeliver(id, deliveryId),
        }),
    };
  },
  useActions(pane) {
    const { setStatus, remove, undo } = useAlertMutations();
    const toast = useToast();
    const { choices, canChange } = useAlertOffer();
    return {
      list: {
        new: () => pane.openForm({ kind: 'new', draft: newDraft() }),
        undo: () => {
          const back = undo();
          const text = back === null ? 'Nothing to undo' : `${describeCondition(back)} is back`;
          toast({ kind: 'info', text });
        },
      },
      item: (alert) => {
        const openForm = (kind: 'copy' | 'change') => () =>
          pane.openForm({ kind, alert, draft: draftLike(alert) });
        return {
          toggle: () => setStatus(alert, statusWord(choices.statuses, isOn(alert.status) ? 'off' : 'on')),
          another: openForm('copy'),
          ...(canChange && { edit: openForm('change') }),
          delete: () =>
            pane.ask(alert, (item) => ({
              ...deleteQuestion(item),
              run: () => {
                remove(item);
                pane.showList();
              },
            })),
        };
      },
    };
  },
  Form: AlertForm,
  Secret: SecretBox,
};

const RULE_LINES = 2;

function awayOf(alert: AlertView, snapshot: PaneContext['snapshot']): number {
  const distance = isOn(alert.status) ? distanceToThreshold(alert, snapshot) : null;
  return distance === null ? Number.MAX_VALUE : distance.isThere ? 0 : Math.abs(distance.ratio);
}

export const AlertsPane = () => <ResourcePane resource={ALERTS} />;

export function openAlertForm(memory: Memory, prefill: AlertPrefill, from: ActionName): void {
  openResourceForm<AlertSeed>(memory, ALERTS, { kind: 'new', draft: newDraft(prefill) }, from);
}

const ENGINE_EVERY_MS = 10_000;

function useEngine(): EngineView | null {
  const { intervalMs, isOwnService = false } = useMonitor();
  const everyMs = Math.max(intervalMs, ENGINE_EVERY_MS);
  const { data } = useMonitorQuery({
    key: ['service', 'summary'],
    ask: (client, signal) => client.summary({ signal }),
    // A remote service counts requests, and few report this.
    everyMs: isOwnService ? everyMs : null,
    freshMs: everyMs,
  });
  return data?.health.engine ?? null;
}

function engineText(engine: EngineView | null, isOwnService: boolean, now: number): string | null {
  if (engine === null && !isOwnService) return null;
  const rule = isOwnService
    ? 'Alerts fire while gastop or gastop serve runs'
    : 'Alerts fire while the service runs';
  if (engine === null) return rule;
  const { process, isHere, since, heartbeatAt } = engine;
  if (isHere === true && isOwnService) return `${rule}; this process evaluates them`;
  if (process === null) return rule;
  const [at, word] = isHere === true ? [since, 'since'] : [heartbeatAt, 'last seen'];
  const age = at === null ? '' : `, ${word} ${formatAge((now - at) / 1_000)}`;
  return `${rule}; ${process} evaluates them${age}`;
}

function detailLines(
  alert: AlertView,
  details: AlertDetailsView | undefined,
  { data, error }: Pick<Polled<AlertSavingsView>, 'data' | 'error'>,
  context: PaneContext,
): readonly Line[] {
  const { width } = context;
  const count = details?.deliveries?.length ?? 0;
  const sent = count === 0 ? 'none yet' : `${count}, newest first`;
  const log = details?.deliveries === null ? 'this service keeps no log of them' : sent;
  const compared = data && "against the lane's mean of the day before";
  return [
    ...factGrid(alertFacts(alert, context), width),
    ...section(
      'Savings',
      compared ?? error?.message ?? 'loading …',
      factGrid(data === undefined ? [] : savingsFacts(data, context), width),
    ),
    ...section('Deliveries', details?.problem ?? log),
  ];
}

function deleteQuestion(alert: AlertView) {
  const { note, triggerCount } = alert;
  return {
    title: 'Delete this alert?',
    lines: [
      describeCondition(alert),
      ...(note ? [cleanText(note)] : []),
      ...(triggerCount
        ? [`It has fired ${formatCount(triggerCount)} ×; its delivery log is deleted too.`]
        : []),
      'It can be undone for 10 s.',
    ],
    yes: 'Delete',
    no: 'Keep it',
  };
}

/** The secret that signs the webhooks of all alerts. The service returns it when an alert gets a webhook. */
function SecretBox({ secret, onClose }: SecretProps) {
  const { columns, rows } = useRoom();
  const copy = useClipboard();
  useModalKeys('secret', {
    copy: () => copy(secret, 'the signing secret'),
    close: onClose,
  });
  return (
    <Box flexDirection="column" width={columns} height={rows} paddingX={3} justifyContent="center" rowGap={1}>
      <Text bold>This secret signs the webhooks of all your alerts:</Text>
      <Text bold color={COLORS.accent}>
        {secret}
      </Text>
      <Text>
        Give it to the receiver, which checks the header X-Gastop-Signature with it. It is shown again when
        another alert gets a webhook; gastop alerts rotate-secret changes it.
      </Text>
      <Text>
        <Text bold>y</Text> copies it <Text bold>{forTerminal('⏎')}</Text> closes
      </Text>
    </Box>
  );
}
