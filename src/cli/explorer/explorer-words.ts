import type { SnapshotView } from '../../client/views/gas.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatAge, formatCount, formatNative, formatUsd, usdOf } from '../../core/units.ts';
import { utcTime } from '../utc-time.ts';

/** What a block or transaction does not say about itself. */
export interface Surroundings {
  /** The service's present; `null` where it does not tell. */
  readonly snapshot: SnapshotView | null;
  /** Wall clock, ms. */
  readonly now: number;
}

const BADGES = { replay: '[REPLAY]', simulated: '[SIMULATED]', rpc: null, service: null } as const;

/** The badge and the chain's name, for the first line. */
export function whereWords(chainId: number | null, { snapshot }: Surroundings): string {
  const badge = snapshot === null ? null : BADGES[snapshot.source.kind];
  const id = chainId ?? snapshot?.chainId ?? null;
  return [badge, id === null ? null : chainProfile(id).name].filter((word) => word !== null).join('  ');
}

/** `2026-01-05 12:00:00 UTC, 4s ago`; a recording's blocks have no age by our clock. */
export function whenWords(ms: number | null, { snapshot, now }: Surroundings): string | null {
  if (ms === null) return null;
  const time = `${utcTime(ms, 'seconds')} UTC`;
  if (snapshot?.source.kind === 'replay') return time;
  return `${time}, ${formatAge(Math.max(now - ms, 0) / 1_000)}`;
}

/** `0.00124 ETH  $3.99`: dollars at the coin's present price, where it is known. */
export function coinWords(
  wei: bigint | null,
  chainId: number | null,
  { snapshot }: Surroundings,
  usd: number | null = null,
): string | null {
  if (wei === null) return null;
  const id = chainId ?? snapshot?.chainId ?? null;
  const amount = formatNative(wei, id === null ? 'coins' : chainProfile(id).nativeSymbol);
  const price = snapshot?.nativeUsd ?? null;
  const dollars = usd ?? (price === null ? null : usdOf(wei, price));
  return dollars === null ? amount : `${amount}  ${formatUsd(dollars)}`;
}

export function confirmationWords(confirmations: number | null): string | null {
  if (confirmations === null) return null;
  return confirmations === 1 ? '1 confirmation' : `${formatCount(confirmations)} confirmations`;
}
