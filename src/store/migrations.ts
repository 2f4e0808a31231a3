import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from './tables.ts';

/** Types with different names in the two databases. Text is ordered by bytes in both. */
const TYPES = {
  TEXT: { sqlite: 'text', postgres: 'text collate "C"' },
  ADDRESS: { sqlite: 'text collate nocase', postgres: 'text collate "C"' },
  // SQLite makes a primary key the row id only when it is an `integer`.
  HEIGHT: { sqlite: 'integer', postgres: 'bigint' },
  BYTES: { sqlite: 'blob', postgres: 'bytea' },
} as const;

async function run(db: Kysely<unknown>, statements: string): Promise<void> {
  const dialect = isPostgres(db) ? 'postgres' : 'sqlite';
  const said = Object.entries(TYPES).reduce(
    (text, [type, names]) => text.replaceAll(new RegExp(`\\b${type}\\b`, 'g'), names[dialect]),
    statements,
  );
  for (const statement of said.split(/;\n/)) await sql.raw(statement).execute(db);
}

/** A schema change: statements for both databases, each on its own lines. */
const change = (statements: string): Migration => ({ up: (db: Kysely<unknown>) => run(db, statements) });

const SAVED = `case when condition = 'LESS_THAN' and reference_price > price then reference_price - price else 0 end`;

const LIVE = "status in ('PENDING', 'DISABLED', 'SUBMITTED')";

// A released change is never edited; the next one is added below.

export type Migrations = Readonly<Record<string, Migration>>;

/** All schema changes of the history in order. */
export const HISTORY_MIGRATIONS: Migrations = {
  // Blocks, rollups, and the identity of the chain.
  '0001-blocks': change(`
  create table if not exists blocks (
    number HEIGHT primary key, hash TEXT, parent_hash TEXT, timestamp bigint not null, base_fee bigint not null,
    gas_used bigint, gas_limit bigint, gas_used_ratio double precision not null,
    blob_base_fee bigint, next_base_fee bigint, next_blob_base_fee bigint,
    tip_p10 bigint, tip_p25 bigint, tip_p50 bigint, tip_p75 bigint, tip_p90 bigint, tip_p95 bigint, tip_p99 bigint);
  create index if not exists blocks_timestamp on blocks (timestamp, number);
  create table if not exists rollups (
    bucket_sec integer not null, start bigint not null, blocks integer not null,
    first_block bigint not null, last_block bigint not null, base_open bigint not null, base_min bigint not null,
    base_mean double precision not null, base_max bigint not null, base_close bigint not null,
    tipped_blocks integer not null, tip_p10 double precision, tip_p25 double precision, tip_p50 double precision,
    tip_p75 double precision, tip_p90 double precision, tip_p95 double precision, tip_p99 double precision,
    ratio_mean double precision not null, ratio_max double precision not null,
    constraint rollups_key primary key (bucket_sec, start));
  create table if not exists meta (key TEXT primary key, value TEXT not null)`),
  // Advice after each block, and its outcome.
  '0002-advice': change(`
  create table if not exists advice (
    block_number HEIGHT primary key, block_hash TEXT, timestamp bigint not null, version integer not null,
    action TEXT not null, target_price bigint not null, max_fee bigint, max_priority_fee bigint,
    due_block bigint, due_at bigint, probability double precision, verdict TEXT, settled_block bigint);
  create index if not exists advice_due_block on advice (due_block) where verdict is null;
  create index if not exists advice_due_at on advice (due_at) where verdict is null;
  create index if not exists advice_settled on advice (settled_block, block_number)`),
  // Alerts, firings, deliveries and the lease. The index of disabled alerts is small; every summary counts them.
  '0003-alerts': change(`
  create table if not exists alerts (
    id TEXT primary key, owner TEXT not null, created_at bigint not null, updated_at bigint not null,
    lane TEXT not null, condition TEXT not null, threshold bigint not null, hysteresis bigint not null,
    confirm_blocks integer not null, cooldown_ms bigint not null, disable_once integer not null,
    method TEXT not null, channels TEXT not null, targets TEXT not null, note TEXT not null,
    phase TEXT not null, true_since bigint, cooldown_until bigint, has_left integer not null,
    wake_at_most bigint, wake_at_least bigint, wake_block bigint, wake_ms bigint,
    trigger_count integer not null, last_triggered_at bigint, missed_count integer not null, last_missed_at bigint,
    disabled_reason TEXT);
  create index if not exists alerts_wake_at_most on alerts (lane, wake_at_most) where wake_at_most is not null;
  create index if not exists alerts_wake_at_least on alerts (lane, wake_at_least) where wake_at_least is not null;
  create index if not exists alerts_wake_block on alerts (lane, wake_block) where wake_block is not null;
  create index if not exists alerts_wake_ms on alerts (lane, wake_ms) where wake_ms is not null;
  create index if not exists alerts_owner on alerts (owner, created_at, id);
  create index if not exists alerts_created on alerts (created_at, id);
  create index if not exists alerts_disabled on alerts (owner) where phase = 'disabled';
  create table if not exists alert_events (
    id TEXT primary key, alert_id TEXT not null, owner TEXT not null, block_number bigint not null, block_hash TEXT,
    triggered_at bigint not null, condition TEXT not null, price bigint not null, reference_price bigint,
    native_usd double precision);
  create index if not exists alert_events_alert on alert_events (alert_id, triggered_at);
  create index if not exists alert_events_time on alert_events (triggered_at, owner);
  create table if not exists deliveries (
    id TEXT primary key, event_id TEXT not null, alert_id TEXT not null, channel TEXT not null, target TEXT not null,
    message TEXT not null, status TEXT not null, created_at bigint not null,
    tries integer not null, tries_since bigint not null, next_attempt_at bigint);
  create index if not exists deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null;
  create index if not exists deliveries_alert on deliveries (alert_id, created_at);
  create table if not exists delivery_attempts (
    delivery_id TEXT not null, at bigint not null, latency_ms integer not null, ok integer not null, answer TEXT not null);
  create index if not exists delivery_attempts_delivery on delivery_attempts (delivery_id, at);
  create table if not exists signing_secrets (owner TEXT primary key, secret TEXT not null);
  create table if not exists leases (
    name TEXT primary key, holder TEXT not null, process TEXT not null, since bigint not null, heartbeat_at bigint not null)`),
  // Hourly totals of each owner's firings, and indexes that separate owners.
  '0004-firing-tallies': change(`
  create table if not exists firing_tallies (
    owner TEXT not null, hour bigint not null, firings integer not null, saved_high bigint not null,
    saved_low bigint not null, usd double precision not null, unpriced integer not null,
    constraint firing_tallies_pk primary key (owner, hour));
  insert into firing_tallies (owner, hour, firings, saved_high, saved_low, usd, unpriced)
    select owner, triggered_at - triggered_at % 3600000, count(*), sum((${SAVED}) / 1000000), sum((${SAVED}) % 1000000),
      coalesce(sum((${SAVED}) * native_usd), 0), sum(case when native_usd is null and (${SAVED}) > 0 then 1 else 0 end)
    from alert_events group by 1, 2;
  create index if not exists alert_events_owner on alert_events (owner, triggered_at);
  create index if not exists deliveries_event on deliveries (event_id);
  create index if not exists deliveries_done on deliveries (created_at) where next_attempt_at is null`),
  // Auto-txs, signed bytes and timelines. Long columns come last: the columns before them are read without them.
  '0005-auto-txs': change(`
  create table if not exists auto_txs (
    id TEXT primary key, owner TEXT not null, chain_id bigint not null, created_at bigint not null,
    updated_at bigint not null, target bigint not null, lane TEXT not null, is_strict integer not null,
    expires_at bigint, note TEXT not null, to_address TEXT, value TEXT not null,
    type integer, hash TEXT, signed_chain bigint, from_address ADDRESS, nonce bigint, gas_limit bigint,
    gas_price bigint, max_fee bigint, max_priority_fee bigint, max_blob_fee bigint, blob_count integer,
    intrinsic_gas bigint, status TEXT not null, attempts integer not null, submitted_at bigint, sent_at bigint,
    may_be_out integer not null, block_number bigint, block_hash TEXT, outcome TEXT, gas_used bigint,
    effective_gas_price bigint, other_fees TEXT, mined_at bigint, returns_to TEXT, taken_since bigint,
    unseen integer not null, executed_at bigint, failure_code TEXT, failure_message TEXT, hold_code TEXT,
    hold_message TEXT, hold_until bigint, hold_times integer, checked_at bigint, price_at_creation bigint,
    day_mean_price bigint, native_usd double precision, wake_lane TEXT, wake_price bigint, wake_base bigint,
    cap bigint, chain_block bigint, checks TEXT not null, data TEXT not null);
  create index if not exists auto_txs_wake_price
    on auto_txs (wake_lane, wake_price, cap, hold_until, from_address, nonce, id) where wake_price is not null;
  create index if not exists auto_txs_wake_base
    on auto_txs (wake_base, cap, hold_until, from_address, nonce, id) where wake_base is not null;
  create index if not exists auto_txs_expires on auto_txs (expires_at) where status in ('PENDING', 'DISABLED');
  create index if not exists auto_txs_followed
    on auto_txs (from_address, nonce, id) where status = 'SUBMITTED' or may_be_out = 1;
  create index if not exists auto_txs_live
    on auto_txs (from_address, nonce, id) where status in ('PENDING', 'DISABLED', 'SUBMITTED');
  create index if not exists auto_txs_chain_block on auto_txs (chain_block) where chain_block is not null;
  create index if not exists auto_txs_owner_executed on auto_txs (owner, mined_at) where status = 'EXECUTED';
  create index if not exists auto_txs_executed on auto_txs (mined_at) where status = 'EXECUTED';
  create index if not exists auto_txs_owner on auto_txs (owner, created_at, id);
  create index if not exists auto_txs_created on auto_txs (created_at, id);
  create index if not exists auto_txs_status on auto_txs (owner, status);
  create table if not exists signed_transactions (auto_tx_id TEXT primary key, mined_block bigint, bytes BYTES not null);
  create index if not exists signed_transactions_mined
    on signed_transactions (mined_block) where mined_block is not null;
  create table if not exists auto_tx_events (
    auto_tx_id TEXT not null, seq integer not null, at bigint not null, kind TEXT not null, block_number bigint,
    message TEXT not null, constraint auto_tx_events_pk primary key (auto_tx_id, seq));
  create table if not exists auto_tx_tallies (
    owner TEXT primary key, executed integer not null, saved_wei TEXT not null, usd double precision not null,
    unpriced integer not null)`),
  // Judged advice to wait may be rare among advice to send: an index finds it without reading the others.
  '0006-advice-waits': change(`
  create index if not exists advice_waits on advice (settled_block, block_number) where due_at is not null`),
  // A fired alert waits for the price to leave its threshold only with a re-arm margin or without a cooldown. Earlier
  // versions always waited: alerts that need not any more wake when their cooldown ends.
  '0007-alert-cooldowns': change(`
  alter table alerts rename column has_left to must_leave;
  update alerts set must_leave = case
    when phase = 'resting' and must_leave = 0 and (hysteresis > 0 or cooldown_ms = 0) then 1 else 0 end;
  update alerts set phase = 'cooling',
    wake_at_most = case when must_leave = 1 then wake_at_most end,
    wake_at_least = case when must_leave = 1 then wake_at_least end,
    wake_ms = case when must_leave = 0 then cooldown_until end
    where phase = 'resting'`),
  // After a rotation the previous secret signs as well for a while.
  '0008-signing-secret-rotation': change(`
  alter table signing_secrets add column previous TEXT;
  alter table signing_secrets add column previous_until bigint`),
  // The leader's lease has a new name and more fields. An older program finds the old one held for ever, and its writes
  // fail with a message that says what to do; PostgreSQL has no old one.
  '0009-leader': {
    async up(db: Kysely<unknown>) {
      await run(
        db,
        `alter table leases add column place text;
      alter table leases add column report text;
      delete from leases`,
      );
      if (isPostgres(db)) return;
      await run(
        db,
        `insert into leases (name, holder, process, since, heartbeat_at) values ('follower', 'newer', 'a newer gastop', 0, 0);
      create trigger if not exists leases_of_older_programs before update on leases when old.name = 'follower'
      begin select raise(abort, 'a newer gastop has updated it; restart this program with that version'); end`,
      );
    },
  },
  // Signed bytes have the id of their key (`null`: not encrypted), and no owner has two live auto-txs for one nonce:
  // the one that is furthest stays. One that had ended before a block turned out to have it does not count, because it
  // needs no decision.
  '0010-sealed-bytes': change(`
  alter table signed_transactions add column key_id TEXT;
  update auto_txs set status = 'CANCELLED', wake_lane = null, wake_price = null, wake_base = null, cap = null
    where ${LIVE} and returns_to is null and exists (
      select 1 from auto_txs as other where other.${LIVE} and other.returns_to is null and other.owner = auto_txs.owner
        and other.from_address = auto_txs.from_address and other.nonce = auto_txs.nonce
        and (other.status = 'SUBMITTED', auto_txs.id) > (auto_txs.status = 'SUBMITTED', other.id));
  create unique index if not exists auto_txs_one_nonce
    on auto_txs (owner, from_address, nonce) where ${LIVE} and returns_to is null`),
  // Ended auto-txs keep their signed bytes for a day after that time.
  '0011-signed-until': change(`
  alter table signed_transactions rename column mined_block to ended_at;
  update signed_transactions set ended_at = (
    select case when status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED') then updated_at end
    from auto_txs where id = auto_tx_id)`),
  // Deliveries due at one time, as after a block that fires thousands of alerts, are read page by page.
  '0012-due-in-order': change(`
  drop index if exists deliveries_due;
  create index if not exists deliveries_due on deliveries (next_attempt_at, id) where next_attempt_at is not null`),
  // Each secret that was rotated signs for a day, however many there are.
  '0013-previous-secrets': change(`
  create table if not exists previous_secrets (
    owner TEXT not null, secret TEXT not null, signs_until bigint not null,
    constraint previous_secrets_key primary key (owner, secret));
  insert into previous_secrets (owner, secret, signs_until)
    select owner, previous, previous_until from signing_secrets where previous is not null and previous_until is not null;
  alter table signing_secrets drop column previous;
  alter table signing_secrets drop column previous_until;
  alter table signing_secrets add column rotated_at bigint`),
  // What following the advice saved, as a share; advice that was judged before has none. Sends may be rare among waits.
  '0014-advice-savings': change(`
  alter table advice add column saved_ratio double precision;
  create index if not exists advice_sends on advice (settled_block, block_number) where due_at is null`),
  // A submitted auto-tx that no node shows stays submitted: when that began, and when it is sent again.
  '0015-unseen': change(`
  alter table auto_txs rename column unseen to resends;
  update auto_txs set resends = 0 where resends <> 0;
  alter table auto_txs add column unseen_since bigint;
  alter table auto_txs add column resend_at bigint;
  update auto_txs set failure_code = 'unseen' where failure_code = 'dropped';
  update auto_tx_events set kind = 'UNSEEN' where kind = 'DROPPED'`),
  // What the gas of an auto-tx depends on, instead of a number that a fork changes: `null` until the leader has read it from
  // the signed bytes.
  '0016-gas-parts': change(`
  alter table auto_txs add column gas_parts TEXT;
  alter table auto_txs drop column intrinsic_gas`),
  // The tip that the node suggested at a block: every process offers no less, also after a restart.
  '0017-suggested-tip': change('alter table blocks add column suggested_tip bigint'),
  // Auto-txs that may cost so much in all: `target` is the price per gas that this stands for, worked out anew as the coin's
  // price and L1's fees move.
  '0018-cost-limits': change(`
  alter table auto_txs add column max_cost TEXT;
  alter table auto_txs add column estimated_gas bigint;
  alter table auto_txs add column effective_since bigint;
  alter table auto_txs add column threshold_reason TEXT;
  alter table auto_txs add column compressed_size bigint;
  create index if not exists auto_txs_limited
    on auto_txs (id) where max_cost is not null and status in ('PENDING', 'DISABLED');
  create index if not exists auto_txs_new_limits
    on auto_txs (id) where max_cost is not null and status in ('PENDING', 'DISABLED') and effective_since is null`),
  // What the coin cost at each time, by which rules in dollars are previewed.
  '0019-coin-prices': change(`
  create table if not exists coin_prices (since bigint primary key, native_usd double precision)`),
  // Alerts with a rule in dollars or against history: `threshold` is the price per gas that it stands for. A group follows from
  // one figure, each rule by its factor.
  '0020-relative-rules': change(`
  alter table alerts add column threshold_rule TEXT;
  alter table alerts add column effective_since bigint;
  alter table alerts add column threshold_reason TEXT;
  alter table alerts add column price_group TEXT;
  alter table alerts add column price_factor double precision;
  create index if not exists alerts_price_group
    on alerts (price_group, price_factor, condition, threshold, threshold_reason) where price_group is not null;
  create index if not exists alerts_unpriced on alerts (id) where threshold_rule is not null and effective_since is null`),
};

/** All schema changes of the keys in order. Their names distinguish the two kinds of files; PostgreSQL has both in one. */
export const KEY_MIGRATIONS: Migrations = {
  // API keys, and their usage per day.
  '0001-keys': change(`
  create table if not exists keys (
    id TEXT primary key, name TEXT not null, plan TEXT not null, hash TEXT not null, previous_hash TEXT,
    created_at bigint not null, rotated_at bigint, revoked_at bigint);
  create table if not exists usage (
    key_id TEXT not null references keys (id), day integer not null, used bigint not null,
    constraint usage_key primary key (key_id, day))`),
  // Usage of a key within one second, over all processes.
  '0002-key-seconds': change(`
  alter table usage add column second bigint not null default 0;
  alter table usage add column in_second integer not null default 0`),
};
