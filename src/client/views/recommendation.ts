export interface HorizonView {
  readonly horizonSec: number;
  readonly price: bigint;
  readonly probability: number | null;
  readonly savingRatio: number | null;
}

/** How likely a price is reached within a time. */
export interface ReachView {
  readonly targetPrice: bigint | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  /** Why there is no probability. */
  readonly reason: string | null;
}

/** How advice of one kind has held. */
export interface WaitTrackView {
  readonly evaluated: number;
  readonly hitRatio: number | null;
  readonly statedProbability: number | null;
  /** When the oldest of them was given. */
  readonly since: number | null;
  readonly versions: readonly number[];
}

export interface RecommendationView {
  /** `SEND_NOW`, `WAIT`, `SET_ALERT`, or the service's own word. */
  readonly action: string;
  readonly lane: string | null;
  readonly targetPrice: bigint | null;
  readonly expectedWaitSec: number | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  readonly expectedSavingRatio: number | null;
  readonly confidence: number | null;
  readonly reasons: readonly string[];
  readonly alternatives: readonly HorizonView[];
  readonly track: {
    readonly evaluated: number;
    readonly hitRatio: number | null;
    readonly statedProbability: number | null;
    /** `said`: given by the service; `walked`: what its method would have said; or the service's own word. */
    readonly from: string | null;
    /** When the oldest of them was given. */
    readonly since: number | null;
    /** Versions of the method among them; empty where the service has no such thing. */
    readonly versions: readonly number[];
    readonly unjudged: number | null;
    /** Of advice to wait or to set an alert alone; `null` where the service does not count it apart. */
    readonly waits: WaitTrackView | null;
  } | null;
  /** Of the price that was asked about. */
  readonly reach: ReachView | null;
  readonly validUntil: number | null;
  readonly updatedAt: number | null;
}
