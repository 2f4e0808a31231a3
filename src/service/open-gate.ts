import type { Gate } from './http/gate.ts';

const DAY_MS = 86_400_000;

/** For the service within one's own process: no key, no limit, but counted all the same. */
export function createOpenGate(wallNow: () => number): Gate {
  let day = 0;
  let used = 0;
  const today = () => {
    const now = Math.floor(wallNow() / DAY_MS);
    if (now !== day) used = 0;
    day = now;
    return now;
  };
  return {
    admit: async () => {
      today();
      used += 1;
      return { keyId: null };
    },
    limits: async () => {
      const resetsAt = new Date((today() + 1) * DAY_MS).toISOString();
      return {
        plan: 'embedded',
        dailyLimit: null,
        usedToday: used,
        remainingToday: null,
        resetsAt,
        perSecond: null,
      };
    },
  };
}
