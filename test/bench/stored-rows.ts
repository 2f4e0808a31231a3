import { LANES } from '../../src/core/advice.ts';
import type { AlertRule } from '../../src/core/alerts/alert-rule.ts';
import { toAlertRow } from '../../src/store/alert-rows.ts';
import { toAutoTxRow } from '../../src/store/auto-tx-rows.ts';
import type { Database } from '../../src/store/database.ts';
import { storedAlert } from '../store/alerts/stored-alerts.ts';
import { bytesOf, GWEI, NOW, sender, storedAutoTx } from '../store/auto-txs/stored-auto-txs.ts';

const AT_ONCE = 200;
const PER_SENDER = 10;

export async function insertAlerts(
  { queries }: Database,
  count: number,
  rule: (place: number) => Partial<AlertRule>,
  owner = '',
): Promise<void> {
  const rows = Array.from({ length: count }, (_, place) =>
    toAlertRow(storedAlert(`alr_${String(place).padStart(20, '0')}`, rule(place), { owner })),
  );
  await queries.transaction().execute(async (trx) => {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      await trx
        .insertInto('alerts')
        .values(rows.slice(at, at + AT_ONCE))
        .execute();
    }
  });
}

/** Ten of each sender just above a gwei: of fifty owners in all lanes, or of `owner` alone. */
export async function insertAutoTxs({ queries }: Database, waiting: number, owner?: string): Promise<void> {
  const isListed = owner !== undefined;
  const autoTxs = Array.from({ length: waiting }, (_, place) =>
    storedAutoTx(`atx_${String(place).padStart(20, '0')}`, {
      owner: owner ?? `key_${place % 50}`,
      order: {
        target: GWEI + BigInt(isListed ? waiting - place : place % 1_000),
        lane: isListed ? 'average' : (LANES[place % LANES.length] ?? 'average'),
        isStrict: !isListed && place % 4 === 0,
        expiresAt: place % 2 === 0 ? NOW + 86_400_000 + place : null,
      },
      signed: {
        from: sender(Math.floor(place / PER_SENDER)),
        nonce: place % PER_SENDER,
        maxPriorityFeePerGas: GWEI,
        ...(isListed ? { maxFeePerGas: 10_000n * GWEI } : {}),
      },
    }),
  );
  await queries.transaction().execute(async (trx) => {
    for (let at = 0; at < autoTxs.length; at += AT_ONCE) {
      const page = autoTxs.slice(at, at + AT_ONCE);
      await trx.insertInto('auto_txs').values(page.map(toAutoTxRow)).execute();
      await trx
        .insertInto('signed_transactions')
        .values(page.map(({ id }) => ({ auto_tx_id: id, bytes: bytesOf(id) })))
        .execute();
    }
  });
}
