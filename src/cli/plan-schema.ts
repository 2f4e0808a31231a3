import * as z from 'zod';
import { ROUTE_GROUPS } from '../contract/routes.ts';
import { ownValue } from '../core/own-value.ts';

/** `plans` of the config file, by name. */
export const PlanSettings = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/i),
  z.strictObject({
    dailyLimit: z.int().min(1).nullable(),
    perSecond: z.number().min(0.001).max(1_000_000).nullable(),
    groups: z.array(z.enum(ROUTE_GROUPS)).min(1).optional(),
  }),
);

const WANTED: Readonly<Record<string, string>> = {
  dailyLimit: 'a whole number of requests from 1, or null for no limit',
  perSecond: 'a number of requests from 0.001, or null for no limit',
  groups: `a list of ${ROUTE_GROUPS.join(', ')}`,
};

/** What should stand at `path` within `plans`. */
export function wantedOfPlans([name, setting]: readonly string[]): string {
  if (name === undefined)
    return 'plans by name, such as { "team": { "dailyLimit": 100000, "perSecond": 50 } }';
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/i.test(name)) return 'a name of at most 32 letters, digits, - and _';
  return (
    ownValue(WANTED, setting ?? '') ??
    'an object of dailyLimit, perSecond and perhaps groups, such as { "dailyLimit": 100000, "perSecond": 50 }'
  );
}
