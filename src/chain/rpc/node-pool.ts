import type { Hex } from '../../core/block.ts';
import {
  type ChainProfile,
  chainProfile,
  identifiedChain,
  isDevelopmentChain,
  isImpostor,
} from '../../core/chains.ts';
import { type Clock, systemClock } from '../async.ts';
import { ChainError, isRefusal, type NodeHealth } from '../chain-source.ts';
import { type RpcNode, request, requestGenesisHash } from './client.ts';
import { type Header, safeInteger } from './decode.ts';

export interface NodeSeen {
  readonly node: Pick<RpcNode, 'name' | 'latencyMs'>;
  readonly head: number | null;
  /** Number of blocks that other nodes were ahead when this one's head came. */
  readonly behind: number;
  /** Base fees by block number, the newest few. */
  readonly baseFees: ReadonlyMap<number, bigint>;
  readonly problem: { readonly state: 'down' | 'wrong-chain'; readonly message: string } | null;
}

/** Nodes may receive a block within this many seconds of each other without counting as lagging. */
const TOLERANCE_SEC = 6;

/** The state of each node, in order. `blockTimeSec` determines how many blocks count as lagging. */
export function judgeNodes(nodes: readonly NodeSeen[], blockTimeSec: number): NodeHealth[] {
  const tolerated = Math.max(3, Math.ceil(TOLERANCE_SEC / blockTimeSec));
  const agreed = agreedBaseFee(nodes);
  return nodes.map(({ node: { name, latencyMs }, head, behind, baseFees, problem }) => {
    const seen = { name, head, latencyMs };
    if (problem) return { ...seen, ...problem };
    if (head === null) return { ...seen, state: 'ok', message: 'not asked yet' };
    const fee = agreed === null ? undefined : baseFees.get(agreed.number);
    if (agreed !== null && fee !== undefined && fee !== agreed.fee) {
      const message = `base fee of block ${agreed.number} is ${fee} wei here, ${agreed.fee} wei elsewhere`;
      return { ...seen, state: 'disagrees', message };
    }
    if (behind >= tolerated) return { ...seen, state: 'lagging', message: `${behind} blocks behind` };
    return { ...seen, state: 'ok', message: `at block ${head}` };
  });
}

/** The base fee of most nodes for the newest block that two of them have; the first node breaks a tie. */
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
  // A map keeps insertion order, so the first node wins among equals.
  const [fee] = [...votes].reduce((best, each) => (each[1] > best[1] ? each : best));
  return { number, fee };
}

/** The source in a few words: the node's host and port, or how many of several are trustworthy. */
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

interface Member extends NodeSeen {
  readonly node: RpcNode;
  head: number | null;
  behind: number;
  readonly baseFees: Map<number, bigint>;
  problem: NodeSeen['problem'];
  failures: number;
  /** These three by `Clock.elapsed`. */
  failedAt: number;
  retryAt: number;
  /** When its chain was last verified; `null`: not since its connection failed. */
  verifiedAt: number | null;
  /** The genesis hash it last reported. */
  genesis: Hex | null;
}

/** The head of the other nodes: of several the second highest, because the highest may be invented. */
function referenceHead(members: readonly Member[], except: Member): number {
  const heads = members
    .filter((member) => member !== except && member.problem === null && member.head !== null)
    .map((member) => member.head ?? 0)
    .sort((a, b) => b - a);
  return heads[heads.length > 1 ? 1 : 0] ?? 0;
}

function reasonOf(members: readonly Member[]): string {
  const lines = members.flatMap((member) => (member.problem ? [member.problem.message] : []));
  return lines.length === 0 ? 'no node answers' : lines.join('; ');
}

/** The first result that is not `null`; `null` once all are settled, or after `patienceMs`. Never rejects. */
async function firstKnown<T>(results: readonly Promise<T>[], patienceMs: number | null): Promise<T | null> {
  const known = results.map(
    async (result) => (await result) ?? Promise.reject(new Error('nothing is known')),
  );
  const found = Promise.any(known).catch(() => null);
  if (patienceMs === null) return found;
  const over = new AbortController();
  const late = systemClock.sleep(patienceMs, over.signal).then(() => null);
  return Promise.race([found, late]).finally(() => over.abort());
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
const FURTHEST_AHEAD_SEC = 30 * 86_400;

export type NodePool = ReturnType<typeof createNodePool>;

/** Several nodes of one chain: selects the one to use, and compares them. */
export function createNodePool(
  nodes: readonly RpcNode[],
  options: {
    readonly expectedChainId: number | null;
    /** How often a node's chain is verified again, ms; `null`: as its chain requires. */
    readonly recheckMs?: number | null;
    readonly clock: Clock;
  },
) {
  const { clock } = options;
  let chain: ChainProfile | null =
    options.expectedChainId === null ? null : chainProfile(options.expectedChainId);
  /** The genesis hash that every node has after a restart of the chain. */
  let restarted: Hex | null = null;
  const members = nodes.map(
    (node): Member => ({
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
    }),
  );
  const memberOf = (node: RpcNode): Member => {
    const member = members.find((each) => each.node === node);
    if (!member) throw new Error(`${node.name} is not of this pool`);
    return member;
  };
  const health = () => judgeNodes(members, chain?.feeRule.blockTimeSec ?? 12);

  /** Members from best to worst; within a rank in the given order. */
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
      request(node, safeInteger, 'eth_chainId', [], { signal }),
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

  /** Whether all nodes report the same other genesis, and neither that nor the former belongs to a known chain. */
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

  /** Failures still count: a node that handles only some requests must not be tried each time. */
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
    // The second failure comes right after the first (see pick), so the pause doubles from the third on.
    const pause = state === 'wrong-chain' ? MENDED_MS : 1_000 * 2 ** Math.max(0, member.failures - 2);
    const cap = error.code === 'rate-limited' ? BACKOFF_CAP_MS : MENDED_MS;
    member.retryAt = clock.elapsed() + Math.max(Math.min(pause, cap), error.retryAfterMs ?? 0);
  }

  /** Runs `work` with one member. Records a failure if it means that the node is unhealthy. */
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
      // A refusing node is healthy, though another may accept. Only a node that does not even report its chain id is
      // useless (it may not accept the key). One cause may fail many requests at once: within a pause they count
      // once.
      const counts = !isVerified || !(isRefusal(error) || error.code === 'unsupported');
      if (counts && clock.elapsed() >= member.retryAt) fail(member, error);
      throw error;
    }
  }

  function refuseFuture(node: RpcNode, header: Header): void {
    const furthest = clock.now() / 1_000 + FURTHEST_AHEAD_SEC;
    if (header.timestamp <= furthest || (chain !== null && isDevelopmentChain(chain))) return;
    throw new ChainError(
      'bad-response',
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

    /**
     * Runs `work` with the best node, then with the others in turn; rejects with the first failure if all fail. If one
     * returns `null`, tries the other healthy ones too, all at once, for `patienceMs` at most.
     */
    run: async <T>(
      work: (node: RpcNode) => Promise<T>,
      options: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number } = {},
    ): Promise<T> => {
      const { signal, patienceMs = null } = options;
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
          // Unhealthy nodes cannot know more than healthy ones.
          if (failures.every(({ code }) => code === 'pruned') && (order[index + 1]?.rank ?? 2) > 1) break;
        }
      }
      throw failureOf(failures);
    },

    /** The node to follow: it responds and serves the right chain. Rejects when there is none. */
    pick: async (signal: AbortSignal): Promise<RpcNode> => {
      for (const { member, rank } of ranked()) {
        // One failure may be a lost connection, worth an immediate retry; after that the pause applies.
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

    /** Whether a node before `node`, or a healthier one, could be followed instead. */
    hasBetterThan: (node: RpcNode) => {
      const [best] = ranked();
      return best !== undefined && best.member.node !== node && best.rank < 2;
    },
    isDue: (node: RpcNode) => clock.elapsed() >= memberOf(node).retryAt,
    /** Requests the chain id of all nodes; rejects when a responding one serves another chain. */
    confirmChain: async () => {
      const asked = await Promise.allSettled(members.map((member) => verify(member, undefined, true)));
      if (restarted !== null) throw restartedError();
      for (const each of asked) {
        if (each.status === 'rejected' && !isAway(each.reason)) throw each.reason;
      }
    },
    /** Requests the node's chain id, if that is due or `isForced`; rejects when it serves another chain. */
    verify: (node: RpcNode, options: { readonly signal?: AbortSignal; readonly isForced?: boolean } = {}) =>
      verify(memberOf(node), options.signal, options.isForced),

    /** Records a head. Throws `bad-response` for an impossible time. */
    observe: (node: RpcNode, header: Header) => {
      const member = memberOf(node);
      refuseFuture(node, header);
      member.head = header.number;
      member.behind = Math.max(0, referenceHead(members, member) - header.number);
      member.baseFees.set(header.number, header.baseFeePerGas);
      for (const number of [...member.baseFees.keys()].sort((a, b) => a - b).slice(0, -REMEMBERED_FEES)) {
        member.baseFees.delete(number);
      }
    },
    responded: (node: RpcNode) => clear(memberOf(node)),
    /** The node delivered a head: its earlier failures are dropped. */
    worked: (node: RpcNode) => {
      const member = memberOf(node);
      clear(member);
      member.failures = 0;
    },
    failed: (node: RpcNode, error: ChainError) => fail(memberOf(node), error),
    reason: () => reasonOf(members),
    /** Time until the next node may be tried, ms. */
    pauseMs: () => Math.max(0, Math.min(...members.map((member) => member.retryAt)) - clock.elapsed()),
  };
}

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
