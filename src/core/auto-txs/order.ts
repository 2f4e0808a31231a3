import type { LaneName } from '../advice.ts';

/** When to send an auto-tx. Wei per gas; times in ms since epoch. `Target` of `null`: where none has to be given. */
export interface AutoTxOrder<Target extends bigint | null = bigint> {
  readonly target: Target;
  /** The lane whose price is compared with the target, unless `isStrict`. */
  readonly lane: LaneName;
  /** Strict: the target is compared with the price that this transaction would pay in the next block. */
  readonly isStrict: boolean;
  readonly expiresAt: number | null;
  /** What it may cost in all, from which `target` follows; `null`: the target was given. Always strict. */
  readonly costLimit: CostLimit | null;
}

/** The most that a transaction may cost in all: dollars, or a share of the native coins that it sends. */
export type MaxCost = { readonly maxCostUsd: number } | { readonly maxShareOfValueRatio: number };

/** A limit of cost, and how its target was worked out last. */
export interface CostLimit {
  readonly maxCost: MaxCost;
  /** Gas by a node's estimate; `null`: none, so that the gas limit counts. */
  readonly gas: bigint | null;
  /** Since when the target is what it is, ms since epoch; `null`: there is none yet. */
  readonly since: number | null;
  /** Why there is no target, so that it waits; `target` is 0 then. `null`: there is one. */
  readonly reason: string | null;
}

/** The order of a new auto-tx before a user changes it. */
export const NEW_ORDER: AutoTxOrder = {
  target: 0n,
  lane: 'average',
  isStrict: false,
  expiresAt: null,
  costLimit: null,
};

/** Why there is no target before the first one is worked out. */
export const NOT_PRICED = 'it is not worked out yet';

/** What a user changes of an order; fields that are left out stay. */
export interface OrderChange {
  readonly target?: bigint | undefined;
  /** An order has this or a target. */
  readonly maxCost?: MaxCost | undefined;
  readonly lane?: LaneName | undefined;
  readonly isStrict?: boolean | undefined;
  readonly expiresAt?: number | null | undefined;
}

/**
 * The order after a change. Its target is to be worked out (`costLimit.since` of `null`) where its limit of cost, or its
 * transaction (`isSignedAnew`), is another one.
 */
export function changedOrder<Target extends bigint | null>(
  order: AutoTxOrder<Target>,
  change: OrderChange,
  isSignedAnew: boolean,
): AutoTxOrder<Target | bigint> {
  const { lane = order.lane, isStrict = order.isStrict } = change;
  const { costLimit } = order;
  const expiresAt = change.expiresAt === undefined ? order.expiresAt : change.expiresAt;
  const target: Target | bigint = change.target ?? order.target;
  const maxCost = change.target === undefined ? (change.maxCost ?? costLimit?.maxCost) : undefined;
  if (maxCost === undefined) return { target, lane, isStrict, expiresAt, costLimit: null };
  // Its own price is what it costs, whatever its lane's is.
  const strict = { lane, isStrict: true, expiresAt };
  if (costLimit !== null && !isSignedAnew && isSameCost(maxCost, costLimit.maxCost)) {
    return { ...strict, target, costLimit };
  }
  return { ...strict, target: 0n, costLimit: { maxCost, gas: null, since: null, reason: NOT_PRICED } };
}

const isSameCost = (one: MaxCost | undefined, other: MaxCost | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

/** Whether both ask for the same target. That of a limit of cost follows prices, whatever was asked for. */
export const isSameTarget = (one: AutoTxOrder, other: AutoTxOrder): boolean =>
  one.costLimit === null && other.costLimit === null
    ? one.target === other.target
    : isSameCost(one.costLimit?.maxCost, other.costLimit?.maxCost);

export const isSameOrder = (one: AutoTxOrder, other: AutoTxOrder): boolean =>
  isSameTarget(one, other) &&
  one.lane === other.lane &&
  one.isStrict === other.isStrict &&
  one.expiresAt === other.expiresAt;
