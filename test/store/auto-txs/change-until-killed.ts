import type { AutoTxEvent } from '../../../src/core/auto-txs/state-machine.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { flat } from '../alerts/priced-blocks.ts';
import { bytesOf, GWEI, includedIn, keptAutoTx, NOW, sender, stepped } from './kept-auto-txs.ts';

/**
 * Run by auto-tx-crash.test.ts: changes auto-txs as fast as it can, as owners do (`owner`) or as the engine does
 * (`engine`), and says each change once it is safely there.
 */

const [path = '', role = '', run = ''] = process.argv.slice(2);
// That of the test's databases.
const database = await openDatabase(path, Buffer.alloc(32, 7));
const store = new AutoTxStore(database);
const blocks = new BlockStore(database, undefined, () => NOW);

async function happen(id: string, event: AutoTxEvent, by: 'owner' | 'engine'): Promise<void> {
  const changed = await store.change({ owner: '', id }, (kept) => stepped(kept, event), by);
  if (changed !== null) process.stdout.write(`${event.type} ${id}\n`);
}

async function actAsOwner(turn: number): Promise<void> {
  const id = `run${run}_${turn}`;
  const kept = keptAutoTx(id, {
    signed: { from: sender(turn % 10), nonce: Number(run) * 100_000 + turn },
    order: { expiresAt: turn % 9 === 0 ? NOW : null },
    priceAtCreation: 10n * GWEI,
    nativeUsd: 1_000,
  });
  await store.create(kept, bytesOf(id), Number.POSITIVE_INFINITY);
  process.stdout.write(`create ${id}\n`);
  const earlier = `run${run}_${turn - (turn % 4)}`;
  if (turn % 2 === 0) await happen(earlier, { type: 'cancel' }, 'owner');
  else await happen(id, { type: 'disable' }, 'owner');
  if (turn % 3 === 0) await happen(id, { type: 'enable' }, 'owner');
  if (turn % 8 === 0) await removeCancelled(earlier);
}

async function removeCancelled(id: string): Promise<void> {
  if ((await store.find('', id))?.state.status !== 'CANCELLED') return;
  await store.remove('', id);
  process.stdout.write(`remove ${id}\n`);
}

async function actAsEngine(turn: number): Promise<void> {
  const reached = await store.reached({ prices: flat(1n), nextBaseFee: 1n }, { now: NOW, limit: 3 });
  for (const { id } of reached) await happen(id, { type: 'submit' }, 'engine');
  for (const { id } of await store.expiring(NOW, 1)) await happen(id, { type: 'expire' }, 'engine');
  const [from = '0x'] = await store.followedSenders();
  for (const { id } of (await store.following(from)).slice(0, 3)) {
    const inclusion = includedIn(turn, { outcome: turn % 5 === 0 ? 'reverted' : 'success' });
    const look = { head: turn, inclusion, isKnown: true, nextNonce: 0 };
    await happen(id, { type: 'observe', observation: look }, 'engine');
  }
  if (turn % 7 === 0) await blocks.rewindTo(turn - 2);
}

for (let turn = 1; ; turn += 1) await (role === 'owner' ? actAsOwner(turn) : actAsEngine(turn));
