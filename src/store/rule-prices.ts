import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import {
  type AlertRule,
  ARMED,
  basisAt,
  type DollarBasis,
  noPast,
  type PricedBlock,
  repriced,
  type StoredAlert,
} from '../core/alerts/alert-rule.ts';
import {
  DRIFT_RATIO,
  effectivePrice,
  HISTORY_EVERY_SEC,
  NO_BLOB_HISTORY,
  type PriceOrReason,
} from '../core/threshold/threshold.ts';
import {
  alertsIn,
  changeAlerts,
  confirmingIn,
  distinctIn,
  type RuleGroup,
  readGroup,
  saveChanged,
  toStoredAlert,
} from './alert-rows.ts';
import { LaneHistory } from './lane-history.ts';
import { pagesOf, type Queries, readMeta, readRows, saveMeta } from './tables.ts';

const NO_BASIS: DollarBasis = {
  key: '',
  nativeUsd: null,
  gasOf: () => null,
  dataFeeOf: () => null,
  pastPrice: noPast,
};

export const PRICED_BY = 'alerts_priced_by';

/** What the stored prices were worked out by: the key of a basis, and five minutes of block time. */
interface PricedBy {
  readonly dollars: string | null;
  readonly history: number | null;
}

/** `basis`: `null` where rules in dollars keep their prices; `ms`: block time. */
interface PricedAt {
  readonly basis: DollarBasis | null;
  readonly ms: number;
}

const NOTHING: PricedBy = { dollars: null, history: null };

/** Keeps the prices that relative rules stand for, stored with each alert, in the transaction that evaluates blocks. */
export class RulePrices {
  readonly #trx: Queries;
  readonly #read: PricedBy;
  #by: PricedBy;
  #past = new LaneHistory(0);
  /** New alerts come before this transaction only. */
  #mayHaveNew = true;
  /** Whether rules in dollars passed over the block before. */
  #passesOver = false;

  private constructor(trx: Queries, by: PricedBy) {
    this.#trx = trx;
    this.#read = by;
    this.#by = by;
  }

  static async read(trx: Queries): Promise<RulePrices> {
    const text = await readMeta(trx, PRICED_BY);
    return new RulePrices(trx, text === null ? NOTHING : (JSON.parse(text) as PricedBy));
  }

  async save(): Promise<void> {
    if (this.#by !== this.#read) await saveMeta(this.#trx, PRICED_BY, JSON.stringify(this.#by));
  }

  /**
   * Stores the prices that this block moves: of rules in dollars when they have moved by more than 0.5 %, of rules against
   * history every five minutes. No dollar price is known of a block that came too late: rules in dollars pass over it.
   */
  async follow(priced: PricedBlock): Promise<void> {
    const timestamp = Math.floor(priced.block.timestamp);
    const basis = basisAt(priced);
    const dollars = basis === null ? this.#by.dollars : basis.key;
    const history = Math.floor(timestamp / HISTORY_EVERY_SEC);
    const movesDollars = dollars !== this.#by.dollars;
    const movesHistory = history !== this.#by.history;
    if (this.#past.end !== history * HISTORY_EVERY_SEC) this.#past = new LaneHistory(timestamp);
    const at = { basis, ms: timestamp * 1_000 };
    if (movesDollars || movesHistory) {
      for (const group of await groupsOf(this.#trx))
        if (group.kind === 'dollars' ? movesDollars : movesHistory) await this.#repriceMoved(group, at);
      this.#by = { dollars, history };
    }
    if (this.#mayHaveNew) await this.#repriceNew(at);
    if (basis !== null) this.#mayHaveNew = false;
    else if (!this.#passesOver) await confirmAnew(this.#trx);
    this.#passesOver = basis === null;
  }

  async #repriceNew(at: PricedAt): Promise<void> {
    const unpriced = this.#trx.selectFrom('alerts').select('id').where('threshold_rule', 'is not', null);
    await this.#reprice(await unpriced.where('effective_since', 'is', null).execute(), at);
  }

  /** Of a group, those that wait, and those whose price is another now: they alone are read. */
  async #repriceMoved(group: RuleGroup, at: PricedAt): Promise<void> {
    const price = await this.#groupPrice(group, at);
    const theirs = this.#trx.selectFrom('alerts').select('id').where('price_group', '=', group.key);
    const moved =
      'reason' in price
        ? sql<boolean>`(threshold_reason is null or threshold_reason <> ${price.reason})`
        : sql<boolean>`(threshold_reason is not null or ${movedBy(price, group)})`;
    await this.#reprice(await theirs.where(moved).execute(), at);
  }

  async #reprice(ids: readonly { readonly id: string }[], at: PricedAt): Promise<void> {
    for (const page of pagesOf(ids.map(({ id }) => id))) {
      const rows = await alertsIn(this.#trx).where('id', 'in', page).execute();
      const changed: StoredAlert[] = [];
      for (const alert of readRows(rows, toStoredAlert)) {
        const price = await this.#priceOf(alert.rule, at);
        const after = price === null ? alert : repriced(alert, price, at.ms);
        if (after !== alert) changed.push(after);
      }
      await saveChanged(this.#trx, changed);
      // The transaction stays open; requests without database access go on.
      if (ids.length > page.length) await setImmediate();
    }
  }

  async #priceOf(
    { lane, relative, condition }: AlertRule,
    { basis }: PricedAt,
  ): Promise<PriceOrReason | null> {
    if (relative == null) return null;
    const { written } = relative;
    if ('work' in written) return basis && effectivePrice(written, condition, basis);
    if (lane === 'blob') return NO_BLOB_HISTORY;
    await this.#past.load(this.#trx, written.windowSec);
    const pastPrice = (percentile: number, windowSec: number) =>
      this.#past.price(lane, percentile, windowSec);
    return effectivePrice(written, condition, { ...NO_BASIS, pastPrice });
  }

  async #groupPrice(group: RuleGroup, at: PricedAt): Promise<GroupPrice | { readonly reason: string }> {
    if (group.kind === 'history') {
      await this.#past.load(this.#trx, group.windowSec);
      const past = this.#past.price(group.lane, group.percentile, group.windowSec);
      return 'reason' in past ? past : { perFactor: Number(past.price), less: 0 };
    }
    const { work } = group;
    const basis = at.basis ?? NO_BASIS;
    const [gas, fee] = [basis.gasOf(work), basis.dataFeeOf(work)];
    if (basis.nativeUsd !== null && gas !== null && fee !== null)
      return { perFactor: WEI_PER_COIN / (basis.nativeUsd * gas), less: Number(fee) / gas };
    const unknown = effectivePrice({ kind: 'usd', usd: 1, work }, 'LESS_THAN', basis);
    return 'reason' in unknown ? unknown : { reason: 'its price is unknown' };
  }
}

/** After a reorg: what was the past may be another. */
export async function forgetHistory(trx: Queries): Promise<void> {
  const text = await readMeta(trx, PRICED_BY);
  if (text === null) return;
  await saveMeta(trx, PRICED_BY, JSON.stringify({ ...(JSON.parse(text) as PricedBy), history: null }));
}

/** The price of each rule of a group is its factor times `perFactor`, minus `less`: wei per gas. */
interface GroupPrice {
  readonly perFactor: number;
  readonly less: number;
}

const WEI_PER_COIN = 1e18;

/** Rules whose stored price is another: in dollars by more than 0.5 %, against history by a wei. */
function movedBy({ perFactor, less }: GroupPrice, { kind }: RuleGroup): RawBuilder<boolean> {
  const price = sql`(price_factor * ${perFactor} - ${less})`;
  // A stored price is rounded to the safe side.
  const above = sql`case condition when 'LESS_THAN' then ${price} - threshold else threshold - ${price} end`;
  return kind === 'dollars'
    ? sql`abs(${above}) > threshold * ${sql.lit(DRIFT_RATIO)} + 1`
    : sql`${above} not between 0 and 0.999`;
}

/** The groups there are. */
async function groupsOf(trx: Queries): Promise<RuleGroup[]> {
  const { rows } = await distinctIn('price_group').execute(trx);
  return rows.flatMap(({ key }) => readGroup(key) ?? []);
}

/** It is unknown whether the conditions of rules in dollars held at a late block: confirmation restarts. */
async function confirmAnew(trx: Queries): Promise<void> {
  const inDollars = confirmingIn(trx).where('price_group', 'like', 'dollars %');
  await changeAlerts(trx, inDollars, () => ARMED);
}
