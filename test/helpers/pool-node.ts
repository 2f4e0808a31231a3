import { capOf, paysAt } from '../../src/core/auto-txs/target.ts';
import type { Hex } from '../../src/core/block.ts';
import { GAS_PER_BLOB } from '../../src/core/eip4844.ts';
import { decodeTransaction } from '../../src/core/transactions/decode-transaction.ts';
import type { SignedTransaction } from '../../src/core/transactions/signed-transaction.ts';
import { TAKES } from '../core/transactions/support/pool-checks.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from './json-rpc-server.ts';
import type { ScriptedBlock, ScriptedChain } from './scripted-chain.ts';

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const error = (message: string): Reply => ({ error: { code: -32_000, message } });

interface Mined {
  readonly block: ScriptedBlock;
  readonly price: bigint;
  readonly cost: bigint;
}

/** Chain state that nodes share: each has a pool of its own. */
export interface PoolChain {
  readonly chain: ScriptedChain;
  readonly balances: Map<string, bigint>;
  readonly nonces: Map<string, number>;
  readonly mined: Map<Hex, Mined & { readonly transaction: SignedTransaction }>;
}

export const poolChain = (chain: ScriptedChain): PoolChain => ({
  chain,
  ...{ balances: new Map(), nonces: new Map(), mined: new Map() },
});

export interface PoolNode extends JsonRpcServer {
  readonly pool: Map<Hex, SignedTransaction>;
  send(raw: Hex): Reply;
}

/**
 * A node with a pool that keeps every transaction it can pay for, and takes a replacement only if each client's own rule does.
 * `hidesPool`: it has no `txpool_contentFrom`.
 */
export async function startPoolNode(state: PoolChain, { hidesPool = false } = {}): Promise<PoolNode> {
  const pool = new Map<Hex, SignedTransaction>();
  const { chain, balances, nonces, mined } = state;
  const nonceOf = (address: string) => nonces.get(address.toLowerCase()) ?? 0;
  const ownOf = (address: string) =>
    [...pool.values()].filter(
      ({ from, hash }) => from.toLowerCase() === address.toLowerCase() && !mined.has(hash),
    );

  function send(raw: Hex): Reply {
    const made = decodeTransaction(raw);
    if (made.nonce < nonceOf(made.from)) return error('nonce too low');
    if ((balances.get(made.from.toLowerCase()) ?? 0n) < made.value + mostOf(made)) {
      return error('insufficient funds for gas * price + value');
    }
    const own = ownOf(made.from);
    const old = own.find(({ nonce }) => nonce === made.nonce);
    if (own.some((each) => (each.type === 3) !== (made.type === 3))) return error('address already reserved');
    const baseFee = chain.head().baseFeePerGas;
    const isLegacy = made.gasPrice !== null && old?.gasPrice != null;
    const isTaken = (old_: SignedTransaction) =>
      Object.values(TAKES).every((takes) => takes(feesOf(old_), feesOf(made), baseFee, isLegacy));
    if (old !== undefined && (!isTaken(old) || made.blobCount < old.blobCount)) {
      return error('replacement transaction underpriced');
    }
    if (old !== undefined) pool.delete(old.hash);
    pool.set(made.hash, made);
    return { result: made.hash };
  }

  const answer = (method: string, params: readonly unknown[]): Reply | undefined => {
    const [first = '', second] = params.map(String);
    const result = (value: unknown): Reply => ({ result: value });
    if (method === 'eth_sendRawTransaction') return send(first as Hex);
    if (method === 'eth_getBalance') return result(hex(balances.get(first.toLowerCase()) ?? 0n));
    if (method === 'eth_getCode') return result('0x');
    if (method === 'eth_getTransactionCount') {
      let next = nonceOf(first);
      while (second === 'pending' && ownOf(first).some(({ nonce }) => nonce === next)) next += 1;
      return result(hex(next));
    }
    if (method === 'eth_getTransactionByHash') {
      const included = mined.get(first as Hex);
      const found = included?.transaction ?? pool.get(first as Hex);
      return result(found === undefined ? null : rpcOf(found, included?.block ?? null));
    }
    if (method === 'txpool_contentFrom' && !hidesPool) {
      const content = ownOf(first).map((each) => [String(each.nonce), rpcOf(each, null)]);
      return result({ pending: Object.fromEntries(content), queued: {} });
    }
    return undefined;
  };
  return Object.assign(await startJsonRpcServer(chain, { answer }), { pool, send });
}

/** Mines a block with all that the pools have and it takes: caps, tips and blob fees that suffice, in the order of nonces. */
export function mineFrom(state: PoolChain, nodes: readonly PoolNode[], leastTip: bigint): void {
  const { chain, balances, nonces, mined } = state;
  const block = chain.mine(1, { tip: leastTip });
  const all = nodes.flatMap(({ pool }) => [...pool.values()]).sort((one, other) => one.nonce - other.nonce);
  for (const each of all) {
    const sender = each.from.toLowerCase();
    const price = paysAt(each, block.baseFeePerGas);
    const isPaid =
      capOf(each) >= block.baseFeePerGas &&
      price - block.baseFeePerGas >= leastTip &&
      (each.maxFeePerBlobGas ?? block.blobBaseFee) >= block.blobBaseFee;
    if (!isPaid || each.nonce !== (nonces.get(sender) ?? 0)) continue;
    const cost = each.gasLimit * price + BigInt(each.blobCount) * GAS_PER_BLOB * block.blobBaseFee;
    if ((balances.get(sender) ?? 0n) < each.value + mostOf(each)) continue;
    balances.set(sender, (balances.get(sender) ?? 0n) - each.value - cost);
    nonces.set(sender, each.nonce + 1);
    mined.set(each.hash, { block, price, cost, transaction: each });
  }
}

const mostOf = (each: SignedTransaction) =>
  each.gasLimit * capOf(each) + BigInt(each.blobCount) * GAS_PER_BLOB * (each.maxFeePerBlobGas ?? 0n);

const feesOf = (each: SignedTransaction) => ({
  maxFeePerGas: capOf(each),
  maxPriorityFeePerGas: each.gasPrice ?? each.maxPriorityFeePerGas ?? 0n,
  maxFeePerBlobGas: each.maxFeePerBlobGas,
});

const rpcOf = (each: SignedTransaction, block: ScriptedBlock | null) => ({
  ...{
    hash: each.hash,
    type: hex(each.type),
    from: each.from.toLowerCase(),
    to: each.to?.toLowerCase() ?? null,
  },
  ...{ value: hex(each.value), nonce: hex(each.nonce), gas: hex(each.gasLimit), input: each.data },
  gasPrice: hex(capOf(each)),
  ...(each.maxFeePerGas !== null && {
    maxFeePerGas: hex(each.maxFeePerGas),
    maxPriorityFeePerGas: hex(each.maxPriorityFeePerGas ?? 0n),
  }),
  ...(each.maxFeePerBlobGas !== null && {
    maxFeePerBlobGas: hex(each.maxFeePerBlobGas),
    blobVersionedHashes: Array.from({ length: each.blobCount }, () => `0x01${'0'.repeat(62)}`),
  }),
  blockNumber: block && hex(block.number),
  blockHash: block?.hash ?? null,
});
