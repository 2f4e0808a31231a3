import { toAlertRow } from '../../src/store/alert-rows.ts';
import { openDatabase } from '../../src/store/database.ts';
import { keptAlert } from '../store/alerts/kept-alerts.ts';
import { insertAutoTxs } from './auto-tx-rows.ts';

/** Who asks the monitor's own service: nobody by name. */
const NOBODY = '';
/** Wei; far below what a recording pays, so that nothing fires while keys are pressed. */
const OUT_OF_REACH = 1_000n;

/** A database at `path` in which `alerts` are armed and `autoTxs` wait, for the monitor's lists. */
export async function writeLongLists(path: string, alerts: number, autoTxs: number): Promise<void> {
  const database = await openDatabase(path);
  const rows = Array.from({ length: alerts }, (_, place) => {
    const id = `alr_${String(place).padStart(20, '0')}`;
    return toAlertRow(keptAlert(id, { threshold: OUT_OF_REACH + BigInt(place) }, { owner: NOBODY }));
  });
  await database.queries.transaction().execute(async (trx) => {
    for (let at = 0; at < rows.length; at += 200) {
      await trx
        .insertInto('alerts')
        .values(rows.slice(at, at + 200))
        .execute();
    }
  });
  await insertAutoTxs(database, autoTxs, NOBODY);
  await database.close();
}
