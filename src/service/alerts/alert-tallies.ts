import { SAVINGS_GAS_DEFAULT } from '../../contract/choices.ts';
import type { AlertStore } from '../../store/alerts.ts';
import { savedBy } from '../responses/alerts.ts';
import { NOTHING_YET, type Tallies } from '../responses/summary.ts';

const DAY_MS = 86_400_000;

/** What the alerts of an owner come to. `now`: ms since epoch, by the clock that blocks have. */
export function alertTallies(alerts: AlertStore, now: () => number): Tallies {
  return {
    ...NOTHING_YET,
    alerts: async (owner) => ({
      ...(await alerts.counts(owner)),
      fired24h: await alerts.countFirings(owner, now() - DAY_MS),
    }),
    savings: async (owner) => {
      const sum = await alerts.sumFirings({ owner });
      return { ...savedBy(sum, SAVINGS_GAS_DEFAULT), events: sum.firings };
    },
  };
}
