import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openReplaySource } from '../../src/chain/replay-source.ts';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { preflightAutoTx } from '../../src/client/auto-tx-preflight.ts';
import { createGasClient } from '../../src/client/client.ts';
import { AutoTxAccount, AutoTxDetails, AutoTxList } from '../../src/contract/auto-txs.ts';
import { Summary } from '../../src/contract/dashboard.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { NEW_ORDER } from '../../src/core/auto-txs/order.ts';
import { decodeTransaction } from '../../src/core/transactions/decode-transaction.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { SHORT_RECORDING } from '../cli/served.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { keptOf, startRig } from '../helpers/auto-tx-rig.ts';
import { type RunningService, readyService, refused, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openTestGate } from './keys/key-service.ts';

const CHAIN = 31_337;
const GWEI = 1_000_000_000n;
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const WAITING = { targetGasPriceGwei: 0.000000001 };

const anvil = await startAnvil({ chainId: CHAIN });
afterAll(() => anvil.stop());

async function run(options: Partial<ServiceOptions> = {}): Promise<RunningService> {
  const { signal: _signal, database, ...rest } = options;
  const kept = typeof database === 'string' ? { database } : {};
  const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
  const service = await readyService({ source, ...kept, ...rest });
  return service;
}

let senders = 0;
async function newSender() {
  senders += 1;
  const account = privateKeyToAccount(`0x${senders.toString(16).padStart(64, '1')}`);
  await anvil.rpc('anvil_setBalance', [account.address, `0x${(10n ** 18n).toString(16)}`]);
  const sign = (changed: object = {}) =>
    account.signTransaction({
      type: 'eip1559',
      chainId: CHAIN,
      nonce: 0,
      to: TO,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
      ...changed,
    } as never);
  return { address: account.address, sign };
}

const autoTxPath = (id: string, more = '') => `/auto-txs/${id}${more}`;

async function create(service: RunningService, body: object, key?: string) {
  const response = await service.ask(PATHS.autoTxs, { method: 'POST', body, key });
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return AutoTxDetails.parse(answer);
}

async function changed(response: Response) {
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return AutoTxDetails.parse(answer);
}

test('what was signed is read, waits for its target, and is listed and found without its signature', async () => {
  const service = await run();
  const { sign, address } = await newSender();
  const signedTransaction = await sign();
  const response = await service.ask(PATHS.autoTxs, {
    method: 'POST',
    body: { ...WAITING, signedTransaction },
  });
  const made = AutoTxDetails.parse(await response.json());
  expect(response.headers.get('Location')).toBe(`auto-txs/${made.id}`);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^atx_[0-9a-f]{16}$/),
    status: 'PENDING',
    ...WAITING,
    gasSpeed: 'AVERAGE',
    strictTargetPrice: false,
    note: '',
    expiresAt: null,
    chainId: CHAIN,
    type: 2,
    from: address,
    to: TO,
    value: '1',
    data: '0x',
    nonce: 0,
    gasLimit: 21_000,
    maxFeePerGas: Number(100n * GWEI),
    maxPriorityFeePerGas: Number(GWEI),
    gasPrice: null,
    attempts: 0,
    unseenSince: null,
    resends: 0,
    resendAt: null,
    mayBeMined: false,
    confirmations: null,
    confirmationsNeeded: 1,
    reachWithinSec: 86_400,
    keyId: null,
  });
  expect(made.timeline.map(({ kind }) => kind)).toEqual(['CREATED']);
  const { timeline: _timeline, ...listed } = made;
  expect(await service.read(PATHS.autoTxs)).toMatchObject({ items: [{ id: listed.id }], total: 1 });
  expect(await service.read(autoTxPath(made.id))).toMatchObject({ id: made.id, hash: made.hash });
  expect(service.errors).toEqual([]);
});

test('the same signed bytes are not scheduled twice, whatever became of the first', async () => {
  const service = await run();
  const { sign } = await newSender();
  const body = { ...WAITING, signedTransaction: await sign() };
  const { id } = await create(service, body);
  const post = () => service.ask(PATHS.autoTxs, { method: 'POST', body });
  expect((await refused(await post(), 409)).message).toContain(
    `the same transaction as ${id}, which is pending`,
  );
  await changed(await service.ask(autoTxPath(id, '/cancel'), { method: 'POST' }));
  expect((await refused(await post(), 409)).message).toContain(
    `${id}, which is cancelled: change, cancel or delete`,
  );
  expect(await service.read(autoTxPath(id))).toMatchObject({ status: 'CANCELLED' });
  expect((await service.ask(autoTxPath(id), { method: 'DELETE' })).status).toBe(204);
  expect((await create(service, body)).id).not.toBe(id);
});

test('what was signed is checked over what the chain says, in words, and what never can be sent is refused', async () => {
  const service = await run();
  const { sign } = await newSender();
  const poor = await create(service, {
    ...WAITING,
    signedTransaction: await sign({ value: 10n ** 20n, nonce: 3 }),
  });
  const failed = poor.checks.filter(({ ok }) => ok === false).map(({ name }) => name);
  expect(failed).toEqual(expect.arrayContaining(['nonce-gap', 'balance']));
  expect(poor.checkedAt).not.toBeNull();
  const foreign = await refused(await post(service, { signedTransaction: await sign({ chainId: 1 }) }), 400);
  expect(foreign).toMatchObject({ details: [{ path: 'signedTransaction' }] });
  expect(foreign.message).toMatch('Ethereum');
  const low = await refused(await post(service, { signedTransaction: await sign({ gas: 20_000n }) }), 400);
  expect(low.message).toMatch('20,000');
  const sender = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
  const bid = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI, gas: 21_000n } as const;
  const used = await sender.signTransaction({ type: 'eip1559', chainId: CHAIN, nonce: 0, to: TO, ...bid });
  // The other method answers before the block is mined.
  await anvil.rpc('eth_sendRawTransactionSync', [used]);
  const again = await refused(await post(service, { signedTransaction: used }), 400);
  expect(again.message).toMatch("nonce 0 is used: the sender's next is 1");
  const both = await refused(await post(service, { signedTransaction: await sign(), value: '2' }), 400);
  expect(both.message).toMatch('it sends 1 wei and not 2');
});

const post = (service: RunningService, body: object, key?: string) =>
  service.ask(PATHS.autoTxs, { method: 'POST', body: { ...WAITING, ...body }, key });
const put = (service: RunningService, id: string, body: object) =>
  service.ask(autoTxPath(id), { method: 'PUT', body });

test('a draft takes the signature that does what it says, and no other', async () => {
  const service = await run();
  const { sign, address } = await newSender();
  const data = '0xa9059cbb';
  const draft = await create(service, { ...WAITING, to: TO.toLowerCase(), value: '1', data });
  expect(draft).toMatchObject({
    status: 'DRAFT',
    to: TO,
    from: null,
    hash: null,
    checks: [],
    checkedAt: null,
  });
  expect((await refused(await put(service, draft.id, { status: 'DISABLED' }), 409)).message).toMatch(
    'signedTransaction first',
  );
  const other = await sign({ value: 2n, to: address, data: '0xa9059cbbff', gas: 60_000n });
  const wrong = await refused(await put(service, draft.id, { signedTransaction: other }), 400);
  expect(wrong.message).toMatch(`it is to ${address} and not to ${TO}`);
  expect(wrong.message).toMatch('it sends 2 wei and not 1');
  expect(wrong.message).toMatch('its 5 bytes of data are not the 4 given');
  expect((await details(service, draft.id)).status).toBe('DRAFT');
  const right = await sign({ data, gas: 60_000n });
  const signed = await changed(await put(service, draft.id, { signedTransaction: right, note: 'now' }));
  expect(signed).toMatchObject({ status: 'PENDING', from: address, note: 'now', nonce: 0 });
  expect(signed.timeline.map(({ kind }) => kind)).toEqual(['SIGNED', 'CREATED']);
  expect(signed.checks.length).toBeGreaterThan(5);
});

const details = async (service: RunningService, id: string) =>
  AutoTxDetails.parse(await service.read(autoTxPath(id)));

test('what it delegates is told when it is made, and stands when its order changes', async () => {
  const service = await run();
  const { sign } = await newSender();
  const account = privateKeyToAccount(`0x${'7'.padStart(64, '0')}`);
  const authorizationList = [await account.signAuthorization({ address: TO, chainId: 0, nonce: 0 })];
  const signedTransaction = await sign({ type: 'eip7702', gas: 100_000n, authorizationList });
  const made = await create(service, { ...WAITING, signedTransaction });
  const again = await changed(await put(service, made.id, { targetGasPriceGwei: 0.000000002 }));
  const who = `${account.address.slice(0, 6)}…${account.address.slice(-4)}`;
  for (const { checks, status } of [made, again]) {
    expect(status).toBe('PENDING');
    expect(checks.find(({ name }) => name === 'delegation')).toMatchObject({
      ok: false,
      message: expect.stringContaining(`delegates the account ${who} to the code at 0x7099…79C8`),
    });
  }
});

test('one is disabled and cancelled while no node says which chain this is', async () => {
  const database = await temporaryFile('gastop.db');
  const before = await run({ database });
  const { sign } = await newSender();
  const { id } = await create(before, { ...WAITING, signedTransaction: await sign() });
  await before.stop();
  const source = createRpcSource({ urls: ['http://127.0.0.1:1'] });
  const cut = await runService({ source, database });
  expect(await changed(await put(cut, id, { status: 'DISABLED' }))).toMatchObject({ status: 'DISABLED' });
  const cancelled = await cut.ask(autoTxPath(id, '/cancel'), { method: 'POST' });
  expect(await changed(cancelled)).toMatchObject({ status: 'CANCELLED' });
});

test('one that waits is changed, disabled, enabled and signed anew; what was never changed leaves no line', async () => {
  const service = await run();
  const { sign } = await newSender();
  const { id } = await create(service, { ...WAITING, signedTransaction: await sign() });
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const other = { gasSpeed: 'FAST', strictTargetPrice: true, expiresAt, targetGasPriceGwei: 1.5 };
  expect(await changed(await put(service, id, { ...other, status: 'DISABLED' }))).toMatchObject({
    ...other,
    status: 'DISABLED',
    reachProbability: null,
    reachWithinSec: null,
  });
  const before = await details(service, id);
  expect(before.timeline.map(({ kind }) => kind)).toEqual(['DISABLED', 'CHANGED', 'CREATED']);
  expect(before.timeline[1]?.message).toMatch('target 0.000000001 → 1.50 gwei');
  expect(await changed(await put(service, id, { ...other, status: 'DISABLED' }))).toEqual(before);
  const anew = await sign({ maxFeePerGas: 50n * GWEI });
  const resigned = await changed(
    await put(service, id, {
      signedTransaction: anew,
      status: 'PENDING',
      ...WAITING,
      strictTargetPrice: false,
    }),
  );
  expect(resigned).toMatchObject({ status: 'PENDING', maxFeePerGas: Number(50n * GWEI) });
  expect(resigned.hash).not.toBe(before.hash);
  expect(resigned.timeline[0]?.kind).toBe('ENABLED');
  await refused(await put(service, id, { value: '7' }), 409);
  await refused(await put(service, id, {}), 400);
});

test('only one of the same nonce of the same sender waits; what is cancelled stays so, makes room, and can be deleted', async () => {
  const service = await run();
  const { sign } = await newSender();
  const first = await create(service, { ...WAITING, signedTransaction: await sign() });
  const second = { signedTransaction: await sign({ value: 2n }) };
  expect((await refused(await post(service, second), 409)).message).toMatch(first.id);
  const next = await create(service, { ...WAITING, signedTransaction: await sign({ nonce: 1 }) });
  expect((await refused(await put(service, next.id, second), 409)).message).toMatch(first.id);
  expect((await refused(await service.ask(autoTxPath(first.id), { method: 'DELETE' }), 409)).message).toMatch(
    'cancel it first',
  );
  const cancelled = await changed(await service.ask(autoTxPath(first.id, '/cancel'), { method: 'POST' }));
  expect(cancelled).toMatchObject({ status: 'CANCELLED', timeline: [{ kind: 'CANCELLED' }, {}] });
  expect(await changed(await service.ask(autoTxPath(first.id, '/cancel'), { method: 'POST' }))).toEqual(
    cancelled,
  );
  await refused(await put(service, first.id, { status: 'PENDING' }), 409);
  expect(await changed(await put(service, first.id, { note: 'too dear' }))).toMatchObject({
    note: 'too dear',
  });
  await create(service, { ...WAITING, ...second });
  expect((await service.ask(autoTxPath(first.id), { method: 'DELETE' })).status).toBe(204);
  await refused(await service.ask(autoTxPath(first.id)), 404);
});

test('an account is told as the node knows it, with what of it waits', async () => {
  const service = await run();
  const { sign, address } = await newSender();
  const { id } = await create(service, { ...WAITING, signedTransaction: await sign({ nonce: 2 }) });
  const account = AutoTxAccount.parse(await service.read(`/auto-txs/accounts/${address.toLowerCase()}`));
  expect(account).toEqual({
    chainId: CHAIN,
    address: address.toLowerCase(),
    nonce: 0,
    pendingNonce: 0,
    balanceWei: (10n ** 18n).toString(),
    waiting: [{ id, nonce: 2, status: 'PENDING' }],
    dataFees: { rate: '0', operatorPerMillionGas: '0', operatorConstant: '0' },
    dataFeesReason: null,
    code: 'none',
    blockGasLimit: 30_000_000,
  });
});

test.each([
  ['was just decided to be sent', { sentAt: null }],
  ['no node shows any more', { sentAt: Date.now(), unseenSince: Date.now() }],
  ['no node was seen to have', { sentAt: null, unseenSince: Date.now() }],
])('one before it that %s comes first to a client as to its service', async (_, state) => {
  const rig = await startRig({ urls: [anvil.url] });
  onTestFinished(rig.stop);
  const { sign } = await newSender();
  const before = keptOf(await sign(), { target: 1n });
  const submitted = { ...before.state, status: 'SUBMITTED', mayBeOut: true, ...state } as const;
  await rig.store.create({ ...before, state: submitted }, Buffer.from('any'), 10);
  const raw = await sign({ nonce: 1 });
  const { checks } = await create(rig.service, { ...WAITING, signedTransaction: raw });
  const client = createGasClient({ url: 'http://gastop.internal', fetch: rig.service.fetch });
  const told = { transaction: decodeTransaction(raw), order: { ...NEW_ORDER, target: 1n } };
  const judged = await preflightAutoTx(client, told, Date.now());
  const gapOf = (all: readonly { readonly name: string; readonly message: string }[]) =>
    all.find(({ name }) => name === 'nonce-gap')?.message;
  expect(gapOf(checks)).toContain(`it is broadcast after auto-tx ${before.id} (nonce 0)`);
  expect(gapOf(judged.checks)).toBe(gapOf(checks));
});

test('each key has its own: others find none, count none and see none wait; who runs the service sees all', async () => {
  const gate = await openTestGate(':memory:', { open: { dailyLimit: null, perSecond: null } });
  const path = await temporaryFile('chain.db');
  const service = await run({ gate: gate.gate, database: path });
  const [mine, theirs] = [await gate.key('open'), await gate.key('open')];
  const { sign, address } = await newSender();
  const { id } = await create(service, { ...WAITING, signedTransaction: await sign() }, mine);
  const by = async (key: string, path: string) => (await service.ask(path, { key })).json();
  expect(AutoTxList.parse(await by(theirs, PATHS.autoTxs))).toMatchObject({ items: [], total: 0 });
  expect(AutoTxList.parse(await by(mine, PATHS.autoTxs))).toMatchObject({
    items: [{ id, keyId: null }],
    total: 1,
  });
  expect(AutoTxAccount.parse(await by(theirs, `/auto-txs/accounts/${address}`)).waiting).toEqual([]);
  await waitFor(async () => (await service.ask(PATHS.summary, { key: mine })).status === 200);
  expect(Summary.parse(await by(mine, PATHS.summary)).autoTxs).toEqual({
    total: 1,
    byStatus: { PENDING: 1 },
  });
  expect(Summary.parse(await by(theirs, PATHS.summary)).autoTxs).toEqual({ total: 0, byStatus: {} });
  // The nonce is free for them: what others wait with is nobody's business.
  await create(service, { ...WAITING, signedTransaction: await sign() }, theirs);
  const own = AutoTxList.parse(await (await run({ database: path })).read(PATHS.autoTxs));
  expect(own.items.map(({ keyId }) => keyId)).toEqual([theirs.split('_')[1], mine.split('_')[1]]);
});

test('a chain without a pool takes none, and still lists, changes and deletes', async () => {
  const service = await run({
    source: await openReplaySource({ file: SHORT_RECORDING, speed: 1 }),
    historySec: 3_600,
  });
  const { sign, address } = await newSender();
  for (const body of [{ to: TO }, { signedTransaction: await sign() }]) {
    expect((await refused(await post(service, body), 409)).message).toMatch('run with --rpc URL');
  }
  await refused(await service.ask(`/auto-txs/accounts/${address}`), 409);
  expect(await service.read(PATHS.autoTxs)).toMatchObject({ items: [], total: 0 });
  await refused(await service.ask(autoTxPath('none'), { method: 'DELETE' }), 404);
});

test('while the node is gone one is still taken, and what it would have said could not be told', async () => {
  const own = await startAnvil({ chainId: CHAIN });
  const source = createRpcSource({ urls: [own.url] });
  const service = await run({ source });
  await own.stop();
  const { sign } = await newSender();
  const made = await create(service, { ...WAITING, signedTransaction: await sign() });
  const untold = made.checks.filter(({ ok }) => ok === null).map(({ name }) => name);
  expect(untold).toEqual(expect.arrayContaining(['nonce', 'nonce-gap', 'balance']));
  await refused(await service.ask(`/auto-txs/accounts/${made.from}`), 503);
});

test('a list leaves long call data out, which the one tells', async () => {
  const service = await run();
  const data = `0x${'ab'.repeat(2_000)}`;
  const { id } = await create(service, { ...WAITING, to: TO, data });
  const { items } = AutoTxList.parse(await service.read(PATHS.autoTxs));
  expect(items).toMatchObject([{ id, data: null }]);
  expect((await details(service, id)).data).toBe(data);
});

test('one whose target is reached and whose cap is below the base fee says why it waits all the same', async () => {
  const service = await run();
  const { sign } = await newSender();
  const made = await create(service, {
    targetGasPriceGwei: 50,
    strictTargetPrice: true,
    signedTransaction: await sign({ maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1n }),
  });
  // A head that is old says nothing of the next block.
  await anvil.mine();
  const { hold } = await waitFor(
    async () => {
      const autoTx = await changed(await service.ask(autoTxPath(made.id)));
      if (autoTx.hold === null) throw new Error('nothing holds it');
      return autoTx;
    },
    { what: 'what holds it' },
  );
  expect(hold).toMatchObject({ code: 'cap_below_base' });
  expect(hold?.message).toContain('waits while the base fee is above your cap of 0.000001 gwei');
  const far = await create(service, { ...WAITING, signedTransaction: await sign({ nonce: 1 }) });
  expect(far.hold).toBeNull();
});
