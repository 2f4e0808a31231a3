import {
  type AutoTxContent,
  type AutoTxState,
  type AutoTxView,
  autoTxState,
  chanceOf,
  describeContent,
  describeState,
  distanceToTarget,
  isOver,
  needsAttention,
  obstacleOf,
  statusOf,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { cleanText, shortHex } from '../../../core/text.ts';
import { type DescribedCall, describeCall } from '../../../core/transactions/describe-call.ts';
import { formatDuration, formatGwei, formatLikelihood, shortGwei, UNKNOWN } from '../../../core/units.ts';
import type { PaneContext } from '../../ui/pane-context.tsx';
import { known, leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import { colored, faint, type Line } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { distanceCell, noteCell } from '../alerts/alert-facts.ts';

const LEAST_CALL = 20;
/** `0.01 ETH to 0x7099…79C8`: the minimum width that shows it whole. */
const WHOLE_CALL = 23;
const WHOLE_FROM = 80;
const MOST_CALL = 44;
const LEAST_NOTE = 12;
/** From this width on a note replaces the sender, and there is room for price and time. */
const NOTES_FROM = 100;

export function autoTxColumns(
  context: PaneContext,
  rows: readonly AutoTxView[] = [],
): readonly TableColumn<AutoTxView>[] {
  const { width, present, snapshot } = context;
  const nowText = (autoTx: AutoTxView) =>
    known(isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null, ({ price }) => formatGwei(price));
  // On wider screens a column has the nonce.
  const called = Map.groupBy(width < NOTES_FROM ? rows : [], contentOf);
  const isTwice = [...called.values()].some(({ length }) => length > 1);
  return [
    leftColumn('state', 11, 0, (autoTx) => stateLine(autoTx)),
    leftColumn(
      isTwice ? '#nonce, what it does' : 'what it does',
      width < WHOLE_FROM ? LEAST_CALL : isTwice ? WHOLE_CALL + 3 : WHOLE_CALL,
      0,
      (autoTx) => {
        const text = contentOf(autoTx);
        // The nonce distinguishes two with the same text.
        const nonce = (called.get(text)?.length ?? 0) > 1 && autoTx.nonce !== null ? `#${autoTx.nonce} ` : '';
        return [{ text: `${nonce}${text}`, bold: !isOver(autoTx) }];
      },
      { most: MOST_CALL },
    ),
    rightColumn('target', 7, 0, ({ target }) => known(target, shortGwei)),
    ...(width < NOTES_FROM ? [] : [rightColumn('now', 7, 4, nowText)]),
    rightColumn('to go', 9, 1, (autoTx) => progressLine(autoTx, context)),
    rightColumn('chance', 6, 2, (autoTx) => chanceText(autoTx) ?? UNKNOWN),
    rightColumn('expires', 8, 2, (autoTx) => expiryText(autoTx, present)),
    ...(width < NOTES_FROM
      ? []
      : [rightColumn('since', 7, 3, (autoTx: AutoTxView) => sinceText(autoTx, present))]),
    leftColumn('nonce/from', 10, 6, ({ nonce, from }) => {
      if (nonce === null && from === null) return UNKNOWN;
      return `${nonce === null ? UNKNOWN : `#${nonce}`} ${from === null ? '' : shortHex(from, '…')}`.trimEnd();
    }),
    leftColumn(
      'note',
      LEAST_NOTE,
      width >= NOTES_FROM ? 5 : 9,
      ({ note }) => (note ? [faint(noteCell(note, width))] : ''),
      { most: Number.POSITIVE_INFINITY },
    ),
  ];
}

export const isUnsent = (autoTx: AutoTxView) => !isOver(autoTx) && statusOf(autoTx) !== 'SUBMITTED';
const contentOf = (autoTx: AutoTxView) => describeContent(autoTx, calledBy(autoTx));

const CALLED = new WeakMap<AutoTxContent, DescribedCall | null>();

export function calledBy(content: AutoTxContent): DescribedCall | null {
  // Rows are drawn at every key, and stay the same objects while unchanged.
  const known = CALLED.get(content);
  if (known !== undefined) return known;
  const { data, to } = content;
  const called = data === null || data === '0x' || to === null ? null : describeCall(data, to);
  CALLED.set(content, called);
  return called;
}

const LOOKS: Readonly<Record<AutoTxState, readonly [glyph: string, color?: ColorName]>> = {
  submitted: ['→', 'accent'],
  mined: ['→', 'accent'],
  held: ['!', 'warn'],
  pending: ['◌', 'accent'],
  disabled: ['—'],
  draft: ['•'],
  executed: ['●', 'good'],
  cancelled: ['—'],
  expired: ['—'],
  failed: ['!', 'bad'],
  other: ['•'],
};

/** `◌ waiting`, `● executed` */
export function stateLine(autoTx: AutoTxView): Line {
  const [glyph, color] = LOOKS[needsAttention(autoTx) ? 'held' : autoTxState(autoTx)];
  const isFaint = isOver(autoTx) && statusOf(autoTx) !== 'FAILED';
  return [colored(`${glyph} `, color), { text: describeState(autoTx), faint: isFaint }];
}

function progressLine(autoTx: AutoTxView, { snapshot }: PaneContext): string | Line {
  const status = statusOf(autoTx);
  if (status === 'SUBMITTED') return confirmationsText(autoTx) ?? 'not mined';
  if (status === 'EXECUTED') return known(autoTx.effectiveGasPrice, (wei) => `paid ${formatGwei(wei)}`);
  if (isOver(autoTx)) return UNKNOWN;
  const obstacle = obstacleOf(autoTx.checks);
  if (obstacle?.result === 'block') return [colored('never', 'bad')];
  const distance = distanceToTarget(autoTx, snapshot);
  if (distance?.isThere && distance.isCapped) return [colored('cap low', 'warn')];
  if (distance?.isThere && obstacle !== null) return [colored(cleanText(obstacle.name, 9), 'warn')];
  return known(distance, distanceCell);
}

/** `3/12 conf`; `null` until it is mined. */
function confirmationsText({ blockNumber, confirmations, confirmationsNeeded }: AutoTxView): string | null {
  if (confirmations === null) return blockNumber === null ? null : 'mined';
  if (blockNumber === null && confirmations === 0) return null;
  return `${confirmations}${confirmationsNeeded === null ? '' : `/${confirmationsNeeded}`} conf`;
}

function chanceText(autoTx: AutoTxView): string | null {
  const chance = chanceOf(autoTx);
  if (chance === null || !isUnsent(autoTx)) return null;
  return formatLikelihood(chance).replace('over ', '>').replace('under ', '<');
}

function expiryText(autoTx: AutoTxView, present: number): string {
  const { expiresAt } = autoTx;
  if (!isUnsent(autoTx)) return UNKNOWN;
  if (expiresAt === null) return 'never';
  return expiresAt <= present ? 'now' : `in ${inMinutes(expiresAt - present)}`;
}

function sinceText(autoTx: AutoTxView, present: number): string {
  const isSubmitted = statusOf(autoTx) === 'SUBMITTED';
  const at = isSubmitted ? autoTx.submittedAt : isOver(autoTx) ? endOf(autoTx) : null;
  return at === null ? UNKNOWN : `${oneUnit(Math.max(present - at, 0))} ago`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const;

function oneUnit(ms: number): string {
  const sec = Math.floor(ms / 1_000);
  const [length, unit] = UNITS.find(([least]) => sec >= least) ?? [1, 's'];
  return `${Math.floor(sec / length)}${unit}`;
}

function inMinutes(ms: number): string {
  const sec = ms / 1_000;
  return formatDuration(sec < 60 ? Math.floor(sec) : Math.floor(sec / 60) * 60);
}

/** Failed, on their way, waiting (also in a status of the service's own), and what waits for the user; then the rest. */
const RANKED: readonly (string | null)[] = ['FAILED', 'SUBMITTED', 'PENDING', null, 'DISABLED', 'DRAFT'];

/** The auto-txs with what needs attention first: failed, submitted (oldest first), waiting (nearest first) and so on. */
export function ordered(autoTxs: readonly AutoTxView[], snapshot: SnapshotView): readonly AutoTxView[] {
  const placed = autoTxs.map((autoTx) => {
    const status = statusOf(autoTx);
    const rank = RANKED.indexOf(status);
    return { autoTx, rank: rank < 0 ? RANKED.length : rank, value: orderIn(autoTx, status, snapshot) };
  });
  placed.sort((one, other) => one.rank - other.rank || one.value - other.value);
  return placed.map(({ autoTx }) => autoTx);
}

function orderIn(autoTx: AutoTxView, status: string | null, snapshot: SnapshotView): number {
  if (status === 'SUBMITTED') return autoTx.submittedAt ?? autoTx.createdAt ?? 0;
  if (status === 'PENDING') return -(distanceToTarget(autoTx, snapshot)?.ratio ?? -Number.MAX_VALUE);
  return -((isOver(autoTx) ? endOf(autoTx) : autoTx.createdAt) ?? 0);
}

export function endOf({ executedAt, updatedAt }: AutoTxView): number | null {
  return executedAt ?? updatedAt;
}
