import { Box, Text } from 'ink';
import type { AlertSavingsView, AlertView, DeliveryView } from '../../../client/views/alerts.ts';
import {
  describeChannels,
  describeCondition,
  describeDistance,
  distanceToThreshold,
} from '../../../client/views/describe-alerts.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatAge, formatCount } from '../../../core/units.ts';
import { type Line, SpokenSentences } from '../../ui/text.tsx';
import { ASCII_THEME } from '../../ui/theme.ts';
import { type AlertColumnsContext, stateLine } from './alert-columns.ts';
import { alertFacts, savingsFacts } from './alert-facts.ts';
import { deliveryLines } from './delivery-lines.ts';

/** Read out at once. */
const SPOKEN_ALERTS = 10;

interface SpokenAlertsProps {
  /** From the marked one on. */
  readonly alerts: readonly AlertView[];
  readonly context: AlertColumnsContext;
  readonly notices: readonly Line[];
}

/** The list for a screen reader: a sentence for each alert, the marked one first. */
export function SpokenAlerts({ alerts, context, notices }: SpokenAlertsProps) {
  return (
    <Box flexDirection="column">
      <Text>Alerts, newest first. Enter opens the first one named here, n makes a new one.</Text>
      {notices.map((notice) => (
        <Text key={plain(notice)}>{`${plain(notice)}.`}</Text>
      ))}
      {alerts.slice(0, SPOKEN_ALERTS).map((alert) => (
        <Text key={alert.id}>{ASCII_THEME.text(spokenRow(alert, context))}</Text>
      ))}
    </Box>
  );
}

function spokenRow(alert: AlertView, context: AlertColumnsContext): string {
  const distance = distanceToThreshold(alert, context.snapshot);
  const { lastTriggeredAt, triggerCount, note } = alert;
  const fired =
    triggerCount === null || triggerCount === 0 ? 'never fired' : `fired ${formatCount(triggerCount)} times`;
  const parts = [
    describeCondition(alert),
    plain(stateLine(alert, context)),
    distance === null ? null : describeDistance(distance),
    triggerCount === null ? null : fired,
    lastTriggeredAt === null ? null : `last ${formatAge((context.present - lastTriggeredAt) / 1_000)}`,
    describeChannels(alert) === null ? null : `tells by ${describeChannels(alert)}`,
    note === null || note === '' ? null : cleanText(note),
  ];
  return `${parts.filter((part) => part !== null).join(', ')}.`;
}

interface SpokenAlertProps {
  readonly alert: AlertView;
  readonly savings: AlertSavingsView | null;
  readonly deliveries: readonly DeliveryView[] | null;
  readonly marked: number;
  readonly symbol: string;
  readonly context: AlertColumnsContext;
}

/** One alert for a screen reader. */
export function SpokenAlert({ alert, savings, deliveries, marked, symbol, context }: SpokenAlertProps) {
  const facts = [
    ...alertFacts(alert, context),
    ...(savings === null ? [] : savingsFacts(savings, symbol, context)),
  ];
  const sentences = [
    spokenRow(alert, context),
    ...facts.map(({ name, value }) => `${name}: ${plain(value)}.`),
    deliveries === null ? 'This service keeps no log of deliveries.' : `${deliveries.length} deliveries.`,
    ...(deliveries ?? [])
      .slice(marked, marked + SPOKEN_ALERTS)
      .flatMap((delivery, index) =>
        deliveryLines(delivery, false, { ...context, theme: ASCII_THEME }).map(
          (line) => `${index === 0 ? 'Marked: ' : ''}${plain(line)}.`,
        ),
      ),
  ];
  return <SpokenSentences sentences={sentences} />;
}

/** Without glyphs that only draw. */
function plain(line: Line): string {
  return ASCII_THEME.text(line.map(({ text }) => text).join(''))
    .trim()
    .replace(/^[*o>!-] /, '')
    .replace(/\s{2,}/g, ', ')
    .replace(/ [*o!] /g, ' ');
}
