import type { NodeHealth } from '../chain-source.ts';

/** What was last seen of a node. */
export interface NodeSeen {
  readonly name: string;
  readonly head: number | null;
  /** How far the other nodes were ahead when this one's head was heard. */
  readonly behind: number;
  readonly latencyMs: number | null;
  /** Base fees by block number, the newest few. */
  readonly baseFees: ReadonlyMap<number, bigint>;
  readonly problem: { readonly state: 'down' | 'wrong-chain'; readonly message: string } | null;
}

/** Seconds within which nodes hear of a block at different times without one of them being late. */
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
  const answering = nodes.filter((node) => node.problem === null);
  const counts = new Map<number, number>();
  for (const node of answering) {
    for (const number of node.baseFees.keys()) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const shared = [...counts].filter(([, count]) => count >= 2).map(([number]) => number);
  if (shared.length === 0) return null;
  const number = Math.max(...shared);
  const votes = new Map<bigint, number>();
  for (const node of answering) {
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
  const answering = count((node) => node.state !== 'down' && node.state !== 'wrong-chain');
  const ok = count((node) => node.state === 'ok');
  const elsewhere = count((node) => node.state === 'wrong-chain');
  if (elsewhere > 0) return `${answering} of ${total} nodes, ${elsewhere} on another chain`;
  if (answering === 0) return `none of ${total} nodes answers`;
  // Who has not been asked cannot be said to agree.
  if (count((node) => node.state === 'ok' && node.head === null) > 0) {
    return answering === total ? `${total} nodes` : `${answering} of ${total} nodes`;
  }
  if (answering === 1) return `1 of ${total} nodes answers`;
  if (ok === total) return `${total} nodes agree`;
  if (ok > 1) return `${ok} of ${total} nodes agree`;
  const disagree = count((node) => node.state === 'disagrees') > 0;
  return disagree ? `${answering} nodes disagree` : `1 of ${total} nodes is up to date`;
}
