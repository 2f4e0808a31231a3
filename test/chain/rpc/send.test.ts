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
  ['invalid chain id for signer: have 1 want 5', 'never', 'wrong_chain'],
  ['Wrong chainId', 'never', 'wrong_chain'],
  ['transaction type not supported', 'never', 'type_unsupported'],
  ['Invalid transaction type', 'never', 'type_unsupported'],
  ['fork supporting this transaction type is not activated yet', 'never', 'type_unsupported'],
  ['invalid sender', 'never', 'invalid_sender'],
  ['Invalid signature', 'never', 'invalid_sender'],
  ['sender not an eoa: address 0x12', 'never', 'invalid_sender'],
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
    const urls = [await refusing('exceeds block gas limit'), await refusing('invalid sender')];
    expect(await failureAt(urls)).toMatchObject({ outcome: 'never', reason: 'gas_limit' });
  });

  test('that the nonce is used counts more than another refusal', async () => {
    const urls = [await refusing('txpool is full'), await refusing('nonce too low')];
    expect(await failureAt(urls)).toMatchObject({ outcome: 'nonce-used' });
  });
});
