import { describe, expect, test } from 'vitest';
import { ChainError, SendFailure } from '../../../src/chain/chain-source.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { GWEI, NOW, sender, storedAutoTx } from '../../store/auto-txs/stored-auto-txs.ts';
import { startSchedule, waitingTransaction } from './schedule-rig.ts';

const hashOf = (id: string) => {
  const hash = storedAutoTx(id).signed?.hash;
  if (hash === undefined) throw new Error('it is not signed');
  return hash;
};

test.each<[what: string, base: bigint, paid: bigint]>([
  ['base fee and tip', 0n, 1n],
  ['base fee and tip', 7n, 8n],
  ['its cap', 10_000n, 0n],
])('a receipt without a price ends an auto-tx as executed at %s (%i gwei)', async (_, base, paid) => {
  const rig = await startSchedule({ confirmations: 1 });
  const autoTx = storedAutoTx('one');
  await rig.place(autoTx);
  await rig.block(5);
  await rig.block(5, (block) => {
    const { receipt, transaction } = rig.node.include(block, sender(1), 0, hashOf('one'));
    rig.node.transactions.set(block.number, [
      { transaction, receipt: { ...receipt, effectiveGasPrice: null } },
    ]);
    Object.assign(block, { baseFeePerGas: base * GWEI });
  });
  const { status, inclusion } = (await rig.kept('one')).state;
  expect(status).toBe('EXECUTED');
  expect(inclusion?.effectiveGasPrice).toBe(paid === 0n ? autoTx.signed?.maxFeePerGas : paid * GWEI);
});

describe('two owners hand over transactions with the same nonce', () => {
  const [one, other] = [storedAutoTx('one', { owner: 'a' }), storedAutoTx('other', { owner: 'b' })];

  test('the first goes out; the second waits, and has failed once the first is final', async () => {
    const rig = await startSchedule();
    await rig.place(one);
    await rig.place(other);
    await rig.block(5);
    expect(rig.node.sent).toHaveLength(1);
    expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
    const { state } = await rig.kept('other');
    expect(state).toMatchObject({ status: 'PENDING', attempts: 0, hold: { code: 'nonce_pending' } });
    await rig.block(5, (block) => rig.node.include(block, sender(1), 0, hashOf('one')));
    for (let head = 0; head < 4; head++) await rig.block(5);
    expect((await rig.kept('one')).state.status).toBe('EXECUTED');
    const failed = (await rig.kept('other')).state;
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 0, failure: { code: 'nonce_used' } });
    expect(failed.failure?.message).toContain('nonce 0 is used');
    expect(rig.node.sent).toHaveLength(1);
  });

  test('while nobody knows whether a node has the first, the second is not sent beside it', async () => {
    const rig = await startSchedule();
    rig.node.send = () =>
      Promise.reject(new SendFailure('unknown', 'unclear', new ChainError('timeout', 'no answer')));
    await rig.place(one);
    await rig.place(other);
    await rig.block(5);
    await rig.turn();
    expect((await rig.kept('one')).state).toMatchObject({ status: 'SUBMITTED', sentAt: null });
    expect((await rig.kept('other')).state).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(new Set(rig.node.sent).size).toBe(1);
  });
});

test('nodes that do not agree a node that is ahead says that the nonce is used, one that is behind knows no receipt: nothing is said of it yet', async () => {
  const rig = await startSchedule({ confirmations: 1 });
  await rig.place(storedAutoTx('one'));
  const block = await rig.block(5);
  rig.node.pool.push(waitingTransaction(hashOf('one')));
  rig.node.nonces.set(sender(1), 1);
  await rig.block(5);
  expect((await rig.kept('one')).state).toMatchObject({ status: 'SUBMITTED', takenSince: null });
  rig.node.include(block, sender(1), 0, hashOf('one'));
  await rig.block(5);
  expect((await rig.kept('one')).state).toMatchObject({ status: 'EXECUTED', failure: null });
  expect(await rig.kinds('one')).not.toContain('NONCE_TAKEN');
});

test('one whose bytes are gone is never tried for ever: it has failed, and says why', async () => {
  const rig = await startSchedule();
  await rig.place(storedAutoTx('one'));
  rig.store.signedBytes = async () => null;
  await rig.block(5);
  const { state } = await rig.kept('one');
  expect(state).toMatchObject({ status: 'FAILED', failure: { code: 'bytes_gone' } });
  expect(state.failure?.message).toContain('schedule it again');
  expect(rig.node.sent).toEqual([]);
});

test('signed bytes of one that has ended go a day later, and by no clock that the chain does not agree with', async () => {
  const DAY = 86_400_000;
  let chainNow = NOW + DAY - 1;
  const rig = await startSchedule({ agreedNow: (now) => Math.min(now, chainNow) });
  await rig.place(storedAutoTx('one', { order: { expiresAt: NOW } }));
  await rig.turn();
  expect((await rig.kept('one')).state.status).toBe('EXPIRED');
  for (const [now, isGone] of [
    [chainNow, false],
    [NOW + DAY, true],
  ] as const) {
    chainNow = now;
    rig.pass(400 * DAY);
    await rig.turn();
    expect(await rig.hasBytes('one')).toBe(!isGone);
  }
});

describe('what waits far from its price', () => {
  const far = { order: { target: 1n } } as const;

  test.each(['PENDING', 'DISABLED'] as const)(
    'one that is %s and whose nonce is used elsewhere has failed once that is final',
    async (status) => {
      const rig = await startSchedule();
      await rig.place(storedAutoTx('one', { ...far, state: { status } }));
      const used = await rig.block();
      rig.node.include(used, sender(1), 0);
      rig.pass(60_000);
      await rig.block();
      expect((await rig.kept('one')).state).toMatchObject({ status, failure: null, takenSince: null });
      rig.pass(60_000);
      await rig.block();
      expect((await rig.kept('one')).state).toMatchObject({ status, takenSince: 102 });
      await rig.block();
      rig.pass(60_000);
      await rig.block();
      const { state } = await rig.kept('one');
      expect(state).toMatchObject({ status: 'FAILED', attempts: 0, failure: { code: 'nonce_used' } });
      expect(state.failure?.message).toContain('nonce 0 is used');
      expect(await rig.kinds('one')).toEqual(['CREATED', 'NONCE_TAKEN', 'FAILED']);
      expect(await rig.store.signedBytes('one')).toBeNull();
    },
  );

  test('one that its owner has sent from the wallet is followed and executed', async () => {
    const rig = await startSchedule();
    await rig.place(storedAutoTx('one', far));
    await rig.block();
    await rig.block(50, (block) => rig.node.include(block, sender(1), 0, hashOf('one')));
    rig.pass(60_000);
    for (let head = 0; head < 3; head++) await rig.block();
    expect((await rig.kept('one')).state).toMatchObject({ status: 'EXECUTED', attempts: 0, failure: null });
    expect(rig.node.sent).toEqual([]);
  });

  test('a node that is ahead by mistake, or of a branch that is given up, has nothing fail', async () => {
    const rig = await startSchedule();
    await rig.place(storedAutoTx('one', far));
    await rig.block();
    rig.node.nonces.set(sender(1), 1);
    for (let round = 0; round < 2; round++) {
      rig.pass(60_000);
      await rig.block();
    }
    expect((await rig.kept('one')).state).toMatchObject({ status: 'PENDING', takenSince: 102 });
    rig.node.nonces.set(sender(1), 0);
    for (let head = 0; head < 6; head++) await rig.block();
    expect((await rig.kept('one')).state).toMatchObject({ status: 'PENDING', takenSince: null });
  });

  test('hundreds of senders are asked about a few at a time, each once a minute', async () => {
    const rig = await startSchedule();
    for (let place = 0; place < 300; place++) {
      await rig.place(storedAutoTx(`of-${place}`, { ...far, signed: { from: sender(place) } }));
    }
    await rig.block();
    expect(rig.node.nonceAsked).toHaveLength(8);
    for (let second = 0; second < 100; second += 2) {
      rig.pass(1_000);
      await rig.turn();
    }
    expect(new Set(rig.node.nonceAsked).size).toBe(300);
    expect(rig.node.nonceAsked).toHaveLength(300);
  });
});

test('new funds are noticed within a minute or two, however often it was held before', async () => {
  const rig = await startSchedule();
  rig.node.balances.set(sender(1), 0n);
  await rig.place(storedAutoTx('one'));
  for (let head = 0; head < 40; head++) await rig.block(5);
  const { hold } = (await rig.kept('one')).state;
  expect(hold).toMatchObject({ code: 'insufficient_balance' });
  rig.node.balances.set(sender(1), 10n ** 18n);
  for (let head = 0; head < 6; head++) await rig.block(5);
  expect((await rig.kept('one')).state.status).toBe('SUBMITTED');
});

describe('what is asked of what is out', () => {
  test('while it is being confirmed nothing is, until it is deep enough', async () => {
    const rig = await startSchedule({ confirmations: 12 });
    await rig.place(storedAutoTx('one'));
    await rig.block(5);
    await rig.block(5, (block) => rig.node.include(block, sender(1), 0, hashOf('one')));
    expect((await rig.kept('one')).state.inclusion).not.toBeNull();
    const asked = rig.node.asked.receipt;
    for (let head = 0; head < 10; head++) await rig.block(50);
    expect(rig.node.asked.receipt).toBe(asked);
    await rig.block(50);
    expect((await rig.kept('one')).state.status).toBe('EXECUTED');
    expect(rig.node.asked.receipt).toBe(asked + 1);
  });

  test('a chain of four blocks a second does not have hundreds looked at with each of them', async () => {
    const rig = await startSchedule();
    for (let place = 0; place < 100; place++) {
      const from = sender(place);
      await rig.place(storedAutoTx(`of-${place}`, { signed: { from } }));
    }
    await rig.block(5);
    expect(rig.node.sent).toHaveLength(100);
    await rig.block(5);
    const asked = rig.node.asked.transaction;
    for (let quarter = 0; quarter < 8; quarter++) {
      rig.pass(250 - 12_000);
      await rig.block(5);
    }
    expect(rig.node.asked.transaction - asked).toBeLessThanOrEqual(200);
    expect(rig.node.asked.transaction).toBeGreaterThan(asked);
  });
});

describe('a relay that shows nothing before it is mined', () => {
  const minutes = async (rig: Awaited<ReturnType<typeof startSchedule>>, count: number) => {
    // A block is 12 s.
    for (let block = 0; block < count * 5; block += 1) await rig.block(5);
  };

  test('gets it once a minute, then two, then five later, and the history does not grow', async () => {
    const rig = await startSchedule({ confirmations: 1 });
    await rig.place(storedAutoTx('one'));
    await minutes(rig, 30);
    // 0, then about 1, 3, 8 and 23 minutes.
    expect(rig.node.sent).toHaveLength(5);
    expect(await rig.kinds('one')).toEqual(['CREATED', 'SUBMITTED', 'SENT', 'UNSEEN', 'RESENT']);
    const { state } = await rig.kept('one');
    expect(state).toMatchObject({ status: 'SUBMITTED', attempts: 1, resends: 4 });
    await rig.block(5, (block) => rig.node.include(block, sender(1), 0, hashOf('one')));
    expect((await rig.kept('one')).state).toMatchObject({ status: 'EXECUTED', unseenSince: null });
  });

  test('gets it no more while the price is above its target, or its account lacks funds', async () => {
    const rig = await startSchedule();
    await rig.place(storedAutoTx('one'));
    await rig.block(5);
    for (let block = 0; block < 50; block += 1) await rig.block(50);
    expect(rig.node.sent).toHaveLength(1);
    rig.node.balances.set(sender(1), 0n);
    await minutes(rig, 3);
    expect(rig.node.sent).toHaveLength(1);
    rig.node.balances.delete(sender(1));
    await minutes(rig, 2);
    expect(rig.node.sent).toHaveLength(2);
    expect((await rig.kept('one')).state).toMatchObject({ status: 'SUBMITTED', resends: 1 });
  });

  test('does so after a restart, too: the pauses go on', async () => {
    const database = await openDatabase(':memory:');
    const first = await startSchedule({ database });
    await first.place(storedAutoTx('one'));
    await minutes(first, 4);
    expect(first.node.sent).toHaveLength(3);
    const next = await startSchedule({ database });
    next.pass(4 * 60_000);
    await minutes(next, 3);
    expect(next.node.sent).toHaveLength(0);
    await minutes(next, 2);
    expect(next.node.sent).toHaveLength(1);
  });

  test.each([
    ['no answer', new SendFailure('unknown', 'unclear', new ChainError('timeout', 'no answer')), 'SUBMITTED'],
    [
      'a refusal for now',
      new SendFailure('later', 'pool_full', new ChainError('rejected', 'full')),
      'SUBMITTED',
    ],
    [
      'a refusal for good',
      new SendFailure('never', 'gas_limit', new ChainError('rejected', 'gas')),
      'FAILED',
    ],
  ])('to a re-send gives %s', async (_, failure, status) => {
    const rig = await startSchedule();
    await rig.place(storedAutoTx('one'));
    await rig.block(5);
    rig.node.send = () => Promise.reject(failure);
    await minutes(rig, 2);
    expect((await rig.kept('one')).state.status).toBe(status);
    expect(rig.node.sent).toHaveLength(2);
  });
});
