import { type Command, Option } from 'commander';
import { type GasClient, pathOf } from '../../client/client.ts';
import { type Query, ROUTES } from '../../client/routes.ts';
import {
  type AlertDetailsView,
  type AlertSavingsView,
  type AlertView,
  type DeliveryView,
  describeCondition,
  isSavingUnknown,
  mustLeave,
  type SavingsEntryView,
} from '../../client/views/alerts.ts';
import { SAVINGS_GAS_MOST } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { cooldownText } from '../../core/alerts/alert-rule.ts';
import { chainProfile } from '../../core/chains.ts';
import { ownValue } from '../../core/own-value.ts';
import { exactGwei, formatCount, formatDuration, formatNative, formatUsd } from '../../core/units.ts';
import type { CommandContext, Flags, Run } from '../context.ts';
import { usageError } from '../errors.ts';
import { examples } from '../help.ts';
import {
  type Column,
  cleanLine,
  fittedLines,
  jsonResponse,
  type Labelled,
  LONGEST_NOTE,
  labelledLines,
  mapped,
  note,
  paragraph,
  print,
  tableLines,
  utcTime,
} from '../output.ts';
import { createAlert, previewAlert, rotateSecret, updateAlert } from './create-alert.ts';
import {
  addDelete,
  addGroup,
  addShow,
  eachId,
  idArgument,
  idsArgument,
  JSON_ANSWER,
  type JsonFlags,
  printList,
  type Resource,
  withResource,
} from './resource.ts';

export const ALERTS: Resource<AlertView, AlertDetailsView> = {
  many: 'alerts',
  one: 'alert',
  route: ROUTES.alerts,
  path: PATHS.alert,
  list: (client, call) => client.alerts(call),
  get: (client, id, call) => client.alert(id, call),
  remove: (client, id, call) => client.deleteAlert(id, call),
  deleted: (alert) => `(${cleanLine(describeCondition(alert))}, notify: ${channelWords(alert)})`,
};
const INPUT = ['[FILE]', 'the alert as JSON instead, as POST /alerts takes it; - is stdin'] as const;

export function addAlerts(program: Command, run: Run): void {
  const alerts = addGroup(program, {
    name: 'alerts',
    summary: 'alerts: list, show, create, update, enable, disable, delete …',
    description:
      'Alerts of the service at --url, or of the database here: those fire while gastop or gastop serve runs on it.',
    examples: [
      'gastop alerts create --below 5 --email gas@example.org --once',
      'gastop alerts list',
      'gastop alerts preview --below 5 --lane slow',
    ],
  });
  alerts
    .command('list', { isDefault: true })
    .description('Lists the alerts, newest first.')
    .option('--json', "the service's v1 list; several pages as one")
    .action(run(listAlerts));
  addShow(
    alerts,
    run,
    ALERTS,
    'One alert: what it watches for, whom it notifies, what was sent.',
    alertDetailsText,
  );
  withMessage(withRule(alerts.command('create')), false)
    .description(
      'Makes an alert and prints its id; with a webhook it also tells the secret that signs the webhooks of all your alerts.',
    )
    .argument(...INPUT)
    .option('--json', JSON_ANSWER)
    .addHelpText(
      'after',
      `${examples([
        'gastop alerts create --below 5 --terminal --cooldown 4h',
        'gastop alerts create --above 80 --lane fast --telegram @gas_watch',
        'gastop alerts create - < alert.json',
      ])}

Others can read a command line, and the shell keeps it: a URL that holds a
secret (Slack's do) is better given as JSON on stdin.`,
    )
    .action(run(createAlert));
  withMessage(withRule(alerts.command('update'), false), false)
    .description(
      'Changes what is given; id, history, savings and a running cooldown stay. Channels that are given replace all that it notifies.',
    )
    .argument(...idArgument(ALERTS))
    .argument('[FILE]', 'the whole alert as JSON instead, as PUT /alerts/{id} takes it; - is stdin')
    .option('--no-once', 'stay armed after it has fired')
    .option('--json', JSON_ANSWER)
    .addHelpText(
      'after',
      examples([
        'gastop alerts update alr_8f2k --below 4 --cooldown 4h',
        'gastop alerts update alr_8f2k --terminal --slack https://hooks.example.org/T0/B0',
      ]),
    )
    .action(run(updateAlert));
  for (const [name, status, description] of [
    ['enable', 'PENDING', 'Arms alerts again; a running cooldown goes on.'],
    ['disable', 'DISABLED', 'Disables alerts; they stay and can be enabled again.'],
  ] as const) {
    alerts
      .command(name)
      .description(description)
      .argument(...idsArgument(ALERTS))
      .option('--json', JSON_ANSWER)
      .action(
        run((context, ids: string[], flags: JsonFlags) =>
          withResource(context, ALERTS, flags, ({ client, call, tell, onOne }) =>
            eachId(context.io, ids, async (id) => {
              await onOne(id, client.setAlertStatus(id, status, call));
              tell(`${name === 'enable' ? 'armed' : 'disabled'} ${cleanLine(id)}`);
            }),
          ),
        ),
      );
  }
  addDelete(
    alerts,
    run,
    ALERTS,
    'Deletes alerts and what was sent for them. It asks first; without a terminal it needs --yes.',
  );
  alerts
    .command('savings')
    .description('What an alert has saved, against the mean price of the day before each firing.')
    .argument(...idArgument(ALERTS))
    .option('--gas <N>', 'gas used each time (default 150,000, a swap)')
    .option('--json', JSON_ANSWER)
    .action(run(alertSavings));
  withMessage(withRule(alerts.command('preview')), true)
    .description('How often an alert would have fired in the last 24 hours; takes all flags of create.')
    .argument(...INPUT)
    .option('--json', 'for programs: times, last, from, to, lowest, highest; prices in wei')
    .addHelpText(
      'after',
      examples(['gastop alerts preview --below 5', 'gastop alerts preview - < alert.json']),
    )
    .action(run(previewAlert));
  alerts
    .command('redeliver')
    .description('Sends a delivery again, where the service can.')
    .argument(...idArgument(ALERTS))
    .argument('<delivery>', 'as gastop alerts show lists it')
    .option('--json', JSON_ANSWER)
    .action(run(redeliverAlert));
  alerts
    .command('rotate-secret')
    .description(
      'Changes the secret that signs the webhooks of all your alerts, and prints the new one; the one before signs as well for a day.',
    )
    .option('--json', JSON_ANSWER)
    .action(run(rotateSecret));
}

function withRule(command: Command, hasDefaults = true): Command {
  const words = (text: string, value: string) => (hasDefaults ? `${text} (default ${value})` : text);
  return command
    .option('--below <GWEI>', 'fire when the price is below that')
    .option('--above <GWEI>', 'fire when it is above that')
    .addOption(
      new Option('--lane <LANE>', words('whose price', 'average')).choices(['slow', 'average', 'fast']),
    )
    .option('--cooldown <TIME>', words('the least time between notifications: 30m, 1h, 4h, 1d', '1h'))
    .option('--once', 'fire once, then be disabled')
    .option(
      '--rearm-margin <GWEI>',
      words('fire again only once the price has left the threshold by that much', '0: it need not'),
    )
    .option('--confirm <N>', words('fire when it holds for N blocks in a row', '1'));
}

function withMessage(command: Command, isHidden: boolean): Command {
  const options: readonly (readonly [string, string])[] = [
    ['--email <ADDRESS>', 'notify by mail'],
    ['--webhook <URL>', 'notify by a signed POST'],
    ['--slack <URL>', 'notify a Slack incoming webhook'],
    ['--telegram <CHAT>', 'notify a Telegram chat: its id, or @channel'],
    ['--terminal', 'notify every running monitor'],
    ['--note <TEXT>', 'goes with each notification'],
  ];
  for (const [flags, text] of options) command.addOption(new Option(flags, text).hideHelp(isHidden));
  return command;
}

function listAlerts(context: CommandContext, { json = false }: JsonFlags): Promise<void> {
  const { io } = context;
  return withResource(context, ALERTS, {}, ({ client, settings }) =>
    printList(io, ALERTS, {
      ...{ client, settings, json },
      lines: (items, { width, ending }) => alertListLines(items, io.now(), width, ending),
    }),
  );
}

function alertSavings(
  context: CommandContext,
  id: string,
  { json, gas }: Flags<'gas', 'json'>,
): Promise<void> {
  const { io } = context;
  const gasAmount = gas === undefined ? undefined : parseGas(gas);
  return withResource(context, ALERTS, {}, async ({ client, settings, call, onOne }) => {
    if (json) {
      const query: Query = gasAmount === undefined ? {} : { gasAmount: String(gasAmount) };
      const raw = await onOne(id, client.raw(pathOf(PATHS.alertSavings, { id }), query, call));
      io.stdout.write(jsonResponse(raw, PATHS.alertSavings));
      return;
    }
    const savings = await onOne(id, client.alertSavings(id, { ...call, gasAmount }));
    print(io, settings, alertSavingsText(savings, await coinOf(client, call.signal)));
    if (gasAmount !== undefined && savings.gasAmount !== gasAmount) {
      note(io, 'the service takes no amount of gas: these savings are for its own');
    }
  });
}

function parseGas(text: string): number {
  const gas = /^\d{1,3}(,\d{3})+$|^\d{1,12}$/.test(text.trim()) ? Number(text.replaceAll(',', '')) : 0;
  if (gas >= 1 && gas <= SAVINGS_GAS_MOST) return gas;
  throw usageError(`--gas: "${text}" is not an amount of gas; a whole number from 1, such as 21000`);
}

function redeliverAlert(
  context: CommandContext,
  id: string,
  deliveryId: string,
  flags: JsonFlags,
): Promise<void> {
  return withResource(context, ALERTS, flags, async ({ client, isOwn, call, tell, onOne }) => {
    await onOne(id, client.redeliver(id, deliveryId, call), ({ deliveries }) =>
      deliveries === null || deliveries.some((one) => one.id === deliveryId)
        ? null
        : `there is no delivery ${cleanLine(deliveryId)} of alert ${cleanLine(id)}; gastop alerts show lists them`,
    );
    const where = isOwn ? ', by the process that evaluates alerts on this database' : '';
    tell(`${cleanLine(deliveryId)} is sent again${where}`);
  });
}

function stateWords(alert: AlertView, now: number): string {
  const { status } = alert;
  if (status === 'PENDING') return coolingWords(alert, now) === null ? 'armed' : 'cooling down';
  return status === null ? '-' : cleanLine(status).toLowerCase();
}

function coolingWords(alert: AlertView, now: number): string | null {
  const { cooldownUntil } = alert;
  if (cooldownUntil !== null && cooldownUntil > now)
    return `until ${timeWords(cooldownUntil, 'seconds')} UTC`;
  return mustLeave(alert) ? 'until the price has left the threshold' : null;
}

export function channelWords({ channels }: AlertView): string {
  return channels.map((channel) => cleanLine(channel).toLowerCase()).join(', ') || '-';
}

export function timeWords(ms: number | null, precision: 'minutes' | 'seconds' = 'minutes'): string {
  return mapped(ms, (time) => utcTime(time, precision)) ?? '-';
}

export function cooldownWords({ cooldownMs }: AlertView): string {
  return cooldownMs === null ? '-' : cooldownMs === 0 ? 'none' : cooldownText(cooldownMs);
}

function timesWords(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}

export const alertListLines = (
  alerts: readonly AlertView[],
  now: number,
  width: number | null,
  ending = '…',
): string[] =>
  fittedLines(columnsAt(now), alerts, width, { ending, spared: ['last (UTC)', 'fired'], least: 16 });

function columnsAt(now: number): Column<AlertView>[] {
  return [
    ['id', 'left', (alert) => cleanLine(alert.id)],
    ['when', 'left', (alert) => cleanLine(describeCondition(alert))],
    ['state', 'left', (alert) => stateWords(alert, now)],
    ['notify', 'left', channelWords],
    ['fired', 'right', ({ triggerCount }) => mapped(triggerCount, formatCount) ?? '-'],
    ['last (UTC)', 'left', (alert) => timeWords(alert.lastTriggeredAt)],
    ['note', 'left', ({ note }) => cleanLine(note ?? '')],
  ];
}

export function alertDetailsText(alert: AlertDetailsView, now: number): string {
  const lines = labelledLines([...alertRows(alert, now), ...firingRows(alert)]);
  const { deliveries } = alert;
  if (deliveries === null || deliveries.length === 0) return lines.join('\n');
  return [...lines, '', 'sent, newest first (UTC)', ...deliveries.flatMap(deliveryLines)].join('\n');
}

function alertRows(alert: AlertView, now: number): Labelled[] {
  const { hysteresis, confirmBlocks, disableOnce, disabledReason, note } = alert;
  const until = mapped(alert.status === 'PENDING' ? coolingWords(alert, now) : null, (words) => ` ${words}`);
  const state = `${stateWords(alert, now)}${until ?? ''}`;
  return [
    ['id', cleanLine(alert.id)],
    ['fires when', cleanLine(describeCondition(alert))],
    ['state', disabledReason === null ? state : `${state}: ${cleanLine(disabledReason)}`],
    ['cooldown', cooldownWords(alert)],
    ['then', disableOnce === true ? 'disabled after it has fired once' : null],
    ['re-arm margin', mapped(hysteresis || null, (margin) => `${exactGwei(margin)} gwei`)],
    ['holds for', confirmBlocks === null || confirmBlocks === 1 ? null : `${confirmBlocks} blocks in a row`],
    ['notify', targetLines(alert).join('\n')],
    ['note', mapped(note || null, (text) => paragraph(text, LONGEST_NOTE))],
    ['made', mapped(alert.createdAt, (ms) => `${timeWords(ms)} UTC`)],
  ];
}

function firingRows({ triggerCount, lastTriggeredAt, missed }: AlertView): Labelled[] {
  const last = lastTriggeredAt === null ? '' : `, last at ${timeWords(lastTriggeredAt, 'seconds')} UTC`;
  const missedLast = mapped(missed?.lastAt, (ms) => `, last at ${timeWords(ms)} UTC`) ?? '';
  return [
    ['fired', mapped(triggerCount, (count) => `${timesWords(count)}${last}`)],
    [
      'missed',
      mapped(missed, ({ count }) => `${timesWords(count)} while nothing evaluated alerts${missedLast}`),
    ],
  ];
}

/** Without a method `to` is the target of the first channel, as in the contract. */
function targetLines({ channels, method, to, targets }: AlertView): string[] {
  return channels.map((channel) => {
    const target = channel === (method ?? channels[0]) ? to : ownValue(targets, channel);
    const name = cleanLine(channel).toLowerCase();
    return target ? `${name} ${cleanLine(target)}` : name;
  });
}

function deliveryLines({ id, channel, status, createdAt, nextAttemptAt, attempts }: DeliveryView): string[] {
  const next = nextAttemptAt === null ? '' : `, tried again at ${timeWords(nextAttemptAt, 'seconds')}`;
  return [
    `  ${timeWords(createdAt, 'seconds')}  ${words(channel)}  ${words(status)}${next}  ${cleanLine(id)}`,
    ...attempts.map(({ at, ok, latencyMs, answer }) => {
      const took = latencyMs === null ? '' : ` after ${latencyText(latencyMs)}`;
      const result = ok === null ? '' : ok ? 'ok' : 'failed';
      return `    ${timeWords(at, 'seconds')}  ${result}${took}  ${cleanLine(answer ?? '')}`.trimEnd();
    }),
  ];
}

const words = (word: string | null) => mapped(word, (text) => cleanLine(text).toLowerCase()) ?? '-';

const latencyText = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1_000));

const ROWS = 20;
const COIN_WITHIN_MS = 3_000;

/** Savings do not say of which chain they are. */
async function coinOf(client: GasClient, signal: AbortSignal): Promise<string> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(COIN_WITHIN_MS)]);
  const { chainId } = await client.gasCurrent({ signal: inTime }).catch(() => ({ chainId: null }));
  return chainId === null ? 'coins' : chainProfile(chainId).nativeSymbol;
}

export function alertSavingsText(savings: AlertSavingsView, symbol: string): string {
  const amount = ({ savedWei, savedUsd }: Pick<SavingsEntryView, 'savedWei' | 'savedUsd'>): string => {
    if (savedWei === null) return '-';
    if (savedWei === 0n) return 'nothing';
    const coins = formatNative(savedWei, symbol);
    return savedUsd === null ? coins : `${coins} (${formatUsd(savedUsd)})`;
  };

  const { events, gasAmount, entries, best } = savings;
  const head = labelledLines([
    ['fired', mapped(events, timesWords)],
    ['saved', isSavingUnknown(savings) ? 'not known: the day before was not known' : amount(savings)],
    [
      'counted for',
      mapped(gasAmount, (gas) => `${formatCount(gas)} gas each time, against the mean of the day before`),
    ],
    ['best', mapped(best, (one) => `${amount(one)} at ${timeWords(one.triggeredAt)} UTC`)],
  ]);
  if (entries.length === 0) return head.join('\n');
  const table = tableLines<SavingsEntryView>(
    [
      ['fired (UTC)', 'left', ({ triggeredAt }) => timeWords(triggeredAt)],
      ['block', 'right', ({ blockNumber }) => mapped(blockNumber, formatCount) ?? '-'],
      ['gwei', 'right', ({ price }) => gwei(price)],
      ['reference', 'right', ({ referencePrice }) => gwei(referencePrice)],
      ['saved', 'right', amount],
    ],
    entries.slice(0, ROWS),
  );
  const more =
    entries.length > ROWS ? [`and ${formatCount(entries.length - ROWS)} more: --json has them`] : [];
  return [...head, '', ...table, ...more].join('\n');
}

const gwei = (wei: bigint | null) => mapped(wei, exactGwei) ?? '-';
