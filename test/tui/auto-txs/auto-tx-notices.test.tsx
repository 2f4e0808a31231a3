import { expect, it } from 'vitest';
import { describeChange, describeChecks } from '../../../src/client/views/auto-tx-texts.ts';
import type { AutoTxView } from '../../../src/client/views/auto-txs.ts';
import { showNotices } from '../show-notices.tsx';
import { CALLS, EXECUTED, EXPIRED, FAILED, SENT, WAITING } from './auto-tx-samples.ts';

const show = (first: readonly AutoTxView[]) =>
  showNotices(first, { list: 'autoTxs', say: (items) => items.map(({ status }) => status).join(' ') });

it('an auto-tx that is executed is told on the screen and by the bell, once, and counts until it is looked at', async () => {
  const { shows, answer, toasts, told, look } = show([WAITING]);
  await shows('unseen 0, counted 1, PENDING');
  await answer([{ ...EXECUTED, id: WAITING.id, note: '' }]);
  await shows('unseen 1, counted 0, EXECUTED');
  const text = 'Auto-tx executed in block 24,337,380 at 0.0388 gwei: 0.01 ETH to 0x7099…79C8';
  expect(toasts).toEqual([{ kind: 'alert', text }]);
  expect(told().length).toBe(1);
  await look({ isShown: true });
  await shows('unseen 0');
  expect(toasts.length).toBe(1);
});

it.each(CALLS)(
  'one that calls a known function is told by its name, as the list has it: %s',
  async (name, call) => {
    const { shows, answer, toasts } = show([{ ...call, status: 'PENDING' }]);
    await shows('PENDING');
    await answer([{ ...EXECUTED, ...call, status: 'EXECUTED' }]);
    await shows('EXECUTED');
    expect(toasts[0]?.text).toContain(`: ${name} on 0xA0b8…eB48`);
  },
);

it('one that is sent is told without the bell', async () => {
  const { shows, answer, toasts, told } = show([WAITING]);
  await shows('PENDING');
  await answer([{ ...SENT, id: WAITING.id }]);
  await shows('unseen 0, counted 1, SUBMITTED');
  expect(toasts).toEqual([{ kind: 'info', text: 'Auto-tx submitted: rent', forMs: 6_000 }]);
  expect(told()).toEqual([]);
});

it('one that fails says why', async () => {
  const { shows, answer, toasts } = show([WAITING]);
  await shows('PENDING');
  await answer([{ ...FAILED, id: WAITING.id, note: 'rent' }]);
  await shows('FAILED');
  expect(toasts[0]?.text).toBe(
    'Auto-tx failed: rent, nonce 0 is used: another transaction of this account was mined with it',
  );
});

const byRules = (code: string): AutoTxView => ({
  ...WAITING,
  hold: { code, message: 'enough until Amsterdam', retryAt: null },
});

it.each(['gas_too_low_after_fork', 'gas_too_low', 'code_too_long'])(
  'one that new gas rules hold is told once with the reason: %s',
  async (code) => {
    const { shows, answer, toasts, told } = show([WAITING]);
    await shows('unseen 0');
    await answer([byRules(code)]);
    await shows('unseen 1');
    expect(toasts).toEqual([
      { kind: 'alert', text: expect.stringMatching(/^Auto-tx held: .*, enough until/) },
    ]);
    await answer([{ ...byRules(code), note: 'as before' }]);
    await answer([WAITING]);
    expect(toasts.length).toBe(1);
    expect(told().length).toBe(1);
  },
);

it('several that new gas rules hold are counted, and what waits for a nonce is no news', async () => {
  const two = { ...WAITING, id: 'two' };
  const { shows, answer, toasts } = show([WAITING, two, { ...WAITING, id: 'three' }]);
  await shows('counted 3');
  const [gap, held] = [byRules('nonce_gap'), byRules('gas_too_low_after_fork')];
  await answer([held, { ...held, id: 'two' }, { ...gap, id: 'three' }]);
  await shows('unseen 2');
  expect(toasts.map(({ text }) => text)).toEqual(['2 auto-txs: 2 held']);
});

it('several at once are counted', async () => {
  const { shows, answer, toasts } = show([WAITING, { ...WAITING, id: 'two' }, { ...WAITING, id: 'three' }]);
  await shows('counted 3');
  await answer([
    { ...EXECUTED, id: WAITING.id },
    { ...EXPIRED, id: 'two' },
    { ...EXECUTED, id: 'three' },
  ]);
  await shows('unseen 3');
  expect(toasts[0]?.text).toBe('3 auto-txs: 2 executed, 1 expired');
});

it('what became of one before the monitor ran, or of that of a key, is no news', async () => {
  const { shows, answer, toasts } = show([EXECUTED, { ...WAITING, keyId: 'k1' }]);
  await shows('EXECUTED PENDING');
  await answer([EXECUTED, { ...EXECUTED, id: WAITING.id, keyId: 'k1' }, FAILED]);
  await shows('EXECUTED EXECUTED FAILED');
  expect(toasts).toEqual([]);
});

it('of an expired one it is said whether it was ever sent', async () => {
  expect(describeChange({ ...EXPIRED, attempts: 0, note: 'rent' })).toBe('Auto-tx expired: rent');
  expect(describeChange({ ...EXPIRED, attempts: 1, note: 'rent' })).toBe(
    'Auto-tx expired, broadcast and not mined: rent',
  );
});

it('counts of checks are not taken for blocks of the chain', () => {
  const check = { name: 'chain', ok: false, code: null, message: '' } as const;
  const [block, wait] = [{ ...check, result: 'block' } as const, { ...check, result: 'wait' } as const];
  expect(describeChecks([block, wait])).toBe('1 refuses, 1 waits');
  expect(describeChecks([block, block])).toBe('2 refuse');
  expect(describeChecks([wait, block, wait])).toBe('1 refuses, 2 wait');
});
