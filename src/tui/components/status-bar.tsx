import { Text } from 'ink';
import type { SnapshotView } from '../../client/views.ts';
import { formatAge, formatCount } from '../../core/units.ts';
import type { Health } from '../health.ts';
import { useNow } from '../hooks/use-now.ts';
import { type ColorName, type GlyphName, useTheme } from '../theme.ts';
import { truncate } from './fit.ts';
import { SpreadLine } from './spread-line.tsx';

export type Badge = 'REPLAY' | 'SIMULATED';

interface StatusBarProps {
  readonly width: number;
  readonly chainName: string | null;
  readonly snapshot: SnapshotView | undefined;
  readonly health: Health;
  readonly badge: Badge | null;
}

const STATES: Readonly<
  Record<Health['kind'], { readonly glyph: GlyphName; readonly word: string; readonly color: ColorName }>
> = {
  connecting: { glyph: 'stale', word: 'connecting', color: 'warn' },
  live: { glyph: 'live', word: 'live', color: 'good' },
  frozen: { glyph: 'stale', word: 'FROZEN', color: 'warn' },
  stale: { glyph: 'stale', word: 'stale', color: 'warn' },
  reconnecting: { glyph: 'stale', word: 'reconnecting', color: 'bad' },
  refused: { glyph: 'stale', word: 'refused', color: 'bad' },
};

/** The first line of every screen: whose gas, which block, how old, from where, and whether it can be trusted. */
export function StatusBar({ width, chainName, snapshot, health, badge }: StatusBarProps) {
  const theme = useTheme();
  const state = STATES[health.kind];
  const source = snapshot?.source.name ?? '';
  const room = Math.max(Math.floor(width * 0.4) - state.word.length - 6, 0);
  return (
    <SpreadLine
      width={width}
      left={
        <>
          <Text bold> gastop </Text>
          <BadgeText badge={badge} />
          {chainName === null ? '' : `  ${theme.text(chainName)}`}
          {snapshot?.blockNumber == null ? '' : `  #${formatCount(snapshot.blockNumber)}`}
          <Age snapshot={snapshot} />
        </>
      }
      right={
        <>
          <Text color={theme.color(state.color)}>{`${theme.glyph[state.glyph]} ${state.word}`}</Text>
          {source === '' || room < 6
            ? ''
            : `  ${truncate(theme.text(source), room, theme.glyph.ellipsis)}`}{' '}
        </>
      }
    />
  );
}

/** Loud on every screen: these are not the prices of now. The word says it where there are no colours. */
export function BadgeText({ badge }: { readonly badge: Badge | null }) {
  const theme = useTheme();
  if (badge === null) return null;
  return <Text bold inverse color={theme.color('warn')}>{` ${badge} `}</Text>;
}

function Age({ snapshot }: { readonly snapshot: SnapshotView | undefined }) {
  const now = useNow();
  const at = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? null;
  if (at === null) return null;
  // A replay's blocks are as old as they are: its age would only confuse.
  if (snapshot?.source.kind === 'replay') return <Text dimColor>{`  ${utcTime(at)}`}</Text>;
  return <Text dimColor>{`  ${formatAge((now - at) / 1_000)}`}</Text>;
}

function utcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
