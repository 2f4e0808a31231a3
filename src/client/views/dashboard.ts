export interface RateLimitsView {
  readonly plan: string | null;
  readonly dailyLimit: number | null;
  readonly usedToday: number | null;
  readonly remainingToday: number | null;
  readonly resetsAt: number | null;
  readonly perSecond: number | null;
}

export interface NodeView {
  readonly name: string;
  /** `ok`, `lagging`, `disagrees`, `down`, `wrong-chain`, or a foreign service's own word. */
  readonly state: string | null;
  readonly head: number | null;
  readonly latencyMs: number | null;
  readonly message: string | null;
}

/** The process that writes blocks and fires alerts: several may run on one database. */
export interface EngineView {
  readonly process: string | null;
  /** It is the one that answers. */
  readonly isHere: boolean | null;
  readonly since: number | null;
  readonly heartbeatAt: number | null;
}

/** The service at a glance. */
export interface DashboardView {
  readonly alerts: {
    readonly total: number | null;
    readonly pending: number | null;
    readonly disabled: number | null;
    readonly fired24h: number | null;
  };
  readonly autoTxs: { readonly total: number | null; readonly byStatus: Readonly<Record<string, number>> };
  readonly savings: {
    readonly savedWei: bigint | null;
    readonly savedUsd: number | null;
    readonly events: number | null;
  };
  readonly health: {
    readonly sourceName: string | null;
    readonly stale: boolean | null;
    readonly headAgeSec: number | null;
    readonly lagBlocks: number | null;
    /** Empty where the service does not tell of its nodes. */
    readonly nodes: readonly NodeView[];
    /** `null`: there is none, or the service does not tell. */
    readonly engine: EngineView | null;
  };
}
