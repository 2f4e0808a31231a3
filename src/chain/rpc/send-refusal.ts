import type { SendOutcome } from '../errors.ts';

export interface SendRefusal {
  readonly outcome: SendOutcome | 'taken';
  /** A word for programs. */
  readonly reason: string;
}

/**
 * What nodes say when they do not take a transaction, from the sources of geth (core/error.go, core/txpool/errors.go),
 * Erigon (txpoolcfg), reth (rpc-eth-types), Nethermind (AcceptTxResult, TxPoolErrorMessages), Besu (RpcErrorType) and
 * anvil (eth/error.rs). The first that fits counts.
 */
const SAID: readonly (readonly [RegExp, SendRefusal])[] = [
  [
    /already[ _-]?known|known transaction|already imported|already added|already in (?:the )?(?:mem)?pool|already exists|existing txn? with same hash|duplicate ?hash/i,
    { outcome: 'taken', reason: 'already_known' },
  ],
  [
    /\bmethod\b.*(?:not (?:found|supported|allowed|available|enabled|whitelisted)|does not exist|unsupported|disabled|forbidden)|\bread[- ]only\b/i,
    { outcome: 'later', reason: 'takes_none' },
  ],
  // A setting of the node, not a rule of the chain.
  [/(?:only )?replay[- ]protect/i, { outcome: 'later', reason: 'unprotected' }],
  [/authority nonce/i, { outcome: 'later', reason: 'authority' }],
  [
    /nonce (?:is )?too low|oldnonce|stale nonce|invalid nonce.*(?:lower|below)|transaction already mined|: mined$/i,
    { outcome: 'nonce-used', reason: 'nonce_used' },
  ],
  [
    /replacement|insufficient gas price to replace|could not replace|not ?replaced|replacementnotallowed|replace (?:existing|pending)|can't replace/i,
    { outcome: 'later', reason: 'replacement_underpriced' },
  ],
  [
    /insufficient (?:funds|balance)|insufficientfunds|exceeds (?:account |transaction sender account )?balance|not enough (?:funds|balance)|doesn't have enough funds/i,
    { outcome: 'later', reason: 'insufficient_balance' },
  ],
  [
    /(?:blob gas price|blob fee|fee per blob gas|blob_gas_price|max_fee_per_blob_gas).*(?:below|less|greater|low)/i,
    { outcome: 'later', reason: 'blob_cap_below_base' },
  ],
  [
    /(?:max ?fee per gas|fee ?cap|gas price).*(?:less than|below|lower than).*base ?fee|feecaptoolow|base ?fee.*(?:exceeds|higher)/i,
    { outcome: 'later', reason: 'cap_below_base' },
  ],
  [
    /intrinsic ?gas|\bgas too low|floor data gas|gas floor|insufficient gas for floor/i,
    { outcome: 'never', reason: 'intrinsic_gas' },
  ],
  [
    /exceeds (?:the )?block(?:'s)? gas limit|exceeds block gas|greater than the block gas limit|gas limit reached|gaslimitexceeded|gas limit is too high|exceeds max(?:imum)? transaction gas limit|transaction gas limit too high|gaslimittoohigh/i,
    { outcome: 'never', reason: 'gas_limit' },
  ],
  [/higher than (?:the )?max fee per gas|tip above fee ?cap/i, { outcome: 'never', reason: 'tip_above_cap' }],
  [
    /underpriced|fee ?too ?low|gas price too low|below (?:configured )?minimum|feetoolowtocompete|gas tip cap.*minimum/i,
    { outcome: 'later', reason: 'underpriced' },
  ],
  [
    /nonce (?:is )?too (?:high|distant|far)|noncegap|nonce gap|future (?:nonce|transaction)|noncetoofarinfuture|incorrect nonce/i,
    { outcome: 'later', reason: 'nonce_gap' },
  ],
  [
    /(?:pool|limit in txpool) (?:is )?(?:full|overflow)|pool is full|sub-pool is full|account limit exceeded|spammer|discarded outright|in-flight transaction limit|(?:address|authority) already reserved|conflicting (?:tx|transaction)? ?type|txs?ofconflictingtype/i,
    { outcome: 'later', reason: 'pool_full' },
  ],
  [/chain ?id|signed for another chain|eip-155/i, { outcome: 'never', reason: 'wrong_chain' }],
  [
    /type (?:is )?not supported|transactiontypenotsupported|notsupportedtxtype|unsupported (?:transaction )?type|invalid transaction type|unknown transaction type|not supported (?:by|before)|is not activated/i,
    { outcome: 'never', reason: 'type_unsupported' },
  ],
  [
    /invalid (?:sender|signature|transaction v, r, s)|failed ?to ?(?:recover|resolve) ?sender|sender not an eoa|senderiscontract|sender is (?:a )?contract|invalid sender/i,
    { outcome: 'never', reason: 'invalid_sender' },
  ],
  [
    /oversized|too large|rlptoolong|max ?init ?code ?size|initcode too large|exceeds max_init_code_size/i,
    { outcome: 'never', reason: 'too_large' },
  ],
  [
    /negative value|uint64 overflow|gasuintoverflow|nonce has max value|cost overflow|higher than 2\^256|transaction invalid|rlp[: ]|failed to decode|invalid params.*(?:rlp|transaction)|typed transaction too short/i,
    { outcome: 'never', reason: 'invalid' },
  ],
  [
    /blobs? (?:transaction|hash|sidecar|proof|versioned)|kzg|number of blobs|empty authorization|create transaction/i,
    { outcome: 'never', reason: 'invalid' },
  ],
  [/configured cap|fee cap exceeded/i, { outcome: 'later', reason: 'node_fee_cap' }],
  // A node behind a gateway: what it made of the bytes nobody says.
  [
    /time[d]? ?-?out|deadline|gateway|unavailable|internal (?:server )?error|overloaded|try again|no (?:healthy )?(?:upstream|backend)/i,
    { outcome: 'unknown', reason: 'unclear' },
  ],
];

/** What a node's refusal of a transaction means; words that nobody knows are taken for a refusal for now. */
export function judgeSendRefusal(said: string): SendRefusal {
  return SAID.find(([pattern]) => pattern.test(said))?.[1] ?? { outcome: 'later', reason: 'refused' };
}
