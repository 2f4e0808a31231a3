import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { changedPhase, DISABLED, enabledPhase, type KeptAlert } from '../core/alerts/alert-rule.ts';
import { headTimestamp } from './alert-evaluation.ts';
import {
  type AlertFiring,
  type AlertSum,
  bestFiring,
  countFirings,
  type FiringsOf,
  firingsBetween,
  newestFirings,
  sumFirings,
} from './alert-firings.ts';
import { DISABLED_COLUMNS, phaseColumns, toAlertRow, toKeptAlert } from './alert-rows.ts';
import type { Database } from './database.ts';
import { cancelDeliveries, FORGOTTEN_AT_ONCE, forgetSent } from './outbox.ts';
import { countRows, type Queries, readRows } from './tables.ts';

/** How many alerts there are by what they do. */
interface AlertCounts {
  readonly total: number;
  readonly pending: number;
  readonly disabled: number;
}

/** What the owner of an alert says of it. */
export type AlertChange = Pick<KeptAlert, 'rule' | 'method' | 'channels' | 'targets' | 'note' | 'updatedAt'>;

interface AlertUpdate {
  readonly before: KeptAlert;
  readonly after: KeptAlert;
}

/**
 * Alerts as their owners see them; who runs the service (the owner '') sees all. What a write says it did outlives the
 * process and the power. Every method rejects with a `StoreError`.
 */
export class AlertStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps a new alert; `false`: its owner has `most` already. */
  create(alert: KeptAlert, most: number): Promise<boolean> {
    return this.#database.transaction(async (trx) => {
      if (Number.isFinite(most)) {
        if ((await countRows(alertsOf(trx, alert.owner))) >= most) return false;
      }
      await trx.insertInto('alerts').values(toAlertRow(alert)).execute();
      return true;
    });
  }

  find(owner: string, id: string): Promise<KeptAlert | null> {
    return this.#database.run((db) => findAlert(db, owner, id));
  }

  /** A page of the owner's alerts, newest first, and how many there are in all. */
  list(
    owner: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly alerts: readonly KeptAlert[]; readonly total: number }> {
    return this.#database.run(async (db) => {
      const rows = await alertsOf(db, owner)
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return { alerts: readRows(rows, toKeptAlert), total: await countRows(alertsOf(db, owner)) };
    });
  }

  /**
   * Enables or disables an alert at `now` (ms since epoch). One that is so already stays as it is; `null`: there is none.
   */
  setEnabled(owner: string, id: string, isEnabled: boolean, now: number): Promise<KeptAlert | null> {
    return this.#database.transaction(async (trx) => {
      const alert = await findAlert(trx, owner, id);
      if (alert === null || (alert.phase.kind !== 'disabled') === isEnabled) return alert;
      const phase = isEnabled ? enabledPhase(alert, await headTimestamp(trx)) : DISABLED;
      await trx
        .updateTable('alerts')
        .set({ ...phaseColumns(alert.rule, phase), disabled_reason: null, updated_at: now })
        .where('id', '=', id)
        .execute();
      return { ...alert, phase, disabledReason: null, updatedAt: now };
    });
  }

  /** Replaces what the owner said of an alert; its id, history and state stay. `null`: there is none. */
  update(owner: string, id: string, change: AlertChange): Promise<AlertUpdate | null> {
    return this.#database.transaction(async (trx) => {
      const before = await findAlert(trx, owner, id);
      if (before === null) return null;
      const after = { ...before, ...change, phase: changedPhase(before, change.rule) };
      await trx.updateTable('alerts').set(toAlertRow(after)).where('id', '=', id).execute();
      return { before, after };
    });
  }

  /** Who has alerts that may fire, but for who runs the service. */
  activeOwners(): Promise<string[]> {
    return this.#database.run(async (db) => {
      const rows = await db
        .selectFrom('alerts')
        .select('owner')
        .distinct()
        .where('owner', '<>', '')
        .where('phase', '<>', DISABLED.kind)
        .execute();
      return rows.map(({ owner }) => owner);
    });
  }

  /** Disables all alerts of an owner at `now` (ms since epoch), and sends no more for them. */
  disableAll(owner: string, reason: string, now: number): Promise<void> {
    return this.#database.transaction(async (trx) => {
      await trx
        .updateTable('deliveries')
        .set({ status: 'CANCELLED', next_attempt_at: null })
        .where('status', '=', 'PENDING')
        .where('next_attempt_at', 'is not', null)
        .where('alert_id', 'in', trx.selectFrom('alerts').select('id').where('owner', '=', owner))
        .execute();
      await trx
        .updateTable('alerts')
        .set({ ...DISABLED_COLUMNS, disabled_reason: reason, updated_at: now })
        .where('owner', '=', owner)
        .where('phase', '<>', DISABLED.kind)
        .execute();
    });
  }

  /**
   * Forgets an alert with all that was sent for it, to whom and what came of it, and sends no more; that it fired stays
   * counted. `false`: there is none.
   */
  async remove(owner: string, id: string): Promise<boolean> {
    const wasThere = await this.#database.transaction(async (trx) => {
      if ((await findAlert(trx, owner, id)) === null) return false;
      await trx.deleteFrom('alerts').where('id', '=', id).execute();
      await cancelDeliveries(trx, id);
      return true;
    });
    if (wasThere) {
      // Some thousand rows, and blocks are to be written in between.
      while ((await this.#database.transaction((trx) => forgetSent(trx, id))) === FORGOTTEN_AT_ONCE)
        await setImmediate();
    }
    return wasThere;
  }

  counts(owner: string): Promise<AlertCounts> {
    return this.#database.run(async (db) => {
      const total = await countRows(alertsOf(db, owner));
      const disabled = await countRows(alertsOf(db, owner).where(sql<boolean>`phase = 'disabled'`));
      return { total, pending: total - disabled, disabled };
    });
  }

  /** The newest firings of an alert, newest first. */
  firings(alertId: string, limit: number): Promise<AlertFiring[]> {
    return this.#database.run((db) => newestFirings(db, alertId, limit));
  }

  /** The newest firings of an owner's alerts from `from` to `to` (ms since epoch, inclusive), oldest first. */
  firingsBetween(
    owner: string,
    window: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<AlertFiring[]> {
    return this.#database.run((db) => firingsBetween(db, owner, window));
  }

  /** How often an owner's alerts have fired since `since`, ms since epoch. */
  countFirings(owner: string, since: number): Promise<number> {
    return this.#database.run((db) => countFirings(db, owner, since));
  }

  sumFirings(whose: FiringsOf): Promise<AlertSum> {
    return this.#database.run((db) => sumFirings(db, whose));
  }

  /** The firing of an alert that saved most; `null`: none saved anything. */
  bestFiring(alertId: string): Promise<AlertFiring | null> {
    return this.#database.run((db) => bestFiring(db, alertId));
  }
}

function alertsOf(db: Queries, owner: string) {
  const all = db.selectFrom('alerts');
  return owner === '' ? all : all.where('owner', '=', owner);
}

async function findAlert(db: Queries, owner: string, id: string): Promise<KeptAlert | null> {
  const rows = await alertsOf(db, owner).selectAll().where('id', '=', id).execute();
  return readRows(rows, toKeptAlert)[0] ?? null;
}

/** What an operator watches: all owners' alerts, and what they send. */
export interface AlertFigures {
  readonly armed: number;
  /** Fired, and not armed again yet. */
  readonly cooling: number;
  readonly disabled: number;
  /** Of the alerts there are; it falls when one is deleted. */
  readonly firings: number;
  readonly pending: number;
  readonly failed: number;
}

/** Counts the alerts and deliveries of a database. Rejects with a `StoreError`. */
export function alertFigures(database: Pick<Database, 'run'>): Promise<AlertFigures> {
  return database.run(async (queries) => {
    const alerts = await queries
      .selectFrom('alerts')
      .select((e) => [
        'phase',
        e.fn.countAll<number>().as('count'),
        e.fn.sum<number>('trigger_count').as('fired'),
      ])
      .groupBy('phase')
      .execute();
    const deliveries = await queries
      .selectFrom('deliveries')
      .select((e) => ['status', e.fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute();
    const inPhase = (phase: string) => Number(alerts.find((row) => row.phase === phase)?.count ?? 0);
    const inStatus = (status: string) => Number(deliveries.find((row) => row.status === status)?.count ?? 0);
    return {
      armed: inPhase('armed'),
      cooling: inPhase('cooling'),
      disabled: inPhase('disabled'),
      firings: alerts.reduce((sum, { fired }) => sum + Number(fired), 0),
      pending: inStatus('PENDING'),
      failed: inStatus('FAILED'),
    };
  });
}
