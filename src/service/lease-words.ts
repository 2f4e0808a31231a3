import type { Lease, LeaseState } from './lease.ts';

/** Who has alerts fire on the database, for a log. */
export function leaseWords(state: LeaseState, { held }: Lease): string {
  if (state === 'holds') return 'alerts on this database fire here now';
  const who = held?.process ?? 'nobody';
  return `alerts on this database fire elsewhere (${who}); this process stands by`;
}
