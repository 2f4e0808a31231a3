import type { Hex } from '../../core/block.ts';
import { ChainError, isRefusal } from '../errors.ts';
import { transactionAnswer } from './answers.ts';
import type { NodePool } from './node-pool.ts';
import { bytes, hash } from './quantity.ts';
import { ask, type RpcNode } from './rpc-node.ts';
import { transactionHash } from './transaction-hash.ts';

/** How geth, Nethermind, Erigon, Besu, Reth and anvil say that they have the transaction already. */
const ALREADY_KNOWN =
  /already[ _-]?known|known transaction|already imported|already in (?:the )?(?:mem)?pool|already exists/i;

/**
 * Gives a signed transaction to every node and answers its hash as soon as one has it. Rejects with the first
 * refusal, in which the bytes do not appear.
 */
export async function sendTransaction(pool: NodePool, signed: Hex): Promise<Hex> {
  const parsed = bytes.safeParse(signed);
  if (!parsed.success || parsed.data.length < 4) {
    throw new ChainError(
      'rejected',
      'the signed transaction is not hex: give it as 0x followed by pairs of digits',
    );
  }
  const id = hashOf(parsed.data);
  const attempts = pool.nodes.map((node) => sendTo(pool, node, parsed.data, id));
  try {
    return await Promise.any(attempts);
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors : [error];
    throw failures.find(isRefusal) ?? failures[0];
  }
}

async function sendTo(pool: NodePool, node: RpcNode, signed: Hex, id: Hex): Promise<Hex> {
  try {
    await pool.verify(node);
    await ask(node, hash, 'eth_sendRawTransaction', [signed]);
  } catch (error) {
    if (!(error instanceof ChainError) || !isRefusal(error)) throw error;
    if (!ALREADY_KNOWN.test(error.message) && !(await hasTransaction(node, id))) throw error;
  }
  return id;
}

/** "Nonce too low" is also what a node says of a transaction that it has already seen mined. */
async function hasTransaction(node: RpcNode, id: Hex): Promise<boolean> {
  try {
    return (await ask(node, transactionAnswer.nullable(), 'eth_getTransactionByHash', [id])) !== null;
  } catch {
    return false;
  }
}

function hashOf(signed: Hex): Hex {
  try {
    return transactionHash(signed);
  } catch {
    // The parser's own error repeats the bytes.
    throw new ChainError('rejected', 'the signed transaction cannot be read: sign it again');
  }
}
