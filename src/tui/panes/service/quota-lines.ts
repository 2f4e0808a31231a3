import { formatCount, formatDuration, formatPercent } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';
import { partLine, partTitle } from './part-line.ts';
import type { ServiceContext, ServiceView } from './service-view.ts';

const BAR_CELLS = 20;
const NEARLY_USED = 0.9;

/** What the key may still ask. */
export function quotaLines({ limits }: ServiceView, context: ServiceContext): readonly Line[] {
  const missing = partLine('limits', limits, context.now, 'not known');
  const known = limits.value;
  if (known === null) return [partTitle('Quota', missing ?? [])];
  const { plan, dailyLimit, usedToday, remainingToday, perSecond, resetsAt } = known;
  const rate = perSecond === null ? '' : `${formatCount(perSecond)} per second`;
  const named = plan === null ? '' : `plan ${plan}`;
  const used =
    usedToday ?? (dailyLimit !== null && remainingToday !== null ? dailyLimit - remainingToday : null);
  const late = missing === null ? [] : [[{ text: '   ' }, ...missing]];
  if (dailyLimit === null) {
    const asked = used === null ? '' : `${formatCount(used)} asked today`;
    return [partTitle('Quota', joined([named, 'no daily limit', asked, rate])), ...late];
  }
  const share = used === null || dailyLimit === 0 ? null : Math.min(used / dailyLimit, 1);
  const resets = resetsAt === null ? '' : `resets in ${formatDuration((resetsAt - context.now) / 1_000)}`;
  const count =
    used === null
      ? `${formatCount(dailyLimit)} a day`
      : `${formatCount(used)} of ${formatCount(dailyLimit)} today`;
  return [
    partTitle('Quota', joined([named, count, rate])),
    [{ text: '   ' }, ...(share === null ? [] : usedBar(share, context)), { text: resets }],
    ...late,
  ];
}

function joined(parts: readonly string[]): Line {
  return [{ text: parts.filter((part) => part !== '').join('  ') }];
}

function usedBar(share: number, { theme }: ServiceContext): Line {
  const full = Math.round(share * BAR_CELLS);
  const { barFull, barEmpty, warning } = theme.glyph;
  const high = share >= NEARLY_USED;
  return [
    { text: barFull.repeat(full), color: high ? 'bad' : 'accent' },
    { text: barEmpty.repeat(BAR_CELLS - full), faint: true },
    { text: ` ${formatPercent(share).padStart(5)} used${high ? ` ${warning}` : ''}  ` },
  ];
}
