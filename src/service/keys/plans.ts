import { ROUTE_GROUPS, type RouteGroup } from '../../contract/routes.ts';

/** What the keys of a plan may do. */
export interface Plan {
  readonly name: string;
  /** Requests per day (UTC); `null`: without limit. */
  readonly dailyLimit: number | null;
  /** Requests per second and key; as many at once. `null`: without limit. */
  readonly perSecond: number | null;
  /** Which routes it may use. */
  readonly groups: readonly RouteGroup[];
}

/** Plans by name. */
export type Plans = ReadonlyMap<string, Plan>;

/** A plan as it is written in settings; without `groups` it may use them all. */
export interface PlanSetting {
  readonly dailyLimit: number | null;
  readonly perSecond: number | null;
  readonly groups?: readonly RouteGroup[] | undefined;
}

/** One monitor that looks at mainnet all day asks about 30,000 times, and several at once when it starts. */
const BUILT_IN: Readonly<Record<string, PlanSetting>> = {
  free: { dailyLimit: 50_000, perSecond: 20 },
  basic: { dailyLimit: 500_000, perSecond: 100 },
  pro: { dailyLimit: 5_000_000, perSecond: 500 },
};

/** The built-in plans and one's own, which come before a built-in one of the same name. */
export function createPlans(own: Readonly<Record<string, PlanSetting>> = {}): Plans {
  const plans = Object.entries({ ...BUILT_IN, ...own }).map(
    ([name, { dailyLimit, perSecond, groups }]): [string, Plan] => [
      name,
      {
        name,
        dailyLimit,
        perSecond,
        groups: ROUTE_GROUPS.filter((group) => groups?.includes(group) ?? true),
      },
    ],
  );
  return new Map(plans);
}
