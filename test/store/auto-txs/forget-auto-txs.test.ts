import { describe, expect, test } from 'vitest';
import { AutoTxStore, forgetFinished } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { ENGINES, openOn } from '../../helpers/databases.ts';
import { bytesOf, includedIn, keptAutoTx, NOW } from './kept-auto-txs.ts';

describe.each(ENGINES)('on %s', (engine) => {
  test('the oldest final auto-txs of an owner go, but none that may be mined and none that waits', async () => {
    const database = await openOn(engine);
    const store = new AutoTxStore(database);
    await new BlockStore(database).saveBlocks([makeBlock(1_000)]);
    const states = [
      ['out', { status: 'CANCELLED', mayBeOut: true }],
      ['near', { status: 'EXECUTED', inclusion: includedIn(990) }],
      ['waits', {}],
      ['deep', { status: 'EXECUTED', inclusion: includedIn(900) }],
      ['expired', { status: 'EXPIRED' }],
      ['cancelled', { status: 'CANCELLED' }],
      ['failed', { status: 'FAILED', failure: { code: 'x', message: 'x' } }],
    ] as const;
    for (const owner of ['a', 'b']) {
      for (const [place, [name, state]] of states.entries()) {
        const id = `${owner} ${name}`;
        const signed = { nonce: place };
        await store.create(
          keptAutoTx(id, { owner, createdAt: NOW + place, state, signed }),
          bytesOf(id),
          Number.POSITIVE_INFINITY,
        );
      }
    }
    await database.transaction((trx) => forgetFinished(trx, 'a', 4));
    const ids = async (owner: string) =>
      (await store.list(owner, { offset: 0, limit: 100 })).autoTxs.map(({ id }) => id.slice(2)).reverse();
    expect(await ids('a')).toEqual(['out', 'waits', 'expired', 'cancelled', 'failed']);
    expect(await store.timeline('a deep')).toEqual([]);
    expect(await store.signedBytes('a deep')).toBeNull();
    expect(await ids('b')).toHaveLength(7);
  });
});
