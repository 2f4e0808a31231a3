import {
  type AlertState,
  alertState,
  describeAlert,
  describeAlertState,
  describeAttempt,
  describeChannels,
  describeCondition,
  describeSavings,
  describeWaiting,
  distanceToThreshold,
  shortTarget,
} from '../../../client/views/alert-texts.ts';
import type {
  AlertDetailsView,
  AlertSavingsView,
  AlertView,
  DeliveryView,
} from '../../../client/views/alerts.ts';
import { describeDistance } from '../../../client/views/distance.ts';
import { plainWord, statusWord } from '../../../client/views/words.ts';
import { cleanText } from '../../../core/text.ts';
import { formatCount, formatDuration, formatGwei, UNKNOWN } from '../../../core/units.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useLists, useMonitor } from '../../data/monitor-context.ts';
import { useDeletions, useWork } from '../../data/mutations.ts';
import { ELSEWHERE_MS, type Polled, useMonitorQuery } from '../../data/polled-query.ts';
import { useItem } from '../../data/queries.ts';
import { type Resource, ResourcePane } from '../../resource/resource-pane.tsx';
import {
  factGrid,
  given,
  hangingLines,
  longFact,
  section,
  toldFacts,
  wrappedLines,
} from '../../ui/fact-list.tsx';
import { type PaneContext, useNow } from '../../ui/pane-context.tsx';
import { distanceCell, known, leftColumn, noteCell, rightColumn, type TableColumn } from '../../ui/table.tsx';
import { bold, colored, faint, type Line, plain, shownWidth } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { ageText, aheadText, secondText, untilText } from '../../ui/time.ts';
import { AlertForm, useAlertOffer } from './alert-form.tsx';

const ALERTS: Resource<AlertView> = {
  name: 'alert',
  useList({ snapshot, present, width }) {
    const now = useNow();
    const { alerts: feed } = useLists();
    const { undoable } = useDeletions();
    const rule = useLeaderText(now);
    const items = feed.data?.items ?? [];
    const deleted = undoable
      .slice(-1)
      .map(({ alert, until }) => [
        plain(` ▸ deleted ${describeCondition(alert)}`),
        bold(` · u undoes (${formatDuration(Math.max(until - now, 0) / 1_000)})`),
        plain(undoable.length > 1 ? ` · and ${undoable.length - 1} more` : ''),
      ]);
    const kinds = Map.groupBy(items, (alert) => describeAlertState(alertState(alert, snapshot, present)));
    const states = [...kinds].map(([kind, { length }]) => `${formatCount(length)} ${kind}`).join(', ');
    const hint = 'n makes one; a makes one from the present price, on every tab.';
    return {
      feed,
      items,
      states: states === '' ? [] : [[faint(states)]],
      notices: [...wrappedLines(rule, width, { most: RULE_LINES, look: { faint: true } }), ...deleted],
      empty: deleted.length === 0 ? { title: 'No alerts yet', hint, more: rule } : null,
    };
  },
  columns: alertColumns,
  orders: {
    newest: null,
    nearest: (one, other, { snapshot }) => awayOf(one, snapshot) - awayOf(other, snapshot),
    'last fired': (one, other) => (other.lastTriggeredAt ?? 0) - (one.lastTriggeredAt ?? 0),
  },
  useDetails(id, context, listed, isWanted) {
    const { client } = useMonitor();
    const { mutate } = useWork('alert');
    const polled = useItem(['alert', id], (from, signal) => from.alert(id, { signal }), isWanted);
    const savings = useMonitorQuery({
      // Savings change only with a firing.
      key: ['alert-savings', id, listed?.triggerCount ?? null],
      ask: (from, signal) => from.alertSavings(id, { signal }),
      enabled: isWanted,
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
    const { client } = useMonitor();
    const { mutate: toggle } = useWork('alert', 'alert-status');
    const { remove, undo } = useDeletions();
    const toast = useToast();
    const { choices, canChange } = useAlertOffer();
    return {
      list: {
        new: () => pane.openForm({}),
        undo: () => {
          const back = undo();
          const text = back === null ? 'Nothing to undo' : `${describeCondition(back)} is back`;
          toast({ kind: 'info', text });
        },
      },
      item: (alert) => {
        const openForm = (isChange: boolean) => () => pane.openForm({ like: alert, isChange });
        return {
          toggle: () => {
            const status = alert.status === 'PENDING' ? 'DISABLED' : 'PENDING';
            toggle({
              done: status === 'PENDING' ? 'Enabled' : 'Disabled',
              failed: `${describeCondition(alert)} is not changed`,
              work: () => client.setAlertStatus(alert.id, statusWord(choices.statuses, status)),
              change: { id: alert.id, status },
            });
          },
          another: openForm(false),
          edit: canChange ? openForm(true) : undefined,
          delete: () =>
            pane.confirm(alert, deleteQuestion, (item) => {
              remove(item);
              pane.showList();
            }),
        };
      },
    };
  },
  Form: AlertForm,
};

const RULE_LINES = 2;

function awayOf(alert: AlertView, snapshot: PaneContext['snapshot']): number {
  const distance = alert.status === 'PENDING' ? distanceToThreshold(alert, snapshot) : null;
  return distance === null ? Number.MAX_VALUE : distance.isThere ? 0 : Math.abs(distance.ratio);
}

export const AlertsPane = () => <ResourcePane resource={ALERTS} />;

const LEADER_EVERY_MS = 10_000;

/** When alerts fire, and which process evaluates them; `null`: the service does not say. */
function useLeaderText(now: number): string | null {
  const { intervalMs, isOwnService } = useMonitor();
  const everyMs = Math.max(intervalMs, LEADER_EVERY_MS);
  const { data } = useMonitorQuery({
    key: ['service', 'summary'],
    ask: (client, signal) => client.summary({ signal }),
    // A remote service counts requests, and few report this.
    everyMs: isOwnService ? everyMs : null,
    freshMs: everyMs,
  });
  const leader = data?.health.engine ?? null;
  if (leader === null && !isOwnService) return null;
  const rule = `Alerts fire while ${isOwnService ? 'gastop or gastop serve' : 'the service'} runs`;
  if (leader === null || leader.process === null) return rule;
  if (leader.isHere === true && isOwnService) return `${rule}; this process evaluates them`;
  const [at, word] = leader.isHere === true ? [leader.since, 'since'] : [leader.heartbeatAt, 'last seen'];
  return `${rule}; ${leader.process} evaluates them${at === null ? '' : `, ${word} ${ageText(at, now)}`}`;
}

const LONGEST_TARGET = 34;

function alertColumns(context: PaneContext, rows: readonly AlertView[]): readonly TableColumn<AlertView>[] {
  const { present, snapshot, width } = context;
  // Whole, beside the state and how far it is to go.
  const room = Math.max(width - BESIDE_CONDITION, LEAST_CONDITION);
  const condition = (alert: AlertView): Line => [
    { text: conditionIn(alert, room), bold: alert.status !== 'DISABLED' },
  ];
  const longest = Math.max(LEAST_CONDITION, ...rows.map((alert) => shownWidth(conditionIn(alert, room))));
  return [
    leftColumn('state', 16, 0, (alert) => {
      const state = alertState(alert, snapshot, present);
      // Of one length for every day, so that no column moves.
      const until =
        state.kind === 'cooling' && untilText(state.until, present).replace(/(?<=.) \d\d:\d\d$/, '');
      return stateLine(state, until ? `cooldown ${until}` : describeAlertState(state));
    }),
    leftColumn('fires when', Math.min(longest, room), 0, condition, { most: longest }),
    rightColumn('to go', 9, 1, (alert) => known(distanceToThreshold(alert, snapshot), distanceCell)),
    rightColumn('fired', 5, 2, ({ triggerCount }) => known(triggerCount, formatCount)),
    rightColumn('last', 10, 4, ({ lastTriggeredAt: at, triggerCount }) =>
      at === null && triggerCount === 0 ? 'never' : known(at, (last) => ageText(last, present)),
    ),
    leftColumn('notify', 16, 3, (alert) => describeChannels(alert) ?? UNKNOWN, { most: LONGEST_TARGET }),
    leftColumn('note', 10, 9, ({ note }) => noteCell(note, width), { most: Number.POSITIVE_INFINITY }),
  ];
}

const LEAST_CONDITION = 19;
const BESIDE_CONDITION = 28;

/** Without a word where it is too long for the room: `Average < $0.40/swap (0.21 now)`. */
function conditionIn(alert: AlertView, room: number): string {
  const text = describeCondition(alert);
  return shownWidth(text) <= room ? text : text.replace(' gwei now)', ' now)');
}

const STATE_LOOKS: Readonly<Record<AlertState['kind'], readonly [glyph: string, color?: ColorName]>> = {
  armed: ['●', 'good'],
  confirming: ['●', 'warn'],
  leaving: ['◌', 'accent'],
  unpriced: ['◌', 'warn'],
  cooling: ['◌', 'accent'],
  disabled: ['—'],
  other: ['•'],
};

function stateLine({ kind }: AlertState, words: string): Line {
  const [glyph, color] = STATE_LOOKS[kind];
  return [colored(`${glyph} `, color), { text: words, faint: kind === 'disabled' }];
}

function alertTitle(alert: AlertView, context: PaneContext): readonly Line[] {
  const distance = distanceToThreshold(alert, context.snapshot);
  const now = distance && faint(`${formatGwei(distance.price)} now, ${describeDistance(distance)}`);
  const state = alertState(alert, context.snapshot, context.present);
  const words = describeAlertState(state, (at) => untilText(at, context.present));
  return [[bold(describeCondition(alert))], stateLine(state, words), ...(now ? [[now]] : [])];
}

function detailLines(
  alert: AlertView,
  details: AlertDetailsView | undefined,
  { data, error }: Pick<Polled<AlertSavingsView>, 'data' | 'error'>,
  context: PaneContext,
): readonly Line[] {
  const { width, snapshot, present } = context;
  const facts = [
    ...longFact(alert.note, 'note', width),
    ...longFact(describeWaiting(alert, snapshot, present), 'waits', width),
    ...toldFacts(describeAlert(alert, context.moment), width),
    ...longFact(alert.keyId, 'API key', width),
    ...given(alert.id, 'id', String),
  ];
  const count = details?.deliveries?.length ?? 0;
  const sent = count === 0 ? 'none yet' : `${count}, newest first`;
  const deliveries = details?.deliveries === null ? 'this service keeps no log of them' : sent;
  const log = details === undefined ? 'loading …' : deliveries;
  const compared = data && "against the lane's mean of the day before";
  const saved = toldFacts(data ? describeSavings(data, context.symbol, context.moment) : [], width);
  return [
    ...factGrid(facts, width),
    ...section('Savings', compared ?? error?.message ?? 'loading …', factGrid(saved, width)),
    ...section('Deliveries', details?.problem ?? log),
  ];
}

const DELIVERY_LOOKS = new Map<string | null, readonly [glyph: string, color?: ColorName]>([
  ['DELIVERED', ['●', 'good']],
  ['PENDING', ['◌', 'warn']],
  ['FAILED', ['!', 'bad']],
  ['CANCELLED', ['—']],
]);
const INDENT = 7;
const MOST_ANSWER_LINES = 4;

function deliveryLines(delivery: DeliveryView, isSelected: boolean, { present, width }: PaneContext) {
  const { status, channel, target, createdAt, nextAttemptAt, attempts } = delivery;
  // The demo and a recording send nothing, and state that.
  const isSimulated = status === 'DELIVERED' && attempts.at(-1)?.answer === 'simulated';
  const word = isSimulated ? 'simulated' : plainWord(status ?? 'state not known');
  const [glyph, color] = DELIVERY_LOOKS.get(status) ?? ['•'];
  const sent = `  ${channel === null ? 'message' : plainWord(channel)}${target ? ` ${shortTarget(target)}` : ''}`;
  const head: Line = [
    isSelected ? bold(' ▸ ', 'accent') : plain('   '),
    colored(glyph, color),
    { text: ` ${word}`, bold: isSelected },
    colored(nextAttemptAt === null ? '' : `, next try ${aheadText(nextAttemptAt, present)}`, 'warn'),
    plain(sent),
    faint(createdAt === null ? '' : `  ${ageText(createdAt, present)}`),
  ];
  const attemptLines = attempts.map((attempt) => {
    const { at, latencyMs, ok } = attempt;
    const time = at === null ? '' : `${secondText(at, present)}  `;
    const took = latencyMs === null ? '' : `${formatCount(latencyMs)} ms  `;
    const mark = ok === null ? plain('• ') : ok ? colored('● ', 'good') : colored('! ', 'bad');
    const before = [plain(' '.repeat(INDENT)), faint(`${time}${took}`), mark];
    return hangingLines(before, describeAttempt(attempt), width, MOST_ANSWER_LINES);
  });
  return [head, ...attemptLines.flat()];
}

function deleteQuestion(alert: AlertView) {
  const { note, triggerCount } = alert;
  const log = `It has fired ${formatCount(triggerCount ?? 0)} ×; its delivery log is deleted too.`;
  const name = [describeCondition(alert), cleanText(note ?? '')];
  const lines = [...name, triggerCount ? log : '', 'It can be undone for 10 s.'];
  return { title: 'Delete this alert?', lines, yes: 'Delete', no: 'Keep it' };
}
