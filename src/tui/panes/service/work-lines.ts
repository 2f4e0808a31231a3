import type { ActionView, CostView } from '../../../client/views/dashboard.ts';
import { LANES, type LaneName } from '../../../core/advice.ts';
import { formatCount, formatUsd, UNKNOWN } from '../../../core/units.ts';
import { type CoinUnit, coinUnit } from '../../coin-unit.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../ui/table.ts';
import type { Line } from '../../ui/text.tsx';
import type { ServiceContext, ServiceView } from './service-view.ts';

const INDENT = 3;

/** What usual work costs now, lane by lane, in the coin and in dollars. */
export function workLines({ day, month, symbol }: ServiceView, context: ServiceContext): readonly Line[] {
  const { theme, width } = context;
  const actions = (day.value ?? month.value)?.actions ?? [];
  if (actions.length === 0) {
    // While figures are awaited or refused the market's own lines say so.
    if (day.value === null) return [];
    return [sectionLine('Usual work', [{ text: 'the service does not price it', faint: true }])];
  }
  const usd = actions.some(({ average }) => average !== null && average.usd !== null);
  const costs = actions.flatMap((action) => LANES.map((lane) => action[lane]?.wei ?? 0n));
  const all = workColumns(usd, coinUnit(costs, symbol));
  const widths = columnWidths(all, actions, theme);
  const columns = columnsWithin(all, widths, width - INDENT - 1);
  return [
    [{ text: ' Usual work', bold: true }, ...headingPadding(columns, widths, context)],
    ...actions.map(
      (action): Line => [{ text: ' '.repeat(INDENT) }, ...rowLine(columns, widths, theme, action)],
    ),
  ];
}

/** The headings stand in the section's own line: its name is the first of them. */
function headingPadding(
  columns: readonly TableColumn<ActionView>[],
  widths: ReadonlyMap<string, number>,
  { theme }: ServiceContext,
): Line {
  const text = headingLine(columns, widths, theme)
    .map((span) => span.text)
    .join('');
  return [{ text: text.slice(' Usual work'.length - INDENT), faint: true }];
}

function workColumns(usd: boolean, unit: CoinUnit): readonly TableColumn<ActionView>[] {
  const coin = (lane: LaneName, rank: number): TableColumn<ActionView> => ({
    id: `${lane} coin`,
    heading: usd ? unit.name : `${lane} ${unit.name}`,
    align: 'right',
    least: usd ? 10 : 11,
    rank,
    cell: (action) => coinText(action[lane], unit),
  });
  const dollars = (lane: LaneName): TableColumn<ActionView> => ({
    id: `${lane} usd`,
    heading: lane,
    align: 'right',
    least: 8,
    rank: 1,
    cell: (action) => usdText(action[lane]),
  });
  return [
    { id: 'name', heading: '', align: 'left', least: 14, rank: 0, cell: ({ name }) => name },
    { id: 'gas', heading: 'gas', align: 'right', least: 7, rank: 4, cell: ({ gas }) => formatCount(gas) },
    ...LANES.flatMap((lane) => {
      // The average lane is the one whose price in coins is looked at first.
      const rank = lane === 'average' ? 2 : 3;
      return usd ? [dollars(lane), coin(lane, rank)] : [coin(lane, 1)];
    }),
  ];
}

function coinText(cost: CostView | null, unit: CoinUnit): string {
  return cost === null ? UNKNOWN : unit.text(cost.wei);
}

function usdText(cost: CostView | null): string {
  return cost === null || cost.usd === null ? UNKNOWN : formatUsd(cost.usd);
}
