import { afterEach, describe, expect, test } from 'vitest';
import { SendFailure } from '../../../src/chain/chain-source.ts';
import { judgeSendRefusal } from '../../../src/chain/rpc/send.ts';
import { createRpcSource, type RpcSource } from '../../../src/chain/rpc-source.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from '../../helpers/json-rpc-server.ts';
import { closedPort } from '../../helpers/receiver.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';

const signed = `0x02${'ab'.repeat(120)}` as const;
const chain = createScriptedChain();
const servers: JsonRpcServer[] = [];
const sources: RpcSource[] = [];

afterEach(async () => {
  for (const source of sources.splice(0)) source.close();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function node(reply: Reply): Promise<string> {
  const server = await startJsonRpcServer(chain, {
    answer: (method) => (method === 'eth_sendRawTransaction' ? reply : undefined),
  });
  servers.push(server);
  return server.url;
}

const refusing = (message: string) => node({ error: { code: -32000, message } });

async function failureAt(urls: readonly string[], requestTimeoutMs = 10_000): Promise<SendFailure> {
  const source = createRpcSource({ urls, requestTimeoutMs });
  sources.push(source);
  const error: unknown = await source.sendRawTransaction(signed).catch((thrown: unknown) => thrown);
  if (!(error instanceof SendFailure)) throw new Error(`not refused as such: ${String(error)}`);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('abababab');
  return error;
}

test.each([
  ['nonce too low: next nonce 5, tx nonce 3', 'nonce-used', 'nonce_used'],
  ['OldNonce, Current nonce: 5, nonce of rejected tx: 3', 'nonce-used', 'nonce_used'],
  ['Nonce too low', 'nonce-used', 'nonce_used'],
  ['nonce too high', 'later', 'nonce_gap'],
  ['NonceGap, Future nonce. Expected nonce: 4', 'later', 'nonce_gap'],
  ['Transaction nonce is too distant from current sender nonce', 'later', 'nonce_gap'],
  ['replacement transaction underpriced', 'later', 'replacement_underpriced'],
  ['Tx: [0x12] insufficient gas price to replace existing transaction', 'later', 'replacement_underpriced'],
  ['could not replace existing tx', 'later', 'replacement_underpriced'],
  ['transaction underpriced: gas tip cap 0, minimum needed 1', 'later', 'underpriced'],
  ['FeeTooLow, EffectivePriorityFeePerGas too low 0 < 1', 'later', 'underpriced'],
  ['Gas price below configured minimum gas price', 'later', 'underpriced'],
  ['insufficient funds for gas * price + value: balance 1, tx cost 2', 'later', 'insufficient_balance'],
  ['InsufficientFunds, Account balance: 0, cumulative cost: 1', 'later', 'insufficient_balance'],
  ['Upfront cost exceeds account balance', 'later', 'insufficient_balance'],
  ['max fee per gas less than block base fee', 'later', 'cap_below_base'],
  ['Gas price below current base fee', 'later', 'cap_below_base'],
  ['max fee per blob gas less than block blob gas fee', 'later', 'blob_cap_below_base'],
  ['txpool is full', 'later', 'pool_full'],
  ['pending sub-pool is full', 'later', 'pool_full'],
  ['account limit exceeded: pooled 16 txs', 'later', 'pool_full'],
  ['in-flight transaction limit reached for delegated accounts', 'later', 'pool_full'],
  ['tx fee (2.10 ether) exceeds the configured cap (1.00 ether)', 'later', 'node_fee_cap'],
  ['only replay-protected (EIP-155) transactions allowed over RPC', 'later', 'unprotected'],
  ['method eth_sendRawTransaction is not supported by this node', 'later', 'takes_none'],
  ['the method eth_sendRawTransaction does not exist/is not available', 'later', 'takes_none'],
  ['this endpoint is read-only', 'later', 'takes_none'],
  ['sender has to wear a hat', 'later', 'refused'],
  ['intrinsic gas too low: gas 20000, minimum needed 21000', 'never', 'intrinsic_gas'],
  ['IntrinsicGas', 'never', 'intrinsic_gas'],
  ['Intrinsic gas exceeds gas limit', 'never', 'intrinsic_gas'],
  ['exceeds block gas limit', 'never', 'gas_limit'],
  ['Transaction gas limit exceeds block gas limit', 'never', 'gas_limit'],
  ['GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000', 'never', 'gas_limit'],
  ['transaction type not supported', 'never', 'type_unsupported'],
  ['Invalid transaction type', 'never', 'type_unsupported'],
  ['fork supporting this transaction type is not activated yet', 'never', 'type_unsupported'],
  ['sender not an eoa: address 0x12', 'never', 'sender_has_code'],
  ['oversized data: transaction size 140000, limit 131072', 'never', 'too_large'],
  ['RLPTooLong', 'never', 'too_large'],
  ['max initcode size exceeded', 'never', 'too_large'],
  ['negative value', 'never', 'invalid'],
  ['rlp: expected input list', 'never', 'invalid'],
  ['Failed to decode signed transaction', 'never', 'invalid'],
  ['context deadline exceeded', 'unknown', 'unclear'],
  ['Internal error', 'unknown', 'unclear'],
  ['already known', 'taken', 'already_known'],
  ['Tx: [0x12] already Imported', 'taken', 'already_known'],
  ['existing txn with same hash', 'taken', 'already_known'],
])('what a node says when it does not take a transaction "%s" is %s: %s', (said, outcome, reason) => {
  expect(judgeSendRefusal(said)).toEqual({ outcome, reason });
});

/** Each with where it is from. */
test.each([
  // The transaction itself.
  ['Known transaction', 'taken', 'already_known', 'Besu RpcErrorType'],
  ['ALREADY_EXISTS: already known', 'taken', 'already_known', 'Erigon txpool_proto'],
  ['INTERNAL_ERROR: existing tx with same hash', 'taken', 'already_known', 'Erigon before 3'],
  [
    'Same transaction already exists in the pending transaction queue.',
    'taken',
    'already_known',
    'skaled Eth.cpp',
  ],
  [
    'Transaction with the same hash was already imported.',
    'taken',
    'already_known',
    'OpenEthereum errors.rs',
  ],
  [
    'known transaction. transaction with hash 0x60…53 is already in the system',
    'taken',
    'already_known',
    'zkSync',
  ],
  ['Pool(AlreadyImported)', 'taken', 'already_known', 'Frontier'],
  [
    'failed to broadcast transaction: : tx already in mempool',
    'taken',
    'already_known',
    'Cosmos SDK errors.go',
  ],
  ['tx already exists in cache', 'taken', 'already_known', 'CometBFT mempool'],
  // Another transaction with its nonce.
  [
    'Pending transaction with same nonce already exists (skale: we ignore gas price).',
    'later',
    'replacement_underpriced',
    'skaled Eth.cpp',
  ],
  [
    'Pending transaction with same nonce but higher gas price exists.',
    'later',
    'replacement_underpriced',
    'cpp-ethereum Eth.cpp',
  ],
  ['OwnNonceAlreadyUsed', 'later', 'replacement_underpriced', 'Nethermind AcceptTxResult'],
  [
    'there is another tx which has the same nonce in the tx pool',
    'later',
    'replacement_underpriced',
    'Klaytn',
  ],
  [
    'Transaction gas price 100wei is too low. There is another transaction with same nonce in the queue with gas price 150wei.',
    'later',
    'replacement_underpriced',
    'OpenEthereum errors.rs',
  ],
  ['An existing transaction had higher priority', 'later', 'replacement_underpriced', 'Monad'],
  ["can't replace blob-txn with a non-blob-txn", 'later', 'replacement_underpriced', 'Erigon txpoolcfg'],
  [
    'future transaction tries to replace pending',
    'later',
    'replacement_underpriced',
    'geth txpool/errors.go',
  ],
  // Neither.
  ['account already exists', 'later', 'refused', 'none known'],
  ['transaction rejected: account already exists', 'later', 'refused', 'none known'],
  ['unknown transaction type', 'never', 'type_unsupported', 'none known'],
  // The nonce is refused, in either direction: the chain is asked.
  ['Invalid transaction nonce.', 'nonce-used', 'nonce_used', 'skaled, Arbitrum'],
  ['invalid nonce; got 26, expected 27: invalid sequence', 'nonce-used', 'nonce_used', 'Cosmos EVM ante'],
  [
    'account sequence mismatch, expected 18, got 17: incorrect account sequence',
    'nonce-used',
    'nonce_used',
    'Cosmos SDK',
  ],
  ['Pool(Stale)', 'nonce-used', 'nonce_used', 'Frontier'],
  ['nonce too low. allowed nonce range: 427 - 447, actual: 426', 'nonce-used', 'nonce_used', 'zkSync'],
  ['Transaction is already in the blockchain.', 'nonce-used', 'nonce_used', 'skaled Eth.cpp'],
  ['transaction already finalized', 'nonce-used', 'nonce_used', 'Harmony'],
  ['gapped-nonce tx from delegated accounts', 'later', 'nonce_gap', 'geth legacypool.go'],
  ['An invalid transaction with a lower nonce exists', 'later', 'nonce_gap', 'Besu RpcErrorType'],
  ['delegation nonce gap', 'later', 'nonce_gap', 'Nethermind TxPoolErrorMessages'],
  ['nonce too high', 'later', 'nonce_gap', 'Nitro sequencer'],
  // What the bytes say otherwise.
  [
    'invalid sender: invalid chain id for signer: have 1 want 5',
    'later',
    'wrong_chain',
    'geth txpool/validation.go',
  ],
  ['invalid chain ID', 'later', 'wrong_chain', 'reth rpc-eth-types'],
  ['InvalidTxChainId: Expected 1, got 5.', 'later', 'wrong_chain', 'Nethermind TxErrorMessages'],
  ['Wrong chainId', 'later', 'wrong_chain', 'Besu RpcErrorType'],
  ['invalid sender', 'later', 'invalid_sender', 'geth txpool/errors.go'],
  ['InvalidTxSignature: Signature is invalid.', 'later', 'invalid_sender', 'Nethermind TxErrorMessages'],
  ['Invalid signature', 'later', 'invalid_sender', 'Besu RpcErrorType'],
  ['max priority fee per gas higher than max fee per gas', 'later', 'tip_above_cap', 'geth core/error.go'],
  ['Max priority fee per gas exceeds max fee per gas', 'later', 'tip_above_cap', 'Besu RpcErrorType'],
  // Funds, fees, room.
  [
    'Account balance is too low (balance < value + gas * gas price).',
    'later',
    'insufficient_balance',
    'skaled',
  ],
  ['transaction would cause overdraft', 'later', 'insufficient_balance', 'geth core/error.go'],
  ['not enough balance to cover the fee. error message: {0}', 'later', 'insufficient_balance', 'zkSync'],
  ['Transaction gas price lower than current eth_gasPrice.', 'later', 'underpriced', 'skaled Eth.cpp'],
  ['transaction gas price below minimum', 'later', 'underpriced', 'bor'],
  [
    'gas price too low: 18000000000 wei, use at least tx.gasPrice = 19500000000 wei',
    'later',
    'underpriced',
    'Metis',
  ],
  ['gasprice is less than gas price minimum floor', 'later', 'underpriced', 'Celo'],
  ['transaction priority fee below minimum required priority fee 1', 'later', 'underpriced', 'reth'],
  ['queue full', 'later', 'pool_full', 'Arbitrum sequencer'],
  ['sequencer pending tx pool full, please try again', 'later', 'pool_full', 'Arbitrum sequencer'],
  ['tx dropped due to L2 congestion', 'later', 'pool_full', 'Arbitrum'],
  ['Transaction queue is full', 'later', 'pool_full', 'skaled Eth.cpp'],
  ['Transaction pool is not ready', 'later', 'pool_full', 'Monad'],
  ['pending transaction type conflict', 'later', 'pool_full', 'Nethermind TxPoolErrorMessages'],
  ['There are too many transactions in the queue.', 'later', 'pool_full', 'OpenEthereum errors.rs'],
  // The node, and nothing that is final.
  ['ChainId is required', 'later', 'unprotected', 'Besu RpcErrorType'],
  [
    'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
    'later',
    'takes_none',
    'Besu',
  ],
  ['rpc method is not whitelisted', 'later', 'takes_none', 'OP proxyd'],
  ['node is syncing', 'later', 'refused', 'Nethermind TxPoolErrorMessages'],
  ['Initial sync is still in progress', 'later', 'refused', 'Besu RpcErrorType'],
  ['Sender account not authorized to send transactions', 'later', 'refused', 'Besu RpcErrorType'],
  ['execution reverted: stale report', 'later', 'refused', 'Arbitrum sequencer'],
  // Final.
  ['intrinsic gas too high', 'never', 'gas_limit', 'reth rpc-eth-types'],
  ['TxGasLimitCapExceeded: Gas limit 17000000 exceeded cap of 16777216.', 'never', 'gas_limit', 'Nethermind'],
  ['gas limit too high. Max: 30000000', 'never', 'gas_limit', 'cdk-erigon'],
  [
    'Transaction cost exceeds current gas limit. Limit: 50, got: 100.',
    'never',
    'gas_limit',
    'OpenEthereum errors.rs',
  ],
  [
    'Transaction gas is too low. There is not enough gas to cover minimal cost',
    'never',
    'intrinsic_gas',
    'OpenEthereum',
  ],
  ['SenderIsContract', 'never', 'sender_has_code', 'Nethermind before 2026'],
  ["invalid sender. can't start a transaction from a non-account", 'never', 'sender_has_code', 'zkSync'],
  ['EIP-7702 authorization list not supported', 'never', 'type_unsupported', 'reth rpc-eth-types'],
  [
    'Transaction is too big, see chain specification for the limit.',
    'never',
    'too_large',
    'OpenEthereum errors.rs',
  ],
  ['Invalid RLP data: unexpected end', 'never', 'invalid', 'OpenEthereum errors.rs'],
  ['Int256Overflow', 'never', 'invalid', 'Nethermind before 2026'],
])('what chains and clients say, "%s" is %s: %s (%s)', (said, outcome, reason) => {
  expect(judgeSendRefusal(said)).toEqual({ outcome, reason });
});

test('goes to every node, and one that takes it or has it already is enough', async () => {
  const taken = `0x${'1'.repeat(64)}`;
  const urls = [
    await refusing('txpool is full'),
    await node({ result: taken }),
    await node({ result: taken }),
  ];
  const source = createRpcSource({ urls });
  sources.push(source);
  const hash = await source.sendRawTransaction(signed);
  expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
  const isSent = ({ requests }: JsonRpcServer) =>
    requests.some(({ method }) => method === 'eth_sendRawTransaction');
  await expect.poll(() => servers.every(isSent)).toBe(true);
  const again = createRpcSource({ urls: [await refusing('known transaction: 0xab')] });
  sources.push(again);
  expect(await again.sendRawTransaction(signed)).toBe(hash);
  await expect(again.sendRawTransaction('0xSECRET')).rejects.toThrow(/is not hex: give it as 0x/);
});

test('a refusal says why and never repeats the bytes', async () => {
  const said = `rlp: bad input ${signed} in "${signed.slice(2)}"`;
  expect(await failureAt([await refusing(said)])).toMatchObject({
    code: 'rejected',
    message: expect.stringContaining('rlp: bad input'),
  });
});

test('nothing leaves for a node once it is not wanted any more', async () => {
  const url = await node({ result: `0x${'1'.repeat(64)}` });
  const source = createRpcSource({ urls: [url] });
  sources.push(source);
  await expect(source.sendRawTransaction(signed, { isStillWanted: () => false })).rejects.toMatchObject({
    outcome: 'later',
    reason: 'too_late',
  });
  const asked = servers.flatMap(({ requests }) => requests.map(({ method }) => method));
  expect(asked).not.toContain('eth_sendRawTransaction');
});

describe('several nodes, none of which says that it took the transaction', () => {
  test('one that does not answer may have it, whatever the others say', async () => {
    const urls = [await refusing('intrinsic gas too low'), await node({ hang: true })];
    expect(await failureAt(urls, 2_000)).toMatchObject({ outcome: 'unknown' });
  });

  test('so may one that breaks off, and one that answers what is no JSON-RPC', async () => {
    const broken = await node({ write: (response) => response.destroy() });
    expect(await failureAt([broken])).toMatchObject({ outcome: 'unknown' });
    expect(await failureAt([await node({ raw: 'not JSON' })])).toMatchObject({ outcome: 'unknown' });
    expect(await failureAt([await node({ raw: '', status: 504 })])).toMatchObject({ outcome: 'unknown' });
  });

  test('one that cannot be connected to has nothing, and one that is too busy neither', async () => {
    expect(await failureAt([`http://127.0.0.1:${await closedPort()}`])).toMatchObject({
      outcome: 'later',
      reason: 'unreachable',
    });
    expect(await failureAt([await node({ raw: '', status: 429 })])).toMatchObject({
      outcome: 'later',
      reason: 'rate_limited',
    });
  });

  test('a refusal for good counts as one for now while a node cannot be asked, in its words', async () => {
    const failure = await failureAt([
      `http://127.0.0.1:${await closedPort()}`,
      await refusing('exceeds block gas limit'),
    ]);
    expect(failure).toMatchObject({ outcome: 'later', reason: 'gas_limit' });
    expect(failure.message).toContain('exceeds block gas limit');
  });

  test('it is refused for good where every node says so', async () => {
    const urls = [await refusing('exceeds block gas limit'), await refusing('oversized data')];
    expect(await failureAt(urls)).toMatchObject({ outcome: 'never', reason: 'gas_limit' });
  });

  test.each([
    ['invalid chain id for signer: have 1 want 5', 'wrong_chain'],
    ['invalid sender', 'invalid_sender'],
    ['Max priority fee per gas exceeds max fee per gas', 'tip_above_cap'],
  ])(
    'what the bytes themselves say otherwise, "%s", is nothing final, be it of one node or of all',
    async (said, reason) => {
      expect(await failureAt([await refusing(said)])).toMatchObject({ outcome: 'later', reason });
      const both = [await refusing(said), await refusing('exceeds block gas limit')];
      expect(await failureAt(both)).toMatchObject({ outcome: 'later', reason });
    },
  );

  test('that the nonce is used counts more than another refusal', async () => {
    const urls = [await refusing('txpool is full'), await refusing('nonce too low')];
    expect(await failureAt(urls)).toMatchObject({ outcome: 'nonce-used' });
  });
});
