import { sql } from 'kysely';
import { DISABLED, type StoredAlert } from '../core/alerts/alert-rule.ts';
import { disableAlerts, distinctIn, toAlertRow, toStoredAlert } from './alert-rows.ts';
import { maybeCell } from './columns.ts';
import { type Database, Store } from './database.ts';
import { HALF, SUMS, savedBy, tallyOf } from './firing-tallies.ts';
import { type AlertEventRow, cancelDeliveries, forgetDeliveries, MOST_EVENTS } from './outbox.ts';
import {
  countRows,
  inPages,
  newestBlock,
  newestPage,
  ownedBy,
  type Page,
  type Queries,
  readRows,
  type TimeSpan,
} from './tables.ts';

export type AlertFiring = ReturnType<typeof toFiring>;
export type AlertSum = ReturnType<typeof toSum>;

/** Alerts for their owners; the operator (the owner '') sees all. */
export class AlertStore extends Store {
  create(alert: StoredAlert, most: number): Promise<boolean> {
    return this.database.transaction(async (trx) => {
      if (Number.isFinite(most) && (await countRows(alertsOf(trx, alert.owner))) >= most) return false;
      await trx.insertInto('alerts').values(toAlertRow(alert)).execute();
      return true;
    });
  }

  find(owner: string, id: string): Promise<StoredAlert | null> {
    return this.database.run((db) => findAlert(db, owner, id));
  }

  list(owner: string, page: Page) {
    return this.database.run(async (db) => {
      const rows = await newestPage(alertsOf(db, owner).selectAll(), page).execute();
      return { alerts: readRows(rows, toStoredAlert), total: await countRows(alertsOf(db, owner)) };
    });
  }

  /**
   * In one transaction: reads, lets `decide` return the alert with its changes, by the head's time (Unix s; `null`: no block is
   * stored), and writes it. `null` when there is none.
   */
  change(owner: string, id: string, decide: (stored: StoredAlert, headTime: number | null) => StoredAlert) {
    return this.database.transaction(async (trx) => {
      const before = await findAlert(trx, owner, id);
      if (before === null) return null;
      const after = decide(before, (await newestBlock(trx))?.timestamp ?? null);
      await trx.updateTable('alerts').set(toAlertRow(after)).where('id', '=', id).execute();
      return { before, after };
    });
  }

  /** Owners with alerts that may fire, except the operator. */
  async activeOwners(): Promise<string[]> {
    const owners = sql<{ owner: string }>`
      select key as owner from (${distinctIn('owner')}) as owners
      where exists (select 1 from alerts where owner = key and phase <> ${DISABLED.kind})`;
    return (await this.database.run((db) => owners.execute(db))).rows.map(({ owner }) => owner);
  }

  /** Whether any rule is priced by the coin's price. */
  async hasDollarRules(): Promise<boolean> {
    const rules = (db: Queries) => db.selectFrom('alerts').select('id').where('price_group', '>=', 'dollars');
    const first = (db: Queries) => rules(db).where('price_group', '<', 'dollars~').limit(1).execute();
    return (await this.database.run(first)).length > 0;
  }

  disableAll(owner: string, reason: string, now: number): Promise<void> {
    return this.database.transaction(async (trx) => {
      const theirs = trx.selectFrom('alerts').select('id').where('owner', '=', owner);
      const waiting = cancelDeliveries(trx).where('next_attempt_at', 'is not', null);
      await waiting.where('alert_id', 'in', theirs).execute();
      await disableAlerts(trx, reason, now).where('owner', '=', owner).execute();
    });
  }

  /** Deletes an alert with its deliveries and attempts; its firings stay counted. `false` when there is none. */
  async remove(owner: string, id: string): Promise<boolean> {
    const wasThere = await this.database.transaction(async (trx) => {
      // Without reading it: a damaged row can be deleted, too.
      if ((await countRows(alertsOf(trx, owner).where('id', '=', id))) === 0) return false;
      await trx.deleteFrom('alerts').where('id', '=', id).execute();
      await cancelDeliveries(trx).where('alert_id', '=', id).execute();
      return true;
    });
    const forget = (limit: number) => (trx: Queries) =>
      forgetDeliveries(trx, trx.selectFrom('deliveries').where('alert_id', '=', id).limit(limit));
    if (wasThere) await inPages((limit) => this.database.transaction(forget(limit)));
    return wasThere;
  }

  /** How many alerts an owner has, how often they fired since then (ms since epoch), and what all their firings saved. */
  totals(owner: string, since: number) {
    return this.database.run(async (db) => {
      const total = await countRows(alertsOf(db, owner));
      const disabled = await countRows(alertsOf(db, owner).where(sql<boolean>`phase = 'disabled'`));
      const fired = await countRows(firingsOf(db, owner).where('triggered_at', '>=', since));
      const sums = await ownedBy(db.selectFrom('firing_tallies'), owner)
        .select((e) => SUMS.map((column) => e.fn.sum<number | null>(column).as(column)))
        .executeTakeFirstOrThrow();
      return { total, pending: total - disabled, disabled, fired, sum: toSum(sums) };
    });
  }

  async savings(alertId: string) {
    const rows = await this.database.run((db) => {
      const stored = db.selectFrom('alert_events').selectAll().where('alert_id', '=', alertId);
      const newest = stored.orderBy('triggered_at', 'desc').orderBy('block_number', 'desc');
      return newest.limit(MOST_EVENTS).execute();
    });
    return { firings: rows.map(toFiring), sum: toSum(tallyOf(rows)) };
  }

  /** The newest firings of an owner's alerts from `from` to `to` (ms since epoch, inclusive), oldest first. */
  async firingsBetween(owner: string, { from, to, limit }: TimeSpan): Promise<AlertFiring[]> {
    const rows = await this.database.run((db) => {
      const within = firingsOf(db, owner).where('triggered_at', '>=', from).where('triggered_at', '<=', to);
      return within.selectAll().orderBy('triggered_at', 'desc').limit(limit).execute();
    });
    return rows.map(toFiring).reverse();
  }
}

const firingsOf = (db: Queries, owner: string) => ownedBy(db.selectFrom('alert_events'), owner);

type Sums = Readonly<Record<(typeof SUMS)[number], number | null>>;

/** Per gas: wei, and dollars times 10^18, `null` when a firing with savings has no dollar price. */
function toSum({ firings, saved_high: high, saved_low: low, usd, unpriced }: Sums) {
  return {
    firings: Number(firings ?? 0),
    savedPerGas: BigInt(high ?? 0) * BigInt(HALF) + BigInt(low ?? 0),
    usdPerGas: (unpriced ?? 0) > 0 ? null : (usd ?? 0),
  };
}

/** Wei per gas, the reference and the coin's dollar price `null` when unknown; block time in ms since epoch. */
function toFiring(row: AlertEventRow) {
  return {
    alertId: row.alert_id,
    blockNumber: row.block_number,
    triggeredAt: row.triggered_at,
    price: BigInt(row.price),
    referencePrice: maybeCell(row.reference_price, BigInt),
    savedPerGas: BigInt(savedBy(row)),
    nativeUsd: row.native_usd,
  };
}

const alertsOf = (db: Queries, owner: string) => ownedBy(db.selectFrom('alerts'), owner);

async function findAlert(db: Queries, owner: string, id: string): Promise<StoredAlert | null> {
  const rows = await alertsOf(db, owner).selectAll().where('id', '=', id).execute();
  return readRows(rows, toStoredAlert)[0] ?? null;
}

/** Figures for operators: all owners' alerts, and their deliveries. `firings` falls when an alert is deleted. */
export type AlertFigures = Awaited<ReturnType<typeof alertFigures>>;

export async function alertFigures(database: Pick<Database, 'run'>) {
  const { rows } = await database.run((db) =>
    sql<{ of: string; count: number; fired: number }>`
      select phase as of, count(*) as count, sum(trigger_count) as fired from alerts group by phase
      union all select status, count(*), 0 from deliveries group by status`.execute(db),
  );
  const count = (of: string) => Number(rows.find((row) => row.of === of)?.count ?? 0);
  return {
    armed: count('armed'),
    cooling: count('cooling'),
    disabled: count('disabled'),
    firings: rows.reduce((sum, { fired }) => sum + Number(fired), 0),
    pending: count('PENDING'),
    failed: count('FAILED'),
  };
}
