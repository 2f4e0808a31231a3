import type { SendFailure } from '../../chain/errors.ts';
import type { Obstacle } from '../../core/auto-txs/auto-tx-state.ts';
import { ownValue } from '../../core/own-value.ts';

/** Said in our own words wherever the node's are understood: they might repeat what was sent. */
const WORDS: Readonly<Record<string, string>> = {
  nonce_used: 'the node says that its nonce is used, though the chain does not: it is tried again',
  replacement_underpriced:
    "another transaction of the sender with this nonce waits in the node's pool, at a price that this one does not beat by a tenth",
  insufficient_balance: 'the node says that the balance does not cover it: add funds, it is tried again',
  cap_below_base: 'its cap is below what the node expects the next block to ask for: it is tried again',
  blob_cap_below_base: 'its cap for blobs is below what blobs cost now: it is tried again',
  underpriced: 'its tip or its cap is below the least that the node takes: it is tried again',
  nonce_gap: 'a nonce below it is not used yet: it is tried again once that is',
  pool_full: "the node's pool has no room for it: it is tried again",
  node_fee_cap:
    'the node sends nothing whose fee may be as high: raise its --rpc.txfeecap, it is tried again',
  takes_none: 'the node takes no transactions from here: give one that does with --rpc, it is tried again',
  unprotected:
    'the node takes nothing that names no chain: allow it there (--rpc.allow-unprotected-txs), or sign it with a chain id; it is tried again',
  rate_limited: 'the node has had too many requests: it is tried again',
  intrinsic_gas: 'its gas limit is below what a block takes it with: sign it with more',
  gas_limit: 'its gas limit is above what the node takes: sign it with less',
  tip_above_cap: 'its tip is above its cap: sign it again',
  wrong_chain: 'it is signed for another chain: sign it for this one',
  type_unsupported: 'the chain does not take transactions of its type: sign it as another one',
  invalid_sender: 'the node does not accept its signature or its sender: sign it again',
  too_large: 'it is larger than nodes take',
  invalid: 'the node says that it is not valid: sign it again',
};

/** What a node's refusal is to people. */
export function sendWords({ reason, message }: SendFailure): Obstacle {
  return { code: reason, message: ownValue(WORDS, reason) ?? message };
}
