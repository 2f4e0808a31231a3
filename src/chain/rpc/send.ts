import { type Hex, isHex } from '../../core/block.ts';
import { transactionHash } from '../../core/transactions/decode-transaction.ts';
import { ChainError, isRefusal, SendFailure, type SendOptions, type SendOutcome } from '../chain-source.ts';
import { type RpcNode, request } from './client.ts';
import { hash, nullish, transactionResponse } from './decode.ts';
import type { NodePool, PoolNode } from './node-pool.ts';

/**
 * By the first match; from the sources of geth (core/error.go, core/txpool/errors.go), Erigon (txpoolcfg), reth (rpc-eth-types),
 * Nethermind (AcceptTxResult, TxErrorMessages), Besu (RpcErrorType), anvil (eth/error.rs), Nitro (gethexec), OpenEthereum
 * (rpc helpers/errors.rs), skaled (exceptionToErrorMessage), Monad (EthTxPoolDropReason) and Cosmos EVM (ante).
 * The test names the source of each text.
 */
const REFUSALS: Readonly<Record<string, RegExp>> = {
  authority: /authority nonce/i,
  // Another transaction has the nonce in the node's pool: before those that say that the node has this very one.
  replacement_underpriced:
    /same nonce|nonce.*already (?:exists|in (?:the )?(?:mem)?pool|reserved)|ownnoncealreadyused|replacement|insufficient gas price to replace|could not replace|not ?replaced|replaced by|replace (?:existing|pending)|can'?t replace|had higher priority/i,
  nonce_used:
    /nonce (?:is )?too low|oldnonce|stale nonce|pool\(stale\)|nonce (?:has )?(?:already )?(?:been )?used|(?:invalid|incorrect) (?:transaction )?(?:nonce|sequence)|sequence mismatch|already (?:mined|finalized|in the (?:block)?chain)|: mined$/i,
  already_known:
    /already[ _-]?known|\bknown transaction|already ?imported|already added|already in (?:the )?(?:(?:mem|tx)?pool|system)|\b(?:txn?|transaction|hash)(?: \(?0x[0-9a-f]+\)?)? already exists|existing txn? with same hash|duplicate ?hash/i,
  takes_none:
    /\bmethod\b.*(?:not (?:found|supported|allowed|available|enabled|whitelisted)|does not exist|unsupported|disabled|forbidden)|\bread[- ]only\b|transaction pool not enabled/i,
  // A setting of the node, not a rule of the chain.
  unprotected: /(?:only )?replay[- ]protect|chain ?id is required/i,
  insufficient_balance:
    /insufficient (?:funds|balance)|insufficientfunds|exceeds (?:account |transaction sender account )?balance|not enough (?:funds|balance)|doesn'?t have enough funds|balance is too low|overdraft/i,
  blob_cap_below_base:
    /(?:blob gas price|blob fee|fee per blob gas|blob_gas_price|max_fee_per_blob_gas).*(?:below|less|greater|low)/i,
  cap_below_base:
    /(?:max ?fee per gas|fee ?cap|gas price).*(?:less than|below|lower than).*base ?fee|feecaptoolow|base ?fee.*(?:exceeds|higher)/i,
  gas_limit:
    /exceeds (?:the )?block(?:s)? gas limit|exceeds block gas|greater than the block gas limit|gas limit reached|gaslimit(?:cap)?exceeded|gas limit (?:is )?too high|gas ?too ?high|exceeds max(?:imum)? transaction gas limit|exceeds current gas limit|gas is beyond limit|gaslimittoohigh/i,
  intrinsic_gas: /intrinsic ?gas|\bgas (?:is )?too low|floor data gas|gas floor|insufficient gas for floor/i,
  tip_above_cap:
    /(?:higher than|exceeds) (?:the )?max ?fee ?per ?gas|higher than maxfeepergas|tip above fee ?cap/i,
  underpriced:
    /underpriced|fee ?too ?low|gas ?price (?:is )?too low|below (?:configured )?minimum|feetoolowtocompete|gas tip cap.*minimum|(?:lower|less) than (?:current eth_gasprice|gas price minimum)/i,
  nonce_gap:
    /nonce ?(?:is )?too ?(?:high|distant|far)|noncegap|nonce gap|gapped-nonce|lower nonce exists|future (?:nonce|transaction)|noncetoofarinfuture/i,
  pool_full:
    /(?:pool|queue|limit in txpool) (?:is )?(?:full|overflow|not ready)|account limit exceeded|spammer|discarded outright|too many transactions|congestion|in-flight transaction limit|(?:address|authority) already reserved|conflicting (?:tx|transaction)? ?type|type conflict|txs?ofconflictingtype/i,
  wrong_chain: /chain ?id|signed for another chain|eip-155/i,
  type_unsupported:
    /type (?:is )?not supported|transactiontypenotsupported|notsupportedtxtype|unsupported (?:transaction )?type|invalid transaction type|unknown transaction type|not supported (?:by|before|for blocks)|list not supported|before berlin|is not activated|invalidtxtype/i,
  sender_has_code: /sender (?:is )?not an eoa|senderiscontract|sender is (?:a )?contract|non-account/i,
  invalid_sender:
    /invalid (?:transaction )?(?:sender|signature|transaction v, r, s)|failed ?to ?(?:recover|resolve) ?sender|invalidtxsignature|signature is invalid/i,
  too_large:
    /oversized|too (?:large|big)|rlptoolong|max ?init ?code ?size|initcode too large|exceeds max_init_code_size/i,
  invalid:
    /negative value|uint64 overflow|gasuintoverflow|int256overflow|nonce has max value|cost overflow|higher than 2\^\d+|transaction invalid|invalid transaction format|rlp[: ]|failed to decode|invalid params.*(?:rlp|transaction)|typed transaction too short|blobs? (?:transaction|hash|sidecar|proof|versioned)|kzg|number of blobs|empty authorization|has invalid fields|create transaction/i,
  node_fee_cap: /configured cap|fee cap exceeded/i,
  // A gateway failed: whether its node has the bytes is unknown.
  unclear:
    /time[d]? ?-?out|deadline|gateway|unavailable|internal (?:server )?error|overloaded|try again|no (?:healthy )?(?:upstream|backend)/i,
};

/**
 * Those not named here may be accepted later; so may those that contradict what the bytes themselves say and was checked
 * before (chain id, signature, tip below cap): such a node is wrong, not the transaction.
 */
const OUTCOMES: Readonly<Record<string, SendOutcome | 'taken'>> = {
  already_known: 'taken',
  nonce_used: 'nonce-used',
  intrinsic_gas: 'never',
  gas_limit: 'never',
  type_unsupported: 'never',
  sender_has_code: 'never',
  too_large: 'never',
  invalid: 'never',
  unclear: 'unknown',
};

/** The meaning of a node's refusal of a transaction; an unknown text counts as a temporary refusal. */
export function judgeSendRefusal(text: string) {
  const [reason = 'refused'] = Object.entries(REFUSALS).find(([, pattern]) => pattern.test(text)) ?? [];
  return { outcome: OUTCOMES[reason] ?? 'later', reason };
}

/**
 * To every node; resolves to the hash as soon as one has it. If none has, rejects with a `SendFailure` once all are done: if one
 * may have it the outcome is unknown, whatever the others say. The error does not contain the bytes.
 */
export async function sendTransaction(
  pool: NodePool,
  signed: Hex,
  { isStillWanted = () => true, onTaken = () => {} }: SendOptions,
): Promise<Hex> {
  const { bytes, id } = bytesAndId(signed);
  const verified = async (node: PoolNode) => {
    // Always verified again: a sent transaction cannot be recalled.
    await pool.verify(node, { isForced: true }).catch((error: unknown) => {
      throw error instanceof ChainError ? new SendFailure('later', 'unreachable', error) : error;
    });
    const taken = await sendTo(node, bytes, id, () => {
      // The process, or the machine, may have been suspended meanwhile.
      const words = `${node.name} could not be asked in time`;
      if (!isStillWanted()) throw new SendFailure('later', 'too_late', new ChainError('timeout', words));
    });
    if (pool.nodes.length > 1) onTaken(node.name);
    return taken;
  };
  try {
    return await Promise.any(pool.nodes.map(verified));
  } catch (error) {
    throw gravest(error instanceof AggregateError ? error.errors : [error]);
  }
}

async function sendTo(node: RpcNode, signed: Hex, id: Hex, beforeWrite: () => void): Promise<Hex> {
  try {
    await request(node, hash, 'eth_sendRawTransaction', [signed], { beforeWrite });
  } catch (error) {
    if (error instanceof SendFailure || !(error instanceof ChainError)) throw error;
    const failure = sendFailureOf(error);
    // Nodes also report "nonce too low" for a transaction that is already mined.
    if (failure !== null && (failure.outcome === 'unknown' || !(await hasTransaction(node, id))))
      throw failure;
  }
  return id;
}

/** `null`: the node already has it. */
function sendFailureOf(error: ChainError): SendFailure | null {
  if (error.code === 'rate-limited' && error.isUnsent) return new SendFailure('later', 'rate_limited', error);
  if (error.isUnsent || error.code === 'wrong-chain') return new SendFailure('later', 'unreachable', error);
  if (error.code === 'unsupported') return new SendFailure('later', 'takes_none', error);
  if (!isRefusal(error)) return new SendFailure('unknown', 'unclear', error);
  // The node's name precedes its text.
  const { outcome, reason } = judgeSendRefusal(
    error.message.replace(/^.*? refuses eth_sendRawTransaction: /, ''),
  );
  return outcome === 'taken' ? null : new SendFailure(outcome, reason, error);
}

const hasTransaction = (node: RpcNode, id: Hex): Promise<boolean> =>
  request(node, nullish(transactionResponse), 'eth_getTransactionByHash', [id]).then(
    (found) => found !== null,
    () => false,
  );

/** `never` last: another node may accept it, once it is reachable. */
const BY_WEIGHT: readonly SendOutcome[] = ['unknown', 'nonce-used', 'later', 'never'];

function gravest(errors: readonly unknown[]): unknown {
  const failures = errors.filter((each) => each instanceof SendFailure);
  if (failures.length < errors.length) return errors.find((each) => !(each instanceof SendFailure));
  const outcome = BY_WEIGHT.find((each) => failures.some((failure) => failure.outcome === each));
  const worst = failures.filter((failure) => failure.outcome === outcome);
  const [first] = worst;
  if (first === undefined || first.reason !== 'unreachable') return first;
  // A node's refusal tells more than the unavailability of another.
  const refusal = failures.find(({ reason }) => reason !== 'unreachable');
  return refusal === undefined ? first : new SendFailure(first.outcome, refusal.reason, refusal);
}

function bytesAndId(signed: Hex): { readonly bytes: Hex; readonly id: Hex } {
  let words = 'the signed transaction is not hex: give it as 0x followed by pairs of digits';
  if (isHex(signed)) {
    const bytes: Hex = `0x${signed.slice(2).toLowerCase()}`;
    try {
      return { bytes, id: transactionHash(bytes) };
    } catch {
      // The parser's own error repeats the bytes.
      words = 'the signed transaction cannot be read: sign it again';
    }
  }
  throw new SendFailure('never', 'invalid', new ChainError('rejected', words));
}
