import {
  describeAdvice,
  type HorizonView,
  keptWords,
  type RecommendationView,
  type SnapshotView,
} from '../../../client/views/gas.ts';
import { formatDuration, formatGwei, formatLikelihood, formatPercent } from '../../../core/units.ts';
import { known, leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.ts';
import { bold, colored, faint, type Line, plain, wrapText } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { dayText } from '../../ui/time.ts';

const ACTION_COLORS = new Map<string | null, ColorName>([
  ['SEND_NOW', 'good'],
  ['WAIT', 'warn'],
  ['SET_ALERT', 'accent'],
]);
/** The table below also shows the mean saving. */
const LEAST_SAVING = 0.005;

export function adviceParts(
  advice: RecommendationView,
  snapshot: SnapshotView,
  isNarrow: boolean,
  age: string | null,
): readonly Line[] {
  if (age !== null) return [[colored(`advice of ${age}, no longer valid`, 'warn')]];
  const { probability, expectedSavingRatio: saving, track } = advice;
  const { action, target } = describeAdvice(advice, snapshot);
  const todo: Line = [
    bold(action, ACTION_COLORS.get(advice.action)),
    plain(target === '' ? '' : ` ${target}`),
  ];
  if (advice.action === null) return [todo];
  const kept = track === null ? null : keptWords(track);
  const since = isNarrow || track?.since == null ? '' : ` since ${dayText(track.since)}`;
  // The stated probability of past advice: a record far below it shows how far to trust it.
  const stated = kept === null ? null : (track?.statedProbability ?? null);
  const likely: Line =
    probability === null ? [faint('not yet measured')] : [plain(`${formatLikelihood(probability)} likely`)];
  const saves = `saves ${formatPercent(saving ?? 0)}${isNarrow ? '' : ' on average'}`;
  return [
    todo,
    likely,
    ...(saving === null || saving < LEAST_SAVING ? [] : [[plain(saves)]]),
    ...(kept === null ? [] : [[faint(`${kept}${since}`)]]),
    ...(stated === null ? [] : [[faint(`stated ${formatPercent(stated)}`)]]),
  ];
}

/** As many reasons as fit, wrapped at blanks; the rest is shown after `⏎`. */
export function reasonLines(reasons: readonly string[], width: number, most: number, faint = true) {
  const lines: Line[] = [];
  for (const reason of reasons) {
    if (lines.length >= most) break;
    const wrapped = wrapText(reason, width - 4, most - lines.length);
    lines.push(...wrapped.map((text, at): Line => [{ text: ` ${at === 0 ? '•' : ' '} ${text}`, faint }]));
  }
  return lines;
}

export function knownWaits(horizons: readonly HorizonView[]): readonly HorizonView[] {
  return horizons.filter(({ probability }) => probability !== null);
}

export function unknownWaits(horizons: readonly HorizonView[]): readonly string[] {
  const unknown = horizons.filter(({ probability }) => probability === null);
  const [first, last] = [unknown.at(0), unknown.at(-1)];
  if (first === undefined || last === undefined) return [];
  const times = [...new Set([first, last])].map(({ horizonSec }) => formatDuration(horizonSec));
  return [`waits of ${times.join(' to ')} – ${first.reason ?? 'not measured yet'}`];
}

export function waitWords({ horizonSec, price, savingRatio, probability, reason }: HorizonView): string {
  const words = [
    known(price, (wei) => `${formatGwei(wei)} gwei`),
    ...(savingRatio === null ? [] : [`saves ${formatPercent(savingRatio)}`]),
    ...(probability === null ? [] : [`${formatLikelihood(probability)} likely`]),
  ];
  const worth = probability === null ? (reason ?? 'not known') : words.join(', ');
  return `If you wait up to ${formatDuration(horizonSec)}: ${worth}`;
}

interface WaitFigure {
  readonly name: string;
  readonly of: (horizon: HorizonView) => string;
}

const WAIT_FIGURES: readonly WaitFigure[] = [
  { name: 'price', of: ({ price }) => known(price, formatGwei) },
  { name: 'mean saving', of: ({ savingRatio }) => known(savingRatio, (ratio) => formatPercent(ratio)) },
  { name: 'likely', of: ({ probability }) => known(probability, formatLikelihood) },
];

const NARROW = 70;

export function useWaitTable(waits: readonly HorizonView[], advisedSec: number | null, width: number) {
  const heading = width < NARROW ? 'wait up to' : 'if you wait up to';
  const columns: readonly TableColumn<WaitFigure>[] = [
    leftColumn(heading, 11, 0, ({ name }) => [faint(name)]),
    ...waits.map((wait, place) => {
      const bold = wait.horizonSec === advisedSec;
      const cell = ({ of }: WaitFigure): Line => [{ text: of(wait), bold }];
      return rightColumn(formatDuration(wait.horizonSec), 7, bold ? 0 : place + 1, cell);
    }),
  ];
  const table = useTable({ columns, rows: WAIT_FIGURES, width, margin: 1 });
  return waits.length === 0 ? [] : [table.heading, ...table.lines];
}
