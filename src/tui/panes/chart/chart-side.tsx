import { Box } from 'ink';
import { formatChange, formatGwei, formatPercent, UNKNOWN } from '../../../core/units.ts';
import { displayWidth, Words } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import type { OffsetAt } from '../../ui/time.ts';
import type { ChartData } from './chart-data.ts';
import { markLook } from './chart-marks.ts';
import { quantile, summarise, summariseBase } from './chart-summary.ts';
import { moment } from './chart-words.ts';

interface ChartSideProps {
  readonly data: ChartData;
  readonly width: number;
  readonly height: number;
  readonly offsetAt: OffsetAt;
}

/** Figures of the window beside a wide chart: base fee and tips in columns, gas used, the latest marks. */
export function ChartSide({ data, width, height, offsetAt }: ChartSideProps) {
  const theme = useTheme();
  const inner = width - 3;
  const rows = figureRows(data);
  const room = Math.max(height - rows.length - 4, 0);
  const marks = data.marks.slice(Math.max(data.marks.length - room, 0)).toReversed();
  return (
    <Box
      flexDirection="column"
      width={width}
      height={height}
      paddingLeft={2}
      paddingRight={1}
      overflow="hidden"
    >
      <Words faint>{theme.text(columns(['', 'base', `tip ${data.percentile}`], inner))}</Words>
      {rows.map(([name, base, tip]) => (
        <Words key={name}>{theme.text(columns([name, base, tip], inner))}</Words>
      ))}
      {marks.length > 0 && (
        <Box flexDirection="column" marginTop={1}>
          <Words faint>marked, newest first</Words>
          {marks.map((mark, place) => {
            const look = markLook(mark.kind, theme.ascii);
            const when = moment(mark.timestamp, data, offsetAt);
            const value = mark.value === null ? '' : formatGwei(mark.value);
            const left = `${look.glyph} ${when} ${look.name}`;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two marks may be alike
              <Words key={place} color={look.color}>
                {left + value.padStart(Math.max(inner - displayWidth(left), value.length + 1))}
              </Words>
            );
          })}
        </Box>
      )}
    </Box>
  );
}

function figureRows(data: ChartData): readonly (readonly [string, string, string])[] {
  const base = data.slots.map((slot) => slot.base);
  const tip = data.slots.map((slot) => slot.tip);
  const [of, tips] = [summariseBase(data), summarise(tip)];
  const gas = summarise(data.slots.map(({ gasUsedRatio }) => gasUsedRatio));
  const gwei = (value: number | null | undefined) => (value == null ? UNKNOWN : formatGwei(value));
  const change = (value: number | null | undefined) => (value == null ? UNKNOWN : formatChange(value));
  const spread = (at: number): [string, string] => [gwei(quantile(base, at)), gwei(quantile(tip, at))];
  return [
    ['now', gwei(of?.now), gwei(tips?.now)],
    ['change', change(of?.changeRatio), change(tips?.changeRatio)],
    ['max', gwei(of?.max), gwei(tips?.max)],
    ['p90', ...spread(0.9)],
    ['mean', gwei(of?.mean), gwei(tips?.mean)],
    ['median', ...spread(0.5)],
    ['p10', ...spread(0.1)],
    ['min', gwei(of?.min), gwei(tips?.min)],
    ['gas used', gas === null ? UNKNOWN : formatPercent(gas.mean), ''],
  ];
}

function columns([name, base, tip]: readonly [string, string, string], width: number): string {
  const each = Math.floor((width - 8) / 2);
  return name.padEnd(8) + ` ${base}`.padStart(each) + ` ${tip}`.padStart(each);
}
