import { describe, expect, it } from 'vitest';
import type { TransactionParts } from '../../../src/core/transactions/gas-rules.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { storedAutoTx } from '../../store/auto-txs/stored-auto-txs.ts';
import { startSchedule } from './schedule-rig.ts';

const SLOT_MS = 12_000;
/** The number of the next block. */
const FIRST = 100;

/** 100 bytes of data, whose floor is 25,000 before Amsterdam and 27,400 since then. */
const parts: TransactionParts = {
  ...{ zeroBytes: 0, otherBytes: 100, accessedAddresses: 0, accessedKeys: 0, authorizations: 0, blobs: 0 },
  ...{ creates: false, isToSelf: false, hasValue: true },
};

async function beforeFork(slots: number) {
  const at = makeBlock(FIRST).timestamp + (slots + 1) * (SLOT_MS / 1_000);
  const rig = await startSchedule({ fork: { at, kind: 'amsterdam', blobSchedule: null } });
  const autoTx = storedAutoTx('one', { order: { target: 1n } });
  const { signed } = autoTx;
  if (signed === null) throw new Error('it is signed');
  await rig.place({ ...autoTx, signed: { ...signed, gasLimit: 25_000n, parts } });
  await rig.block();
  return { ...rig, hold: async () => (await rig.kept('one')).state.hold?.code ?? null };
}

describe('an auto-tx whose gas is too little after a fork', () => {
  it.each([1, 2, 5])('is held once all of the last %i slots before it were missed', async (slots) => {
    const { hold, pass, turn } = await beforeFork(slots);
    expect(await hold()).toBeNull();
    pass(slots * SLOT_MS);
    await turn();
    expect(await hold()).toBeNull();
    pass(500);
    await turn();
    expect(await hold()).toBe('gas_too_low_after_fork');
  });

  it('is free again where the block was only late', async () => {
    const { hold, pass, turn, block } = await beforeFork(3);
    pass(3 * SLOT_MS + 500);
    await turn();
    expect(await hold()).toBe('gas_too_low_after_fork');
    await block();
    expect(await hold()).toBeNull();
  });
});
