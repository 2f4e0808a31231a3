import { setTimeout } from 'node:timers/promises';
import type { Hex } from '../../core/block.ts';
import {
  type ChainProfile,
  chainProfile,
  describeChain,
  identifiedChain,
  isDevelopmentChain,
  isImpostor,
  learnCoin,
} from '../../core/chains.ts';
import { backOffMs, DAY_SEC } from '../../core/time.ts';
import type { TestableClock } from '../async.ts';
import { ChainError, isRefusal, type NodeHealth } from '../chain-source.ts';
import { type RequestOptions, RpcNode, request, requestGenesisHash } from './client.ts';
import { type Header, safeInteger } from './decode.ts';

/** A node, and what the pool knows of it. Moments by `Clock.elapsed`. */
export class PoolNode extends RpcNode {
  head: number | null = null;
  /** Number of blocks that other nodes were ahead when this one's head came. */
  behind = 0;
  /** Base fees by block number, the newest few. */
  readonly baseFees = new Map<number, bigint>();
  problem: { readonly state: 'down' | 'wrong-chain'; readonly message: string } | null = null;
  failures = 0;
  failedAt = 0;
  retryAt = 0;
  /** When its chain was last verified; `null`: not since its connection failed. */
  verifiedAt: number | null = null;
  genesis: Hex | null = null;
}

export type NodeSeen = Pick<
  PoolNode,
  'name' | 'latencyMs' | 'head' | 'behind' | 'baseFees' | 'problem' | 'notes' | 'syncing'
>;

/** Nodes may receive a block within this many seconds of each other without counting as lagging. */
const TOLERANCE_SEC = 6;

/** The state of each node, in order. `blockTimeSec` determines how many blocks count as lagging. */
export function judgeNodes(nodes: readonly NodeSeen[], blockTimeSec: number): NodeHealth[] {
  const tolerated = Math.max(3, Math.ceil(TOLERANCE_SEC / blockTimeSec));
  const agreed = agreedBaseFee(nodes);
  return nodes.map(({ name, latencyMs, head, behind, baseFees, problem, notes, syncing }) => {
    const stateOf = (): Pick<NodeHealth, 'state' | 'message' | 'isSyncing'> => {
      if (problem) return problem;
      if (head === null) return { state: 'ok', message: 'not asked yet' };
      if (syncing?.isUnderWay && syncing.number === head)
        return { state: 'lagging', message: syncingWords(syncing), isSyncing: true };
      const fee = agreed && baseFees.get(agreed.number);
      if (agreed && typeof fee === 'bigint' && fee !== agreed.fee) {
        const message = `base fee of block ${agreed.number} is ${fee} wei here, ${agreed.fee} wei elsewhere`;
        return { state: 'disagrees', message };
      }
      if (behind >= tolerated) return { state: 'lagging', message: `${behind} blocks behind` };
      return { state: 'ok', message: `at block ${head}` };
    };
    return { name, head, latencyMs, ...stateOf(), notes: [...notes.values()] };
  });
}

function syncingWords({ number, highest }: NonNullable<NodeSeen['syncing']>): string {
  const of = highest !== null && highest > number ? ` of ${highest}` : '';
  return `still syncing: at block ${number}${of}`;
}

/** The base fee of most nodes for the newest block that two of them have; the first node breaks a tie. */
function agreedBaseFee(nodes: readonly NodeSeen[]): { readonly number: number; readonly fee: bigint } | null {
  const said = nodes.flatMap(({ problem, baseFees }) => (problem === null ? [...baseFees] : []));
  const isShared = ([number]: readonly [number, bigint]) =>
    said.filter(([each]) => each === number).length > 1;
  const number = Math.max(...said.filter(isShared).map(([each]) => each));
  const fees = said.flatMap(([each, fee]) => (each === number ? [fee] : []));
  const votes = (fee: bigint) => fees.filter((each) => each === fee).length;
  const [first, ...others] = fees;
  if (first === undefined) return null;
  return { number, fee: others.reduce((best, fee) => (votes(fee) > votes(best) ? fee : best), first) };
}

/** The source in a few words: the node's host and port, or how many of several are trustworthy. */
export function describeNodes(health: readonly NodeHealth[]): string {
  const [first] = health;
  if (health.length === 1 && first) return first.name;
  const total = health.length;
  const count = (...states: readonly NodeHealth['state'][]) =>
    health.filter(({ state }) => states.includes(state)).length;
  const responding = total - count('down', 'wrong-chain');
  const [ok, elsewhere] = [count('ok'), count('wrong-chain')];
  if (elsewhere > 0) return `${responding} of ${total} nodes, ${elsewhere} on another chain`;
  if (responding === 0) return `none of ${total} nodes answers`;
  // A node without a head yet does not count as agreeing.
  if (health.some(({ state, head }) => state === 'ok' && head === null))
    return responding === total ? `${total} nodes` : `${responding} of ${total} nodes`;
  if (responding === 1) return `1 of ${total} nodes answers`;
  if (ok > 1) return ok === total ? `${total} nodes agree` : `${ok} of ${total} nodes agree`;
  return count('disagrees') > 0 ? `${responding} nodes disagree` : `1 of ${total} nodes is up to date`;
}

/** The head of the other nodes: of several the second highest, because the highest may be invented. */
function referenceHead(nodes: readonly PoolNode[], except: PoolNode): number {
  const heads = nodes
    .flatMap((node) => (node !== except && node.problem === null && node.head !== null ? [node.head] : []))
    .sort((a, b) => b - a);
  return heads[heads.length > 1 ? 1 : 0] ?? 0;
}

/** The first result that is not `null`; `null` once all are settled, or after `patienceMs`. Never rejects. */
function firstKnown<T>(results: readonly Promise<T>[], patienceMs: number): Promise<T | null> {
  const known = results.map(async (result) => (await result) ?? Promise.reject(null));
  const late = setTimeout(patienceMs, null, { ref: false });
  return Promise.race([Promise.any(known).catch(() => null), late]);
}

const BACKOFF_CAP_MS = 30_000;
/** Pause after a wrong chain: a corrected node should return soon; one with a rate limit may pause longer. */
const MENDED_MS = 3_000;
/** A node may restart as another chain on the same connection, as development nodes often do. */
const RECHECK_CHAIN_MS = 60_000;
const RECHECK_DEVELOPMENT_MS = 1_000;
const FORGIVEN_MS = 120_000;
const REMEMBERED_FEES = 16;
/** Generous, in case this machine's clock is wrong: only invented times are refused. */
const FURTHEST_AHEAD_SEC = 30 * DAY_SEC;

interface PoolOptions {
  /** Ignores nodes of another chain; `null`: the chain of the first node that responds. */
  readonly expectedChainId: number | null;
  /** How often a node's chain is verified again, ms; `null`: as its chain requires. */
  readonly recheckMs: number | null;
  readonly clock: TestableClock;
}

/** Several nodes of one chain: selects the one to use, and compares them. */
export class NodePool {
  readonly nodes: readonly PoolNode[];
  /** `null` until a node has responded. */
  chain: ChainProfile | null;
  readonly #options: PoolOptions;
  /** The genesis hash that every node has after a restart of the chain. */
  #restarted: Hex | null = null;

  constructor(nodes: readonly PoolNode[], options: PoolOptions) {
    const { expectedChainId } = options;
    this.nodes = nodes;
    this.#options = options;
    this.chain = expectedChainId === null ? null : chainProfile(expectedChainId);
  }

  get name(): string {
    return describeNodes(this.health());
  }

  health(): NodeHealth[] {
    return judgeNodes(this.nodes, this.chain?.feeRule.blockTimeSec ?? 12);
  }

  /** Why none of the nodes can be used. */
  reason(): string {
    return this.nodes.flatMap(({ problem }) => problem?.message ?? []).join('; ') || 'no node answers';
  }

  /** Until a node may be tried again, ms. */
  pauseMs(): number {
    return Math.max(0, Math.min(...this.nodes.map(({ retryAt }) => retryAt)) - this.#options.clock.elapsed());
  }

  /** With the best node, then with others in turn. After `null` all healthy ones are tried at once, for `patienceMs` at most. */
  async run<T>(
    work: (node: PoolNode) => Promise<T>,
    { signal, patienceMs = LONGEST_PATIENCE_MS }: RequestOptions & { readonly patienceMs?: number } = {},
  ): Promise<T> {
    const failures: ChainError[] = [];
    const order = this.#ranked();
    for (const [index, { node }] of order.entries()) {
      const others = order.slice(index + 1).filter(({ rank }) => rank < 2);
      try {
        const result = await this.#attempt(node, work, signal);
        if (result !== null || others.length === 0) return result;
        const known = await firstKnown(
          others.map((other) => this.#attempt(other.node, work, signal)),
          patienceMs,
        );
        signal?.throwIfAborted();
        return known ?? result;
      } catch (error) {
        if (!mayTryOthers(error, signal)) throw error;
        failures.push(error);
        // Unhealthy nodes cannot know more than healthy ones.
        if (failures.every(({ code }) => code === 'pruned') && others.length === 0) break;
      }
    }
    throw failureOf(failures);
  }

  /** The node to follow: it responds and serves the right chain. Rejects when there is none. */
  async pick(signal: AbortSignal): Promise<PoolNode> {
    for (const { node, rank } of this.#ranked()) {
      // One failure may be a lost connection, worth an immediate retry; after that the pause applies.
      if (rank === 3 && node.failures > 1) continue;
      try {
        await this.verify(node, { signal });
        return node;
      } catch (error) {
        if (!mayTryOthers(error, signal)) throw error;
        this.failed(node, error);
      }
    }
    throw new ChainError('unreachable', this.reason());
  }

  /** Whether a node before `node`, or a healthier one, could be followed instead. */
  hasBetterThan(node: PoolNode): boolean {
    const [best] = this.#ranked();
    return best !== undefined && best.node !== node && best.rank < 2;
  }

  /** Nodes from best to worst; within a rank in the given order. */
  #ranked(): { readonly node: PoolNode; readonly rank: number }[] {
    const states = this.health();
    const rankOf = ({ problem, retryAt }: PoolNode, index: number) => {
      if (problem) return this.#options.clock.elapsed() >= retryAt ? 2 : 3;
      return states[index]?.state === 'ok' ? 0 : 1;
    };
    return this.nodes
      .map((node, index) => ({ node, rank: rankOf(node, index) }))
      .sort((a, b) => a.rank - b.rank);
  }

  async #attempt<T>(
    node: PoolNode,
    work: (node: PoolNode) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let isVerified = false;
    try {
      await this.verify(node, { signal });
      isVerified = true;
      const result = await work(node);
      this.responded(node);
      return result;
    } catch (error) {
      if (!mayTryOthers(error, signal)) throw error;
      // A refusing node is healthy, unless it refuses even its chain id (it may not accept the key). One cause may fail
      // many requests at once: within a pause they count once.
      const counts = !isVerified || !(isRefusal(error) || error.code === 'unsupported');
      if (counts && this.#options.clock.elapsed() >= node.retryAt) this.failed(node, error);
      throw error;
    }
  }

  /** Failures still count: a node that handles only some requests must not be tried each time. */
  responded(node: PoolNode): void {
    node.problem = null;
    node.retryAt = 0;
  }

  failed(node: PoolNode, error: ChainError): void {
    const state = error.code === 'wrong-chain' ? 'wrong-chain' : 'down';
    const now = this.#options.clock.elapsed();
    node.problem = { state, message: error.message };
    node.failures = now - node.failedAt > FORGIVEN_MS ? 1 : node.failures + 1;
    node.failedAt = now;
    node.verifiedAt = null;
    node.baseFees.clear();
    // The second failure comes right after the first (see pick), so the pause doubles from the third on.
    const most = error.code === 'rate-limited' ? BACKOFF_CAP_MS : MENDED_MS;
    const pause =
      state === 'wrong-chain' ? MENDED_MS : backOffMs(Math.max(0, node.failures - 2), 1_000, most);
    node.retryAt = now + Math.max(pause, error.retryAfterMs ?? 0);
  }

  /** Records a head. Throws `bad-response` for an impossible time. */
  observe(node: PoolNode, { number, timestamp, baseFeePerGas }: Header): void {
    const isDevelopment = this.chain !== null && isDevelopmentChain(this.chain);
    if (!isDevelopment && timestamp > this.#options.clock.now() / 1_000 + FURTHEST_AHEAD_SEC) {
      throw new ChainError(
        'bad-response',
        `${node.name} says that block ${number} is more than 30 days in the future: check this machine's clock or try another node`,
      );
    }
    // A development chain may have nothing but an old block 0.
    if (node.syncing && isDevelopment) node.syncing = { ...node.syncing, isUnderWay: false };
    node.head = number;
    node.behind = Math.max(0, referenceHead(this.nodes, node) - number);
    node.baseFees.set(number, baseFeePerGas);
    const stored = [...node.baseFees.keys()].sort((a, b) => a - b);
    for (const old of stored.slice(0, -REMEMBERED_FEES)) node.baseFees.delete(old);
  }

  /** Requests the node's chain id, if that is due or `isForced`; rejects when it serves another chain. */
  async verify(
    node: PoolNode,
    { signal, isForced = false }: RequestOptions & { readonly isForced?: boolean } = {},
  ): Promise<void> {
    if (this.#restarted !== null) throw restartedError(node);
    if (!isForced && !this.#isVerificationDue(node)) return;
    const [id, genesis] = await Promise.all([
      request(node, safeInteger, 'eth_chainId', [], { signal }),
      requestGenesisHash(node, { signal }),
    ]);
    await learnCoin(id);
    node.genesis = genesis ?? node.genesis;
    node.verifiedAt = null;
    const chain = this.chain ?? identifiedChain(id, genesis);
    this.chain = chain;
    const isSame = id === chain.id && (genesis === null || genesis === (chain.genesisHash ?? genesis));
    if (!isSame) {
      throw this.#hasRestarted(id, genesis) ? restartedError(node) : otherChain(chain, node, id, genesis);
    }
    if (genesis !== null) this.chain = identifiedChain(id, genesis);
    node.feeRule = this.chain.feeRule;
    node.isDevelopment = isDevelopmentChain(this.chain);
    node.verifiedAt = this.#options.clock.elapsed();
    if (node.problem?.state === 'wrong-chain') this.responded(node);
  }

  #isVerificationDue({ verifiedAt }: PoolNode): boolean {
    const usualMs = this.chain && isDevelopmentChain(this.chain) ? RECHECK_DEVELOPMENT_MS : RECHECK_CHAIN_MS;
    return (
      verifiedAt === null ||
      this.#options.clock.elapsed() - verifiedAt >= (this.#options.recheckMs ?? usualMs)
    );
  }

  /** Whether all nodes report the same other genesis, and neither that nor the former belongs to a known chain. */
  #hasRestarted(id: number, genesis: Hex | null): boolean {
    const chain = this.chain;
    if (genesis === null || id !== chain?.id || !chain.genesisHash) return false;
    if (isImpostor(id, chain.genesisHash, genesis)) return false;
    if (this.nodes.some((node) => node.genesis !== null && node.genesis !== genesis)) return false;
    this.#restarted = genesis;
    return true;
  }

  /** From then on the nodes are used as those of the restarted chain. */
  acceptRestart(): void {
    if (this.#restarted === null || this.chain === null) return;
    this.chain = identifiedChain(this.chain.id, this.#restarted);
    this.#restarted = null;
    for (const node of this.nodes) {
      node.verifiedAt = null;
      this.responded(node);
    }
  }

  /** Requests the chain id of all nodes; rejects when a responding one serves another chain. */
  async confirmChain(): Promise<void> {
    const asked = await Promise.allSettled(this.nodes.map((node) => this.verify(node, { isForced: true })));
    if (this.#restarted !== null) throw restartedError(this.nodes[0]);
    for (const each of asked) if (each.status === 'rejected' && !isAway(each.reason)) throw each.reason;
  }
}

const restartedError = (node: RpcNode | undefined) =>
  new ChainError('restarted', `${node?.name} serves a chain that began anew`);

function otherChain(chain: ChainProfile, { name }: RpcNode, id: number, genesis: Hex | null): ChainError {
  const isOn = describeChain(identifiedChain(id, genesis));
  const wanted = describeChain(chain);
  const words =
    isOn === wanted ? `another chain than the other nodes under id ${id}` : `${isOn}, not on ${wanted}`;
  return new ChainError('wrong-chain', `${name} is on ${words}: give a node of the right chain`);
}

const LONGEST_PATIENCE_MS = 60_000;

const mayTryOthers = (error: unknown, signal: AbortSignal | undefined): error is ChainError =>
  !signal?.aborted && error instanceof ChainError && error.code !== 'restarted';

/** One error for several failures: a block is pruned only if all nodes say so. */
function failureOf(failures: readonly ChainError[]): ChainError {
  const [first] = failures;
  if (first === undefined) return new ChainError('unreachable', 'there is no node to ask');
  const messages = new Set(failures.map(({ message }) => message));
  const { code } = failures.find((each) => each.code !== 'pruned') ?? first;
  // The first node that may be tried again.
  const waits = failures.map(({ retryAfterMs }) => retryAfterMs ?? 0);
  return messages.size === 1
    ? first
    : new ChainError(code, [...messages].join('; '), { retryAfterMs: Math.min(...waits) || null });
}

/** A node that does not respond tells nothing about its chain. */
const isAway = (error: unknown) =>
  error instanceof ChainError && error.code !== 'wrong-chain' && error.code !== 'restarted';
