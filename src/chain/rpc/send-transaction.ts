import type { Hex } from '../../core/block.ts';
import { transactionHash } from '../../core/transactions/transaction-hash.ts';
import type { SendOptions } from '../chain-source.ts';
import { ChainError, isRefusal, SendFailure, type SendOutcome } from '../errors.ts';
import { transactionAnswer } from './answers.ts';
import type { NodePool } from './node-pool.ts';
import { bytes as bytesShape, hash } from './quantity.ts';
import { ask, type RpcNode } from './rpc-node.ts';
import { judgeSendRefusal } from './send-refusal.ts';
import { nullable, Unfit } from './shape.ts';

/**
 * Gives a signed transaction to every node and answers its hash as soon as one has it. Where none does, rejects with a
 * `SendFailure` once all have been heard: what one of them may have taken counts as unknown, whatever the others say.
 * The bytes do not appear in it.
 */
export async function sendTransaction(
  pool: NodePool,
  signed: Hex,
  { isStillWanted = () => true, onTaken = () => {} }: SendOptions,
): Promise<Hex> {
  const bytes = bytesOf(signed);
  const id = hashOf(bytes);
  const verified = async (node: RpcNode) => {
    await verify(pool, node);
    // The process, or the machine, may have slept meanwhile.
    if (!isStillWanted()) throw new SendFailure('later', 'too_late', tooLate(node));
    const taken = await sendTo(node, bytes, id);
    // Of one node alone there is nothing to tell.
    if (pool.nodes.length > 1) onTaken(node.name);
    return taken;
  };
  const attempts = pool.nodes.map(verified);
  try {
    return await Promise.any(attempts);
  } catch (error) {
    throw gravest(error instanceof AggregateError ? error.errors : [error]);
  }
}

async function verify(pool: NodePool, node: RpcNode): Promise<void> {
  try {
    // Whatever was seen of it: what is sent cannot be taken back.
    await pool.verify(node, { isForced: true });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new SendFailure('later', 'unreachable', error);
  }
}

const tooLate = ({ name }: RpcNode) => new ChainError('timeout', `${name} could not be asked in time`);

async function sendTo(node: RpcNode, signed: Hex, id: Hex): Promise<Hex> {
  try {
    await ask(node, hash, 'eth_sendRawTransaction', [signed]);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const failure = failureOf(error);
    // "Nonce too low" is also what a node says of a transaction that it has already seen mined.
    if (failure !== null && (failure.outcome === 'unknown' || !(await hasTransaction(node, id))))
      throw failure;
  }
  return id;
}

/** `null`: the node has it already. */
function failureOf(error: ChainError): SendFailure | null {
  if (error.code === 'rate-limited') return new SendFailure('later', 'rate_limited', error);
  if (error.isUnsent || error.code === 'wrong-chain') return new SendFailure('later', 'unreachable', error);
  if (error.code === 'unsupported') return new SendFailure('later', 'takes_none', error);
  if (!isRefusal(error)) return new SendFailure('unknown', 'unclear', error);
  // The node's own name is before it.
  const { outcome, reason } = judgeSendRefusal(
    error.message.replace(/^.*? refuses eth_sendRawTransaction: /, ''),
  );
  return outcome === 'taken' ? null : new SendFailure(outcome, reason, error);
}

async function hasTransaction(node: RpcNode, id: Hex): Promise<boolean> {
  try {
    return (await ask(node, nullable(transactionAnswer), 'eth_getTransactionByHash', [id])) !== null;
  } catch {
    return false;
  }
}

/** `never` last: what one node refuses for good another may take, once it can be asked. */
const BY_WEIGHT: readonly SendOutcome[] = ['unknown', 'nonce-used', 'later', 'never'];

function gravest(errors: readonly unknown[]): unknown {
  const failures = errors.filter((each) => each instanceof SendFailure);
  if (failures.length < errors.length) return errors.find((each) => !(each instanceof SendFailure));
  const outcome = BY_WEIGHT.find((each) => failures.some((failure) => failure.outcome === each));
  const worst = failures.filter((failure) => failure.outcome === outcome);
  const [first] = worst;
  if (first === undefined || first.reason !== 'unreachable') return first;
  // A node's own words say more than that another is away.
  const refusal = failures.find(({ reason }) => reason !== 'unreachable');
  return refusal === undefined ? first : new SendFailure(first.outcome, refusal.reason, refusal);
}

function bytesOf(signed: Hex): Hex {
  try {
    const bytes = bytesShape(signed);
    if (bytes.length >= 4) return bytes;
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
  }
  throw unreadable('the signed transaction is not hex: give it as 0x followed by pairs of digits');
}

function hashOf(signed: Hex): Hex {
  try {
    return transactionHash(signed);
  } catch {
    // The parser's own error repeats the bytes.
    throw unreadable('the signed transaction cannot be read: sign it again');
  }
}

const unreadable = (message: string) =>
  new SendFailure('never', 'invalid', new ChainError('rejected', message));
