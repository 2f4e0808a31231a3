import { Text } from 'ink';
import type { SnapshotView } from '../../client/views/gas.ts';
import { formatAge, formatCount, utcMinute } from '../../core/units.ts';
import { useNow } from '../app/clock.ts';
import type { Health } from '../app/connection.ts';
import { useRoom } from '../ui/pane-context.tsx';
import { displayWidth, SpreadLine, truncate } from '../ui/text.tsx';
import { COLORS, type ColorName, forTerminal } from '../ui/theme.ts';

export type Badge = 'REPLAY' | 'SIMULATED';

interface StatusBarProps {
  readonly chainName: string | null;
  readonly snapshot: SnapshotView | undefined;
  readonly health: Health;
  readonly badge: Badge | null;
}

const STATES: Readonly<Record<Health['kind'], readonly [word: string, color: ColorName]>> = {
  connecting: ['◌ connecting', 'warn'],
  none: ['◌ no source', 'bad'],
  live: ['● live', 'good'],
  unsaved: ['● live, unsaved', 'warn'],
  ended: ['◌ ended', 'accent'],
  frozen: ['◌ FROZEN', 'warn'],
  'catching-up': ['◌ catching up', 'warn'],
  stale: ['◌ stale', 'warn'],
  reconnecting: ['◌ reconnecting', 'bad'],
  limited: ['◌ limited', 'warn'],
  refused: ['◌ refused', 'bad'],
};

const RUNNING: Readonly<Record<Badge, string>> = { REPLAY: 'playing', SIMULATED: 'running' };

export function StatusBar({ chainName, snapshot, health, badge }: StatusBarProps) {
  const now = useNow();
  const [named, color] = STATES[health.kind];
  // Recorded and simulated data are never called live.
  const word = ` ${badge === null ? named : named.replace('live', RUNNING[badge])} `;
  // The badge already names a simulated chain.
  const chain = chainName === null || chainName.toUpperCase() === badge ? '' : `  ${chainName}`;
  const block = snapshot?.blockNumber == null ? '' : `  #${formatCount(snapshot.blockNumber)}`;
  const age = ageText(snapshot, now);
  const fixed = ` gastop ${badge === null ? '' : ` ${badge} `}${chain}${block}${age}${word}`;
  const room = useRoom().columns - displayWidth(fixed) - 2;
  // The source's name is shortened first: it changes least.
  const source = room < LEAST_SOURCE ? '' : truncate(snapshot?.source.name ?? '', room);
  return (
    <SpreadLine
      left={
        <>
          <Text bold> gastop </Text>
          <BadgeText badge={badge} />
          {forTerminal(room < -2 ? block : chain + block)}
          <Text dimColor>{age}</Text>
        </>
      }
      right={
        <>
          <Text color={COLORS[color]}>{forTerminal(word)}</Text>
          {source === '' ? '' : forTerminal(` ${source} `)}
        </>
      }
    />
  );
}

const LEAST_SOURCE = 6;

/** Marks prices that are not current, on every screen; its text says so without colours. */
export function BadgeText({ badge }: { readonly badge: Badge | null }) {
  if (badge === null) return null;
  return <Text bold inverse color={COLORS.warn}>{` ${badge} `}</Text>;
}

function ageText(snapshot: SnapshotView | undefined, now: number): string {
  const at = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? null;
  if (at === null) return '';
  // For a recorded block its time matters, not its age.
  return snapshot?.source.kind === 'replay' ? `  ${utcMinute(at)}` : `  ${formatAge((now - at) / 1_000)}`;
}
