import { Box } from 'ink';
import type { ReactNode } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { hexText } from '../../../core/text.ts';
import { formatCount, formatPercent } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { remedyFor } from '../../app/connection.ts';
import type { Dated, Polled } from '../../data/queries.ts';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import type { Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import { clockText, dayText, localDate, type OffsetAt, zoneText } from '../../ui/time.ts';
import type { PlaceName } from './explorer-state.ts';

interface ExplorerProblem {
  readonly title: string;
  readonly reason: string;
  /** What to try. */
  readonly hint: string;
}

/** Why what was opened cannot be shown, and what to try. `noTransactions`: why there are none here at all. */
export function explorerProblem(
  place: PlaceName,
  error: Error,
  noTransactions: string | null,
): ExplorerProblem {
  if (place.kind === 'tx' && noTransactions !== null) {
    return {
      title: 'No transactions here',
      reason: noTransactions,
      hint: '/ looks up a block, Esc goes back',
    };
  }
  const what = place.kind === 'block' ? `block ${formatCount(place.number)}` : 'this transaction';
  if (!(error instanceof ClientError) || error.code !== 'not-found') {
    return {
      title: `No answer for ${what}`,
      reason: error.message,
      hint: remedyFor(error) ?? 'r asks again now, / looks up another, Esc goes back',
    };
  }
  const said = wordsOf(error);
  if (place.kind === 'block') {
    return {
      title: `No ${what}`,
      reason: said ?? 'the service has no such block, or gives no blocks at all',
      hint: '/ looks up another, Esc goes back',
    };
  }
  return {
    title: `No transaction ${hexText(place.hash, 21, '…')}`,
    reason: said ?? 'the service knows no such transaction: check the hash and the chain',
    hint: 'looked for again with every block; / looks up another, Esc goes back',
  };
}

/** What the service itself says; our own words before it would only repeat the path. */
function wordsOf({ message, endpoint }: ClientError): string | null {
  const at = message.indexOf(`${endpoint}: `);
  return at < 0 ? null : message.slice(at + endpoint.length + 2);
}

interface PlaceFrameProps {
  readonly polled: Polled<Dated<unknown>>;
  readonly what: string;
  readonly problem: (error: Error) => ExplorerProblem;
  readonly columns: number;
  readonly rows: number;
  readonly children: (notice: Line | null) => ReactNode;
}

/** What is open: loading, not to be had with what to try, or its data. */
export function PlaceFrame({ polled, what, problem, columns, rows, children }: PlaceFrameProps) {
  const now = useNow();
  const { data, error, retryAt } = polled;
  if (data === undefined && error !== null) {
    return (
      <Box width={columns} height={rows} overflow="hidden">
        <PaneState
          kind="error"
          {...problem(error)}
          retryInSec={retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0)}
        />
      </Box>
    );
  }
  return (
    <PolledFrame polled={polled} what={what} pending={false} width={columns} height={rows}>
      {children}
    </PolledFrame>
  );
}

/** A title that says how many lines lie below the screen, before what may be left out of it. */
export function withHidden(title: readonly Line[], below: number): readonly Line[] {
  if (below <= 0) return title;
  return [...title.slice(0, 2), [{ text: `${below} more (j)`, faint: true }], ...title.slice(2)];
}

/** What ages are counted from, ms: a recording has a present of its own, and a chain's clock may be ahead of ours. */
export function presentOf({ source, blockTimestamp }: SnapshotView, now: number): number {
  if (blockTimestamp === null) return now;
  return source.kind === 'replay' ? blockTimestamp : Math.max(now, blockTimestamp);
}

/** Why no transactions can be seen here; `null`: they can. */
export function noTransactions({ source }: SnapshotView): string | null {
  return source.kind === 'replay' ? 'a recording holds no transactions; its blocks can be looked up' : null;
}

/** `14 Nov 22:26:56 UTC`, with its year where that is not the present one. */
export function momentText(at: number, present: number, offsetAt: OffsetAt): string {
  const year = localDate(at, offsetAt).getUTCFullYear();
  const same = year === localDate(present, offsetAt).getUTCFullYear();
  return `${dayText(at, offsetAt)}${same ? '' : ` ${year}`} ${clockText(at, offsetAt, true)} ${zoneText(offsetAt(at))}`;
}

/** Above this a block drives the base fee up by more than a tenth (EIP-1559, elasticity 2). */
const NEARLY_FULL = 0.9;

/** How full a block is, as a bar of `cells` and in percent. */
export function fullnessLine(ratio: number, cells: number, { glyph }: Theme): Line {
  const full = Math.min(Math.max(Math.round(ratio * cells), 0), cells);
  return [
    { text: glyph.barFull.repeat(full), color: ratio > NEARLY_FULL ? 'warn' : 'accent' },
    { text: glyph.barEmpty.repeat(cells - full), faint: true },
    { text: ` ${formatPercent(ratio).padStart(5)}` },
  ];
}
