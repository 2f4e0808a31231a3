import type { ChainSource } from '../chain/chain-source.ts';
import type { Chance } from '../core/advice.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { DataFees } from '../core/data-fee.ts';
import type { BlockStore } from '../store/blocks.ts';
import type { HistoryStore } from '../store/history.ts';
import { bounded, type ChainReader } from './chain-reader.ts';
import { dataFeesOf } from './data-fees.ts';
import type { AdviceJudge } from './follow/advice-judge.ts';
import type { Follower } from './follow/follower.ts';
import { type ApiFailure, unavailable } from './http/errors.ts';
import type { StatedPrices } from './responses/charts.ts';
import type { LookupContext } from './responses/explorer.ts';
import type { Present } from './responses/gas.ts';
import type { EngineHealth, ServiceHealth } from './responses/summary.ts';

const LOADING_RETRY_SEC = 1;
const DOWN_RETRY_SEC = 5;

interface ServiceParts {
  readonly source: ChainSource;
  readonly follower: Follower;
  readonly track: AdviceJudge;
  readonly history: HistoryStore;
  readonly blocks: BlockStore;
  readonly reader: ChainReader;
  readonly nativeUsd: () => number | null;
  /** The source's name; on a standby that of the leader's source. */
  readonly sourceName: () => string;
  readonly engine: () => EngineHealth | null;
  /** Why nothing can be written; `null` while all is well. */
  readonly unkept: () => string | null;
  readonly wallNow: () => number;
}

export interface Condition {
  readonly chain: ChainProfile | null;
  readonly head: number | null;
  readonly headAgeSec: number | null;
  /** Blocks that the node, or the leader of a standby, is ahead. */
  readonly lagBlocks?: number | null;
  /** Why there are no fresh prices, or why nothing can be written; `null` while all is well. */
  readonly failure: ApiFailure | null;
  readonly engine?: EngineHealth | null;
  readonly streams?: number;
}

export class ServiceState {
  readonly #parts: ServiceParts;
  #moment: Present | null = null;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  get chainId(): number | null {
    return this.#parts.follower.chain.profile?.id ?? null;
  }

  /** @throws {ApiFailure} `upstream_unavailable`, node by node, while there is no data. */
  present(): Present {
    const moment = this.moment();
    if (moment === null) throw this.#unavailable();
    return moment;
  }

  /** The result of `present`, or `null` when it throws: the same object while nothing changes. */
  moment(): Present | null {
    const next = this.#read();
    if (next === null || this.#moment === null || !isSameMoment(next, this.#moment)) this.#moment = next;
    return this.#moment;
  }

  #read(): Present | null {
    const { follower, source } = this.#parts;
    const { profile, head, updatedAt } = follower.chain;
    const advice = follower.chain.advice();
    if (profile === null || head === null || updatedAt === null || advice === null) return null;
    return {
      profile,
      head,
      advice,
      said: this.#parts.track.score,
      updatedAt,
      loading: !follower.isFilled,
      stale: follower.isStale,
      ended: follower.hasEnded,
      restartedAt: follower.restartedAt,
      problem: follower.problem,
      source: { kind: source.kind, name: this.#parts.sourceName() },
      nativeUsd: this.#parts.nativeUsd(),
    };
  }

  /** Probability of a price at or below `price` (wei per gas) within `withinSec`; `null`: unknown. */
  reachProbability(price: bigint, withinSec: number): Chance | null {
    return this.#parts.follower.chain.engine?.reachProbability(price, withinSec) ?? null;
  }

  readonly meanPrices: StatedPrices = (first, last) =>
    this.#parts.follower.chain.engine?.meanPrices(first, last) ?? null;

  dataFees(): Promise<DataFees> {
    const { source, follower } = this.#parts;
    return dataFeesOf(source, follower.chain.profile);
  }

  /** For monitoring: the followed chain, and why the service is unavailable, if it is. */
  condition(): Condition {
    const moment = this.moment();
    const stale = moment?.problem?.message ?? 'the blocks since the last run are still to come';
    const why = moment?.stale ? `prices are stale: ${stale}` : this.#parts.unkept();
    const nowSec = this.#parts.source.now() / 1_000;
    return {
      chain: this.#parts.follower.chain.profile,
      head: moment?.head.number ?? null,
      headAgeSec: moment === null ? null : Math.max(0, nowSec - moment.head.timestamp),
      lagBlocks: moment && this.#lagBlocks(moment.head.number),
      engine: this.#parts.engine(),
      failure: moment === null ? this.#unavailable() : why === null ? null : unavailable(why, DOWN_RETRY_SEC),
    };
  }

  #lagBlocks(number: number): number {
    // Nodes on another chain or branch are excluded.
    const heads = this.#parts.source
      .health()
      .flatMap(({ state, head }) => (head !== null && (state === 'ok' || state === 'lagging') ? [head] : []));
    const leading = this.#parts.engine()?.head ?? number;
    return Math.max(...[...heads, leading].map((head) => head - number), 0);
  }

  /** The history, as of `present`. @throws {ApiFailure} while there is none. */
  async history(): Promise<{ store: HistoryStore; profile: ChainProfile; end: number; now: number }> {
    const { follower, source, history } = this.#parts;
    const { profile, head } = follower.chain;
    if (profile === null || head === null) throw this.#unavailable();
    await follower.chain.flush();
    // A chain's clock may run ahead of ours.
    const now = Math.max(Math.floor(source.now() / 1_000), head.timestamp);
    // While the source is down, "the last hour" is the last known one.
    return { store: history, profile, end: follower.isStale ? head.timestamp : now, now };
  }

  /** A response about single blocks and transactions, within the time limit of a request. @throws {ApiFailure} */
  explore<T>(
    read: (context: LookupContext, signal: AbortSignal) => Promise<T>,
    request: Request,
  ): Promise<T> {
    return bounded(async (signal) => read(await this.#explorer(), signal), request.signal);
  }

  async #explorer(): Promise<LookupContext> {
    const { follower, blocks, reader, nativeUsd } = this.#parts;
    await follower.chain.flush();
    const { profile, head } = follower.chain;
    if (profile === null || head === null) throw this.#unavailable();
    return {
      profile,
      head,
      nextBaseFee: follower.chain.advice()?.nextBaseFee ?? null,
      nativeUsd: nativeUsd(),
      problem: follower.problem?.message ?? null,
      blocks,
      reader,
    };
  }

  health({ number, timestamp }: Present['head']): ServiceHealth {
    const { source } = this.#parts;
    return {
      nodes: source.health(),
      headAgeSec: Math.max(source.now() / 1_000 - timestamp, 0),
      lagBlocks: this.#lagBlocks(number),
      engine: this.#parts.engine(),
    };
  }

  #unavailable(): ApiFailure {
    const { follower, source, wallNow } = this.#parts;
    const { problem } = follower;
    const nodes = source.health().map(({ name, message }) => ({ path: name, message }));
    if (problem === null) {
      return unavailable('the first blocks are being read; ask again in a second', LOADING_RETRY_SEC, nodes);
    }
    const wait = problem.retryAt === null ? DOWN_RETRY_SEC : Math.ceil((problem.retryAt - wallNow()) / 1_000);
    // Without a retry the message itself has advice.
    const remedy =
      problem.retryAt === null ? '' : '; check the node or name another one, it is asked again by itself';
    return unavailable(`no chain data yet: ${problem.message}${remedy}`, Math.max(1, wait), nodes);
  }
}

function isSameMoment(one: Present, other: Present): boolean {
  const { source, problem, ...rest } = one;
  return (
    (Object.keys(rest) as (keyof typeof rest)[]).every((fact) => one[fact] === other[fact]) &&
    source.name === other.source.name &&
    problem?.message === other.problem?.message &&
    problem?.retryAt === other.problem?.retryAt
  );
}
