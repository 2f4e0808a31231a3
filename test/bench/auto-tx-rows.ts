import { LANES } from '../../src/core/advice.ts';
import { toAutoTxRow } from '../../src/store/auto-tx-rows.ts';
import type { Database } from '../../src/store/database.ts';
import { bytesOf, GWEI, keptAutoTx, NOW, sender } from '../store/auto-txs/kept-auto-txs.ts';

/** Of how many senders each ten wait. */
const PER_SENDER = 10;
/** How many a dip reaches. */
export const SENT = 20;
/** Above every target, and below those of twenty. */
export const QUIET = 50n * GWEI;
export const DIP = 2n * GWEI;

/**
 * Ten of each sender, all lanes, strict and not, twenty of them with a target above the dip; of `owner`, or of fifty.
 */
export async function insertAutoTxs({ queries }: Database, waiting: number, owner?: string): Promise<void> {
  const autoTxs = Array.from({ length: waiting }, (_, place) =>
    keptAutoTx(`atx_${String(place).padStart(20, '0')}`, {
      owner: owner ?? `key_${place % 50}`,
      order: {
        target: place < SENT ? DIP + GWEI : GWEI + BigInt(place % 1_000),
        lane: LANES[place % LANES.length] ?? 'average',
        isStrict: place % 4 === 0,
        expiresAt: place % 2 === 0 ? NOW + 86_400_000 + place : null,
      },
      signed: {
        from: sender(Math.floor(place / PER_SENDER)),
        nonce: place % PER_SENDER,
        maxPriorityFeePerGas: GWEI,
      },
    }),
  );
  await queries.transaction().execute(async (trx) => {
    for (let at = 0; at < autoTxs.length; at += 200) {
      const page = autoTxs.slice(at, at + 200);
      await trx.insertInto('auto_txs').values(page.map(toAutoTxRow)).execute();
      await trx
        .insertInto('signed_transactions')
        .values(page.map(({ id }) => ({ auto_tx_id: id, bytes: bytesOf(id) })))
        .execute();
    }
  });
}
