import type { Hex } from '../../core/block.ts';
import {
  type ChainProfile,
  chainProfile,
  identifiedChain,
  isDevelopmentChain,
  isImpostor,
} from '../../core/chains.ts';
import type { Clock } from '../async.ts';
import { ChainError, isRefusal, type NodeHealth } from '../chain-source.ts';
import { type RpcNode, requestChainId, requestGenesisHash } from './client.ts';
import type { Header } from './decode.ts';

/** The state of a node. */
export interface NodeSeen {
  readonly name: string;
  readonly head: number | null;
  /** How many blocks the other nodes were ahead when this one's head came. */
  readonly behind: number;
  readonly latencyMs: number | null;
  /** Base fees by block number, the newest few. */
  readonly baseFees: ReadonlyMap<number, bigint>;
  readonly problem: { readonly state: 'down' | 'wrong-chain'; readonly message: string } | null;
}

/** Seconds by which nodes may receive a block at different times without counting as lagging. */
const TOLERANCE_SEC = 6;

/** The state of each node, in their order. `blockTimeSec` says how many blocks count as lagging. */
export function judgeNodes(nodes: readonly NodeSeen[], blockTimeSec: number): NodeHealth[] {
  const tolerated = Math.max(3, Math.ceil(TOLERANCE_SEC / blockTimeSec));
  const agreed = agreedBaseFee(nodes);
  return nodes.map((node) => {
    const { name, head, latencyMs } = node;
    const seen = { name, head, latencyMs };
    if (node.problem) return { ...seen, ...node.problem };
    if (head === null) return { ...seen, state: 'ok', message: 'not asked yet' };
    const fee = agreed === null ? undefined : node.baseFees.get(agreed.number);
    if (agreed !== null && fee !== undefined && fee !== agreed.fee) {
      const message = `base fee of block ${agreed.number} is ${fee} wei here, ${agreed.fee} wei elsewhere`;
      return { ...seen, state: 'disagrees', message };
    }
    if (node.behind >= tolerated) {
      return { ...seen, state: 'lagging', message: `${node.behind} blocks behind` };
    }
    return { ...seen, state: 'ok', message: `at block ${head}` };
  });
}

/** The base fee most nodes give for the newest block that two of them know; the first node decides a tie. */
function agreedBaseFee(nodes: readonly NodeSeen[]): { number: number; fee: bigint } | null {
  const responding = nodes.filter((node) => node.problem === null);
  const counts = new Map<number, number>();
  for (const node of responding) {
    for (const number of node.baseFees.keys()) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const shared = [...counts].filter(([, count]) => count >= 2).map(([number]) => number);
  if (shared.length === 0) return null;
  const number = Math.max(...shared);
  const votes = new Map<bigint, number>();
  for (const node of responding) {
    const fee = node.baseFees.get(number);
    if (fee !== undefined) votes.set(fee, (votes.get(fee) ?? 0) + 1);
  }
  // A map keeps the order of insertion, so the first of equals is the first node's.
  const [fee] = [...votes].reduce((best, each) => (each[1] > best[1] ? each : best));
  return { number, fee };
}

/** The source in a few words: the node's host and port, or how many of several can be trusted. */
export function describeNodes(health: readonly NodeHealth[]): string {
  const [first] = health;
  if (health.length === 1 && first) return first.name;
  const total = health.length;
  const count = (holds: (node: NodeHealth) => boolean) => health.filter(holds).length;
  const responding = count((node) => node.state !== 'down' && node.state !== 'wrong-chain');
  const ok = count((node) => node.state === 'ok');
  const elsewhere = count((node) => node.state === 'wrong-chain');
  if (elsewhere > 0) return `${responding} of ${total} nodes, ${elsewhere} on another chain`;
  if (responding === 0) return `none of ${total} nodes answers`;
  // A node without a head yet does not count as agreeing.
  if (count((node) => node.state === 'ok' && node.head === null) > 0) {
    return responding === total ? `${total} nodes` : `${responding} of ${total} nodes`;
  }
  if (responding === 1) return `1 of ${total} nodes answers`;
  if (ok === total) return `${total} nodes agree`;
  if (ok > 1) return `${ok} of ${total} nodes agree`;
  const disagree = count((node) => node.state === 'disagrees') > 0;
  return disagree ? `${responding} nodes disagree` : `1 of ${total} nodes is up to date`;
}

/** A node of a pool with its state. */
interface Member {
  readonly node: RpcNode;
  head: number | null;
  behind: number;
  readonly baseFees: Map<number, bigint>;
  problem: { readonly state: 'down' | 'wrong-chain'; readonly message: string } | null;
  failures: number;
  /** These three by `Clock.elapsed`. */
  failedAt: number;
  /** When a failed node is worth another try. */
  retryAt: number;
  /** When its chain was last seen to be right; `null`: not since the connection failed. */
  verifiedAt: number | null;
  /** The genesis hash that it last reported. */
  genesis: Hex | null;
}

/** A node before its first request. */
const newMember = (node: RpcNode): Member => ({
  node,
  head: null,
  behind: 0,
  baseFees: new Map(),
  problem: null,
  failures: 0,
  failedAt: 0,
  retryAt: 0,
  verifiedAt: null,
  genesis: null,
});

/** The head by the other nodes: with several of them the second highest, as the highest may be made up. */
function referenceHead(members: readonly Member[], except: Member): number {
  const heads = members
    .filter((member) => member !== except && member.problem === null && member.head !== null)
    .map((member) => member.head ?? 0)
    .sort((a, b) => b - a);
  return heads[heads.length > 1 ? 1 : 0] ?? 0;
}

/** One line naming each member's trouble. */
export function reasonOf(members: readonly Member[]): string {
  const lines = members.flatMap((member) => (member.problem ? [member.problem.message] : []));
  return lines.length === 0 ? 'no node answers' : lines.join('; ');
}

/**
 * The first result that is not `null`; `null` once all are settled, or after `patienceMs`. Never rejects, and handles the
 * rejections of all `results`.
 */
export async function firstKnown<T>(
  results: readonly Promise<T>[],
  patienceMs: number | null,
): Promise<T | null> {
  if (results.length === 0) return null;
  const found = Promise.any(
    results.map(async (result) => {
      const known = await result;
      if (known === null) throw new Error('nothing is known');
      return known;
    }),
  ).catch(() => null);
  if (patienceMs === null) return found;
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => over.resolve(null), patienceMs);
  return Promise.race([found, over.promise]).finally(() => clearTimeout(timer));
}

const BACKOFF_CAP_MS = 30_000;
/** A node that was mended, or is on the right chain again, must not be missed for long; one that refuses more requests may. */
const MENDED_MS = 3_000;
/** A node may be started anew as another chain without its connection breaking; one for development often is. */
const RECHECK_CHAIN_MS = 60_000;
const RECHECK_DEVELOPMENT_MS = 1_000;
const FORGIVEN_MS = 120_000;
const REMEMBERED_FEES = 16;
/** Generous to a machine whose own clock is wrong: only a node with an invented time is refused. */
const FURTHEST_AHEAD_SEC = 30 * 86_400;
export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the other nodes when one knows nothing; left out: as long as they take. */
  readonly patienceMs?: number;
}

/** Several nodes of one chain: which one to use, and how they compare. */
export interface NodePool {
  readonly nodes: readonly RpcNode[];
  readonly name: string;
  /** The chain that all have to serve, once it is known. */
  chain(): ChainProfile | null;
  /** Goes on with a chain that every node says began anew: see `ChainSource.acceptRestart`. */
  acceptRestart(): void;
  /** Requests the chain id of all nodes; rejects where one of those that respond serves another chain. */
  confirmChain(): Promise<void>;
  health(): readonly NodeHealth[];
  /**
   * Does `work` with the best node, then with the others in turn; rejects with the first failure if none can. One that
   * returns `null` knows nothing of it: then the others that are well are tried too, all at once.
   */
  run<T>(work: (node: RpcNode) => Promise<T>, options?: RunOptions): Promise<T>;
  /** The node to follow: it responds and its chain is right. Rejects where there is none now. */
  pick(signal: AbortSignal): Promise<RpcNode>;
  /** Whether a node that comes before `node`, or is in better health, could be followed instead. */
  hasBetterThan(node: RpcNode): boolean;
  /** Whether a failed node's pause is over. */
  isDue(node: RpcNode): boolean;
  /** Requests the node's chain id, where that is due or `isForced`; rejects where it serves another chain. */
  verify(
    node: RpcNode,
    options?: { readonly signal?: AbortSignal; readonly isForced?: boolean },
  ): Promise<void>;
  /** Takes note of a head. Throws `bad-answer` where its time cannot be. */
  observe(node: RpcNode, header: Header): void;
  /** The node responded. */
  responded(node: RpcNode): void;
  /** The node was followed for a head: its earlier failures are forgotten. */
  worked(node: RpcNode): void;
  failed(node: RpcNode, error: unknown): void;
  /** One line naming each node's trouble. */
  reason(): string;
  /** How long until the next node is worth a try, ms. */
  pauseMs(): number;
}

export function createNodePool(
  nodes: readonly RpcNode[],
  options: {
    readonly expectedChainId: number | null;
    /** How often a node is asked for its chain anew, ms; `null`: as its chain needs it. */
    readonly recheckMs?: number | null;
    readonly clock: Clock;
  },
): NodePool {
  const { clock } = options;
  let chain = options.expectedChainId === null ? null : chainProfile(options.expectedChainId);
  /** The genesis hash that every node has after the chain began anew. */
  let restarted: Hex | null = null;
  const members: readonly Member[] = nodes.map(newMember);
  const memberOf = (node: RpcNode): Member => {
    const member = members.find((each) => each.node === node);
    if (!member) throw new Error(`${node.name} is not of this pool`);
    return member;
  };
  const seen = ({ node, head, behind, baseFees, problem }: Member): NodeSeen => ({
    name: node.name,
    latencyMs: node.latencyMs,
    head,
    behind,
    baseFees,
    problem,
  });
  const health = () => judgeNodes(members.map(seen), chain?.feeRule.blockTimeSec ?? 12);

  /** Members from the best to the worst; within a rank in the order in which they were given. */
  function ranked(): { member: Member; rank: number }[] {
    const states = health();
    const rank = (member: Member, index: number) => {
      if (member.problem) return clock.elapsed() >= member.retryAt ? 2 : 3;
      return states[index]?.state === 'ok' ? 0 : 1;
    };
    return members
      .map((member, index) => ({ member, rank: rank(member, index) }))
      .sort((a, b) => a.rank - b.rank);
  }

  async function verify(member: Member, signal?: AbortSignal, isForced = false): Promise<void> {
    const { node, verifiedAt } = member;
    if (restarted !== null) throw restartedError(node);
    const usualMs = chain && isDevelopmentChain(chain) ? RECHECK_DEVELOPMENT_MS : RECHECK_CHAIN_MS;
    const recheckMs = options.recheckMs ?? usualMs;
    if (!isForced && verifiedAt !== null && clock.elapsed() - verifiedAt < recheckMs) return;
    const [id, genesis] = await Promise.all([
      requestChainId(node, { signal }),
      requestGenesisHash(node, { signal }),
    ]);
    member.genesis = genesis ?? member.genesis;
    member.verifiedAt = null;
    chain ??= identifiedChain(id, genesis);
    const { genesisHash = genesis } = chain;
    const isSame = id === chain.id && (genesis === null || genesis === genesisHash);
    if (!isSame) throw hasRestarted(id, genesis) ? restartedError(node) : otherChain(node, id, genesis);
    if (genesis !== null) chain = identifiedChain(id, genesis);
    member.verifiedAt = clock.elapsed();
    if (member.problem?.state === 'wrong-chain') clear(member);
  }

  /** All nodes that ever said what their chain began with say the same, and neither that nor the former is a known chain. */
  function hasRestarted(id: number, genesis: Hex | null): boolean {
    if (genesis === null || id !== chain?.id || !chain.genesisHash) return false;
    if (isImpostor(id, chain.genesisHash, genesis)) return false;
    if (members.some((member) => member.genesis !== null && member.genesis !== genesis)) return false;
    restarted = genesis;
    return true;
  }

  function restartedError(node = nodes[0]): ChainError {
    return new ChainError('restarted', `${node?.name} serves a chain that began anew`);
  }

  function otherChain({ name }: RpcNode, id: number, genesis: Hex | null): ChainError {
    const isOn = chainWords(identifiedChain(id, genesis));
    const wanted = chainWords(chain ?? chainProfile(id));
    const words =
      isOn === wanted ? `another chain than the other nodes under id ${id}` : `${isOn}, not on ${wanted}`;
    return new ChainError('wrong-chain', `${name} is on ${words}: give a node of the right chain`);
  }

  /** Failures still count: a node that handles one request and never another must not be tried each time. */
  function clear(member: Member): void {
    member.problem = null;
    member.retryAt = 0;
  }

  function fail(member: Member, error: ChainError): void {
    const state = error.code === 'wrong-chain' ? 'wrong-chain' : 'down';
    member.problem = { state, message: error.message };
    if (clock.elapsed() - member.failedAt > FORGIVEN_MS) member.failures = 0;
    member.failures++;
    member.failedAt = clock.elapsed();
    member.verifiedAt = null;
    member.baseFees.clear();
    // The second failure comes right after the first (see pick), so the doubling begins with the third.
    const pause = state === 'wrong-chain' ? MENDED_MS : 1_000 * 2 ** Math.max(0, member.failures - 2);
    const cap = error.code === 'rate-limited' ? BACKOFF_CAP_MS : MENDED_MS;
    member.retryAt = clock.elapsed() + Math.max(Math.min(pause, cap), error.retryAfterMs ?? 0);
  }

  /** Runs `work` with one member. A failure is recorded where it means that the node is not well. */
  async function attempt<T>(
    member: Member,
    work: (node: RpcNode) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let isVerified = false;
    try {
      await verify(member, signal);
      isVerified = true;
      const result = await work(member.node);
      clear(member);
      return result;
    } catch (error) {
      if (signal?.aborted || !(error instanceof ChainError) || error.code === 'restarted') throw error;
      // A node that refuses is well, though another may know more. Only one that does not even tell its chain id is of no
      // use (it may not accept the key). Many requests may fail at once for one cause: within a pause that counts once.
      const counts = !isVerified || !(isRefusal(error) || error.code === 'unsupported');
      if (counts && clock.elapsed() >= member.retryAt) fail(member, error);
      throw error;
    }
  }

  function refuseFuture(node: RpcNode, header: Header): void {
    const furthest = clock.now() / 1_000 + FURTHEST_AHEAD_SEC;
    if (header.timestamp <= furthest || (chain !== null && isDevelopmentChain(chain))) return;
    throw new ChainError(
      'bad-answer',
      `${node.name} says that block ${header.number} is more than 30 days in the future: check this machine's clock or try another node`,
    );
  }

  return {
    nodes,
    get name() {
      return describeNodes(health());
    },
    chain: () => chain,
    acceptRestart: () => {
      if (restarted === null || chain === null) return;
      chain = identifiedChain(chain.id, restarted);
      restarted = null;
      for (const member of members) {
        member.verifiedAt = null;
        clear(member);
      }
    },
    health,

    run: async (work, { signal, patienceMs = null } = {}) => {
      const failures: ChainError[] = [];
      const order = ranked();
      for (const [index, { member }] of order.entries()) {
        try {
          const result = await attempt(member, work, signal);
          if (result !== null) return result;
          const others = order.slice(index + 1).filter(({ rank }) => rank < 2);
          const tried = others.map((other) => attempt(other.member, work, signal));
          const known = await firstKnown(tried, patienceMs);
          signal?.throwIfAborted();
          return known ?? result;
        } catch (error) {
          if (signal?.aborted || !(error instanceof ChainError) || error.code === 'restarted') throw error;
          failures.push(error);
          // Nodes that are not well cannot know more than the ones that are.
          if (failures.every(({ code }) => code === 'pruned') && (order[index + 1]?.rank ?? 2) > 1) break;
        }
      }
      throw failureOf(failures);
    },

    pick: async (signal) => {
      for (const { member, rank } of ranked()) {
        // One failure may be a lost connection, worth a second try at once; after that the pause counts.
        if (rank === 3 && member.failures > 1) continue;
        try {
          await verify(member, signal);
          return member.node;
        } catch (error) {
          if (signal.aborted || !(error instanceof ChainError) || error.code === 'restarted') throw error;
          fail(member, error);
        }
      }
      throw new ChainError('unreachable', reasonOf(members));
    },

    hasBetterThan: (node) => {
      const [best] = ranked();
      return best !== undefined && best.member.node !== node && best.rank < 2;
    },
    isDue: (node) => clock.elapsed() >= memberOf(node).retryAt,
    confirmChain: async () => {
      const asked = await Promise.allSettled(members.map((member) => verify(member, undefined, true)));
      if (restarted !== null) throw restartedError();
      for (const each of asked) {
        if (each.status === 'rejected' && !isAway(each.reason)) throw each.reason;
      }
    },
    verify: (node, { signal, isForced } = {}) => verify(memberOf(node), signal, isForced),

    observe: (node, header) => {
      const member = memberOf(node);
      refuseFuture(node, header);
      member.head = header.number;
      member.behind = Math.max(0, referenceHead(members, member) - header.number);
      member.baseFees.set(header.number, header.baseFeePerGas);
      for (const number of [...member.baseFees.keys()].sort((a, b) => a - b).slice(0, -REMEMBERED_FEES)) {
        member.baseFees.delete(number);
      }
    },
    responded: (node) => clear(memberOf(node)),
    worked: (node) => {
      const member = memberOf(node);
      clear(member);
      member.failures = 0;
    },
    failed: (node, error) => {
      if (error instanceof ChainError) fail(memberOf(node), error);
      else throw error;
    },
    reason: () => reasonOf(members),
    pauseMs: () => Math.max(0, Math.min(...members.map((member) => member.retryAt)) - clock.elapsed()),
  };
}

/** One error for several failures: a block is pruned only where all say so. */
function failureOf(failures: readonly ChainError[]): ChainError {
  const [first] = failures;
  if (first === undefined) return new ChainError('unreachable', 'there is no node to ask');
  const messages = new Set(failures.map(({ message }) => message));
  const { code } = failures.find((each) => each.code !== 'pruned') ?? first;
  // The first of them that may be asked again.
  const waits = failures.map(({ retryAfterMs }) => retryAfterMs ?? 0);
  return messages.size === 1
    ? first
    : new ChainError(code, [...messages].join('; '), { retryAfterMs: Math.min(...waits) || null });
}

/** A node that does not respond says nothing of its chain. */
const isAway = (error: unknown) =>
  error instanceof ChainError && error.code !== 'wrong-chain' && error.code !== 'restarted';

function chainWords({ id, name, borrowsId }: ChainProfile): string {
  return borrowsId || name === `chain ${id}` ? name : `${name} (chain ${id})`;
}
