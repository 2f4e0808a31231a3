import type { Hex } from '../../core/block.ts';
import type { RpcNode } from './rpc-node.ts';

/** A node of a pool, and what was seen of it. */
export interface Member {
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
  /** What it last said that its chain began with. */
  genesis: Hex | null;
}

/** One that has not been asked anything. */
export const newMember = (node: RpcNode): Member => ({
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

/** How far the chain is, by the other nodes: with several of them not the furthest, which may be making it up. */
export function referenceHead(members: readonly Member[], except: Member): number {
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
