import { chainProfile } from '../../../core/chains.ts';
import { gweiString } from '../../../core/units.ts';
import type { ChartData } from './chart-data.ts';

/** `gastop-ethereum-24h-20261120T194407Z.csv`; `what` is the time frame, or another name of the content. */
export function csvName(chainId: number | null, what: string, now: number): string {
  const name = chainId === null ? 'chain' : chainProfile(chainId).name;
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  return `gastop-${slug}-${what}-${stamp}.csv`;
}

export function chartCsv(data: ChartData): string {
  const header = ['timestamp_utc', 'base_fee_gwei', 'base_fee_min_gwei', 'base_fee_max_gwei'];
  header.push(`priority_fee_${data.percentile}_gwei`, 'gas_used_ratio');
  if (data.compared) header.push(`base_fee_${data.timeFrame}_before_gwei`);
  header.push('marks');
  const marks = Map.groupBy(data.marks, ({ index }) => index);
  const rows = data.slots.flatMap((slot, index) => {
    // Steps in a hole of the history are drawn, but have no measurements.
    if (slot.base === null) return [];
    const cells = [
      new Date(slot.timestamp).toISOString(),
      gwei(slot.base),
      gwei(slot.low),
      gwei(slot.high),
      gwei(slot.tip),
      slot.gasUsedRatio === null ? '' : String(Number(slot.gasUsedRatio.toFixed(6))),
    ];
    if (data.compared) cells.push(gwei(slot.previous));
    cells.push(csvText((marks.get(index) ?? []).map(({ kind }) => kind).join(' ')));
    return [cells.join(',')];
  });
  return `${[header.join(','), ...rows].join('\n')}\n`;
}

export function heatmapCsv(heatmap: readonly (readonly (number | null)[])[]): string {
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
  const rows = heatmap.flatMap((hours, day) =>
    hours.map((value, hour) => `${days[day] ?? day},${hour},${gwei(value)}`),
  );
  return `${['weekday_utc,hour_utc,mean_base_fee_gwei', ...rows].join('\n')}\n`;
}

function gwei(wei: number | null): string {
  return wei === null ? '' : gweiString(BigInt(Math.round(wei)));
}

/** A service's text may contain commas, or begin like a spreadsheet formula. */
function csvText(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const SAVE_ERRORS = new Map<unknown, string>([
  ...['EACCES', 'EPERM', 'EROFS'].map(
    (code) => [code, 'the current folder is read-only; start gastop in one you can write to'] as const,
  ),
  ...['ENOSPC', 'EDQUOT'].map((code) => [code, 'the disk is full'] as const),
  ['ENOENT', 'the current folder is gone; start gastop in another'],
]);

export function saveErrorText(error: unknown): string {
  if (!(error instanceof Error)) return `Not saved: ${error}`;
  return `Not saved: ${SAVE_ERRORS.get('code' in error && error.code) ?? error.message}`.replaceAll(
    '\n',
    ' ',
  );
}
