import { Text } from 'ink';
import { memo } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { formatAge, formatCount, utcMinute } from '../../core/units.ts';
import { useTicking } from '../app/clock.ts';
import type { Health } from '../app/connection.ts';
import { displayWidth, SpreadLine, truncate } from '../ui/text.tsx';
import { type ColorName, type GlyphName, useTheme } from '../ui/theme.ts';

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
  none: { glyph: 'stale', word: 'no source', color: 'bad' },
  live: { glyph: 'live', word: 'live', color: 'good' },
  unsaved: { glyph: 'live', word: 'live, unsaved', color: 'warn' },
  ended: { glyph: 'stale', word: 'ended', color: 'accent' },
  frozen: { glyph: 'stale', word: 'FROZEN', color: 'warn' },
  'catching-up': { glyph: 'stale', word: 'catching up', color: 'warn' },
  stale: { glyph: 'stale', word: 'stale', color: 'warn' },
  reconnecting: { glyph: 'stale', word: 'reconnecting', color: 'bad' },
  limited: { glyph: 'stale', word: 'limited', color: 'warn' },
  refused: { glyph: 'stale', word: 'refused', color: 'bad' },
};

const RUNNING: Readonly<Record<Badge, string>> = { REPLAY: 'playing', SIMULATED: 'running' };

/** The first line of every screen: chain, block, age, source, and how far it can be trusted. */
export const StatusBar = memo(function StatusBar(props: StatusBarProps) {
  const { width, chainName, snapshot, health, badge } = props;
  const theme = useTheme();
  const state = STATES[health.kind];
  // Recorded and simulated data are never called live.
  const word = badge === null ? state.word : state.word.replace('live', RUNNING[badge]);
  // The badge already names a simulated chain.
  const isNamed = chainName !== null && chainName.toUpperCase() !== badge;
  const chain = isNamed ? `  ${theme.text(chainName)}` : '';
  const block = snapshot?.blockNumber == null ? '' : `  #${formatCount(snapshot.blockNumber)}`;
  const age = useTicking((now) => ageText(snapshot, now));
  const beside = displayWidth(` gastop ${badge === null ? '' : ` ${badge} `}`) + displayWidth(word) + 4;
  // On narrow screens the chain's name is dropped first, then the block number.
  const abouts = [`${chain}${block}`, block, ''];
  const about = abouts.find((text) => displayWidth(`${text}${age}`) <= width - beside) ?? '';
  // The source's name is shortened first: it changes least.
  const room = width - beside - displayWidth(`${about}${age}`) - 3;
  const source = theme.text(snapshot?.source.name ?? '');
  const named = source !== '' && room >= 6 ? `  ${truncate(source, room, theme.glyph.ellipsis)}` : '';
  return (
    <SpreadLine
      width={width}
      left={
        <>
          <Text bold> gastop </Text>
          <BadgeText badge={badge} />
          {about}
          <Text dimColor>{age}</Text>
        </>
      }
      right={
        <>
          <Text color={theme.color(state.color)}>{` ${theme.glyph[state.glyph]} ${word}`}</Text>
          {`${named} `}
        </>
      }
    />
  );
});

/** Marks prices that are not current, on every screen; its text says so without colours. */
export function BadgeText({ badge }: { readonly badge: Badge | null }) {
  const theme = useTheme();
  if (badge === null) return null;
  return <Text bold inverse color={theme.color('warn')}>{` ${badge} `}</Text>;
}

function ageText(snapshot: SnapshotView | undefined, now: number): string {
  const at = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? null;
  if (at === null) return '';
  // For a recorded block its time matters, not its age.
  return snapshot?.source.kind === 'replay' ? `  ${utcMinute(at)}` : `  ${formatAge((now - at) / 1_000)}`;
}
