import { setTimeout } from 'node:timers/promises';
import type { Hex } from '../../core/block.ts';
import {
  type ChainProfile,
  chainProfile,
  identifiedChain,
  isDevelopmentChain,
  isImpostor,
  learnCoin,
} from '../../core/chains.ts';
import { backOffMs, DAY_SEC } from '../../core/time.ts';
import type { TestableClock } from '../async.ts';
import { ChainError, isRefusal, type NodeHealth } from '../chain-source.ts';
import { type RpcNode, request, requestGenesisHash } from './client.ts';
import { type Header, safeInteger } from './decode.ts';

/** A node, and what the pool knows of it. Moments by `Clock.elapsed`. */
export interface PoolNode extends RpcNode {
  head: number | null;
  /** Number of blocks that other nodes were ahead when this one's head came. */
  behind: number;
  /** Base fees by block number, the newest few. */
  readonly baseFees: Map<number, bigint>;
  problem: { readonly state: 'down' | 'wrong-chain'; readonly message: string } | null;
  failures: number;
  failedAt: number;
  retryAt: number;
  /** When its chain was last verified; `null`: not since its connection failed. */
  verifiedAt: number | null;
  genesis: Hex | null;
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

interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly patienceMs?: number;
}

export type NodePool = ReturnType<typeof createNodePool>;

/** Several nodes of one chain: selects the one to use, and compares them. */
export function createNodePool(rpcNodes: readonly RpcNode[], options: PoolOptions) {
  const { clock, expectedChainId } = options;
  let chain: ChainProfile | null = expectedChainId === null ? null : chainProfile(expectedChainId);
  /** The genesis hash that every node has after a restart of the chain. */
  let restarted: Hex | null = null;
  const nodes = rpcNodes.map(
    (node): PoolNode =>
      Object.assign(
        node,
        { head: null, behind: 0, baseFees: new Map(), problem: null, genesis: null },
        { failures: 0, failedAt: 0, retryAt: 0, verifiedAt: null },
      ),
  );
  const health = () => judgeNodes(nodes, chain?.feeRule.blockTimeSec ?? 12);

  /** Nodes from best to worst; within a rank in the given order. */
  function ranked(): { readonly node: PoolNode; readonly rank: number }[] {
    const states = health();
    const rankOf = ({ problem, retryAt }: PoolNode, index: number) => {
      if (problem) return clock.elapsed() >= retryAt ? 2 : 3;
      return states[index]?.state === 'ok' ? 0 : 1;
    };
    return nodes.map((node, index) => ({ node, rank: rankOf(node, index) })).sort((a, b) => a.rank - b.rank);
  }

  /** Requests the node's chain id, if that is due or `isForced`; rejects when it serves another chain. */
  async function verify(node: PoolNode, { signal, isForced = false }: VerifyOptions = {}): Promise<void> {
    const { verifiedAt } = node;
    if (restarted !== null) throw restartedError(node);
    const usualMs = chain && isDevelopmentChain(chain) ? RECHECK_DEVELOPMENT_MS : RECHECK_CHAIN_MS;
    const isDue = verifiedAt === null || clock.elapsed() - verifiedAt >= (options.recheckMs ?? usualMs);
    if (!isDue && !isForced) return;
    const [id, genesis] = await Promise.all([
      request(node, safeInteger, 'eth_chainId', [], { signal }),
      requestGenesisHash(node, { signal }),
    ]);
    await learnCoin(id);
    node.genesis = genesis ?? node.genesis;
    node.verifiedAt = null;
    chain ??= identifiedChain(id, genesis);
    const isSame = id === chain.id && (genesis === null || genesis === (chain.genesisHash ?? genesis));
    if (!isSame) throw hasRestarted(id, genesis) ? restartedError(node) : otherChain(node, id, genesis);
    if (genesis !== null) chain = identifiedChain(id, genesis);
    node.feeRule = chain.feeRule;
    node.isDevelopment = isDevelopmentChain(chain);
    node.verifiedAt = clock.elapsed();
    if (node.problem?.state === 'wrong-chain') clear(node);
  }

  /** Whether all nodes report the same other genesis, and neither that nor the former belongs to a known chain. */
  function hasRestarted(id: number, genesis: Hex | null): boolean {
    if (genesis === null || id !== chain?.id || !chain.genesisHash) return false;
    if (isImpostor(id, chain.genesisHash, genesis)) return false;
    if (nodes.some((node) => node.genesis !== null && node.genesis !== genesis)) return false;
    restarted = genesis;
    return true;
  }

  const restartedError = (node = nodes[0]) =>
    new ChainError('restarted', `${node?.name} serves a chain that began anew`);

  function otherChain({ name }: RpcNode, id: number, genesis: Hex | null): ChainError {
    const isOn = chainWords(identifiedChain(id, genesis));
    const wanted = chainWords(chain ?? chainProfile(id));
    const words =
      isOn === wanted ? `another chain than the other nodes under id ${id}` : `${isOn}, not on ${wanted}`;
    return new ChainError('wrong-chain', `${name} is on ${words}: give a node of the right chain`);
  }

  /** Failures still count: a node that handles only some requests must not be tried each time. */
  function clear(node: PoolNode): void {
    node.problem = null;
    node.retryAt = 0;
  }

  function fail(node: PoolNode, error: ChainError): void {
    const state = error.code === 'wrong-chain' ? 'wrong-chain' : 'down';
    const now = clock.elapsed();
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

  async function attempt<T>(
    node: PoolNode,
    work: (node: PoolNode) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let isVerified = false;
    try {
      await verify(node, { signal });
      isVerified = true;
      const result = await work(node);
      clear(node);
      return result;
    } catch (error) {
      if (!mayTryOthers(error, signal)) throw error;
      // A refusing node is healthy, unless it refuses even its chain id (it may not accept the key). One cause may fail
      // many requests at once: within a pause they count once.
      const counts = !isVerified || !(isRefusal(error) || error.code === 'unsupported');
      if (counts && clock.elapsed() >= node.retryAt) fail(node, error);
      throw error;
    }
  }

  const reason = () => nodes.flatMap(({ problem }) => problem?.message ?? []).join('; ') || 'no node answers';

  return {
    nodes,
    verify,
    health,
    reason,
    get name() {
      return describeNodes(health());
    },
    chain: () => chain,
    acceptRestart: () => {
      if (restarted === null || chain === null) return;
      chain = identifiedChain(chain.id, restarted);
      restarted = null;
      for (const node of nodes) {
        node.verifiedAt = null;
        clear(node);
      }
    },

    /** With the best node, then with others in turn. After `null` all healthy ones are tried at once, for `patienceMs` at most. */
    run: async <T>(work: (node: PoolNode) => Promise<T>, run: RunOptions = {}): Promise<T> => {
      const { signal, patienceMs = LONGEST_PATIENCE_MS } = run;
      const failures: ChainError[] = [];
      const order = ranked();
      for (const [index, { node }] of order.entries()) {
        const others = order.slice(index + 1).filter(({ rank }) => rank < 2);
        try {
          const result = await attempt(node, work, signal);
          if (result !== null || others.length === 0) return result;
          const known = await firstKnown(
            others.map((other) => attempt(other.node, work, signal)),
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
    },

    /** The node to follow: it responds and serves the right chain. Rejects when there is none. */
    pick: async (signal: AbortSignal): Promise<PoolNode> => {
      for (const { node, rank } of ranked()) {
        // One failure may be a lost connection, worth an immediate retry; after that the pause applies.
        if (rank === 3 && node.failures > 1) continue;
        try {
          await verify(node, { signal });
          return node;
        } catch (error) {
          if (!mayTryOthers(error, signal)) throw error;
          fail(node, error);
        }
      }
      throw new ChainError('unreachable', reason());
    },

    /** Whether a node before `node`, or a healthier one, could be followed instead. */
    hasBetterThan: (node: PoolNode) => {
      const [best] = ranked();
      return best !== undefined && best.node !== node && best.rank < 2;
    },
    /** Requests the chain id of all nodes; rejects when a responding one serves another chain. */
    confirmChain: async () => {
      const asked = await Promise.allSettled(nodes.map((node) => verify(node, { isForced: true })));
      if (restarted !== null) throw restartedError();
      for (const each of asked) if (each.status === 'rejected' && !isAway(each.reason)) throw each.reason;
    },

    /** Records a head. Throws `bad-response` for an impossible time. */
    observe: (node: PoolNode, { number, timestamp, baseFeePerGas }: Header) => {
      const isInvented = timestamp > clock.now() / 1_000 + FURTHEST_AHEAD_SEC;
      if (isInvented && !(chain !== null && isDevelopmentChain(chain))) {
        throw new ChainError(
          'bad-response',
          `${node.name} says that block ${number} is more than 30 days in the future: check this machine's clock or try another node`,
        );
      }
      // A development chain may have nothing but an old block 0.
      if (node.syncing && chain !== null && isDevelopmentChain(chain))
        node.syncing = { ...node.syncing, isUnderWay: false };
      node.head = number;
      node.behind = Math.max(0, referenceHead(nodes, node) - number);
      node.baseFees.set(number, baseFeePerGas);
      const stored = [...node.baseFees.keys()].sort((a, b) => a - b);
      for (const old of stored.slice(0, -REMEMBERED_FEES)) node.baseFees.delete(old);
    },
    responded: clear,
    failed: fail,
    pauseMs: () => Math.max(0, Math.min(...nodes.map(({ retryAt }) => retryAt)) - clock.elapsed()),
  };
}

interface VerifyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly isForced?: boolean;
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

function chainWords({ id, name, borrowsId }: ChainProfile): string {
  return borrowsId || name === `chain ${id}` ? name : `${name} (chain ${id})`;
}
