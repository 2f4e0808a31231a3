/**
 * What all migrations come to in a file in which there is nothing, statement by statement as SQLite keeps it: made in one
 * go it takes a fifth of the time. A test compares it with the migrations, which stay the truth, and shows what it has to be.
 */
export const READY_SCHEMA = `
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "blocks" ("number" integer primary key, "hash" text, "parent_hash" text, "timestamp" bigint not null, "base_fee" bigint not null, "gas_used" bigint, "gas_limit" bigint, "gas_used_ratio" double precision not null, "blob_base_fee" bigint, "next_base_fee" bigint, "next_blob_base_fee" bigint, "tip_p10" bigint, "tip_p25" bigint, "tip_p50" bigint, "tip_p75" bigint, "tip_p90" bigint, "tip_p95" bigint, "tip_p99" bigint);
CREATE INDEX "blocks_timestamp" on "blocks" ("timestamp", "number");
CREATE TABLE "rollups" ("bucket_sec" integer not null, "start" bigint not null, "blocks" integer not null, "first_block" bigint not null, "last_block" bigint not null, "base_open" bigint not null, "base_min" bigint not null, "base_mean" double precision not null, "base_max" bigint not null, "base_close" bigint not null, "tipped_blocks" integer not null, "tip_p10" double precision, "tip_p25" double precision, "tip_p50" double precision, "tip_p75" double precision, "tip_p90" double precision, "tip_p95" double precision, "tip_p99" double precision, "ratio_mean" double precision not null, "ratio_max" double precision not null, constraint "rollups_key" primary key ("bucket_sec", "start"));
CREATE TABLE "meta" ("key" text primary key, "value" text not null);
CREATE TABLE "advice" ("block_number" integer primary key, "block_hash" text, "timestamp" bigint not null, "version" integer not null, "action" text not null, "target_price" bigint not null, "max_fee" bigint, "max_priority_fee" bigint, "due_block" bigint, "due_at" bigint, "probability" double precision, "verdict" text, "settled_block" bigint);
CREATE INDEX "advice_due_block" on "advice" ("due_block") where verdict is null;
CREATE INDEX "advice_due_at" on "advice" ("due_at") where verdict is null;
CREATE INDEX "advice_settled" on "advice" ("settled_block", "block_number");
CREATE TABLE "alerts" ("id" text primary key, "owner" text not null, "created_at" bigint not null, "updated_at" bigint not null, "lane" text not null, "condition" text not null, "threshold" bigint not null, "hysteresis" bigint not null, "confirm_blocks" integer not null, "cooldown_ms" bigint not null, "disable_once" integer not null, "method" text not null, "channels" text not null, "targets" text not null, "note" text not null, "phase" text not null, "true_since" bigint, "cooldown_until" bigint, "has_left" integer not null, "wake_at_most" bigint, "wake_at_least" bigint, "wake_block" bigint, "wake_ms" bigint, "trigger_count" integer not null, "last_triggered_at" bigint, "missed_count" integer not null, "last_missed_at" bigint, "disabled_reason" text);
CREATE INDEX "alerts_wake_at_most" on "alerts" ("lane", "wake_at_most") where "wake_at_most" is not null;
CREATE INDEX "alerts_wake_at_least" on "alerts" ("lane", "wake_at_least") where "wake_at_least" is not null;
CREATE INDEX "alerts_wake_block" on "alerts" ("lane", "wake_block") where "wake_block" is not null;
CREATE INDEX "alerts_wake_ms" on "alerts" ("lane", "wake_ms") where "wake_ms" is not null;
CREATE INDEX "alerts_owner" on "alerts" ("owner", "created_at", "id");
CREATE INDEX "alerts_created" on "alerts" ("created_at", "id");
CREATE INDEX "alerts_disabled" on "alerts" ("owner") where phase = 'disabled';
CREATE TABLE "alert_events" ("id" text primary key, "alert_id" text not null, "owner" text not null, "block_number" bigint not null, "block_hash" text, "triggered_at" bigint not null, "condition" text not null, "price" bigint not null, "reference_price" bigint, "native_usd" double precision);
CREATE INDEX "alert_events_alert" on "alert_events" ("alert_id", "triggered_at");
CREATE INDEX "alert_events_time" on "alert_events" ("triggered_at", "owner");
CREATE TABLE "deliveries" ("id" text primary key, "event_id" text not null, "alert_id" text not null, "channel" text not null, "target" text not null, "message" text not null, "status" text not null, "created_at" bigint not null, "tries" integer not null, "tries_since" bigint not null, "next_attempt_at" bigint);
CREATE INDEX "deliveries_due" on "deliveries" ("next_attempt_at") where next_attempt_at is not null;
CREATE INDEX "deliveries_alert" on "deliveries" ("alert_id", "created_at");
CREATE TABLE "delivery_attempts" ("delivery_id" text not null, "at" bigint not null, "latency_ms" integer not null, "ok" integer not null, "answer" text not null);
CREATE INDEX "delivery_attempts_delivery" on "delivery_attempts" ("delivery_id", "at");
CREATE TABLE "signing_secrets" ("owner" text primary key, "secret" text not null);
CREATE TABLE "leases" ("name" text primary key, "holder" text not null, "process" text not null, "since" bigint not null, "heartbeat_at" bigint not null);
CREATE TABLE "firing_tallies" ("owner" text not null, "hour" bigint not null, "firings" integer not null, "saved_high" bigint not null, "saved_low" bigint not null, "usd" double precision not null, "unpriced" integer not null, constraint "firing_tallies_pk" primary key ("owner", "hour"));
CREATE INDEX "alert_events_owner" on "alert_events" ("owner", "triggered_at");
CREATE INDEX "deliveries_event" on "deliveries" ("event_id");
CREATE INDEX "deliveries_done" on "deliveries" ("created_at") where next_attempt_at is null;
CREATE TABLE "auto_txs" ("id" text primary key, "owner" text not null, "chain_id" bigint not null, "created_at" bigint not null, "updated_at" bigint not null, "target" bigint not null, "lane" text not null, "is_strict" integer not null, "expires_at" bigint, "note" text not null, "to_address" text, "value" text not null, "type" integer, "hash" text, "signed_chain" bigint, "from_address" text collate nocase, "nonce" bigint, "gas_limit" bigint, "gas_price" bigint, "max_fee" bigint, "max_priority_fee" bigint, "max_blob_fee" bigint, "blob_count" integer, "intrinsic_gas" bigint, "status" text not null, "attempts" integer not null, "submitted_at" bigint, "sent_at" bigint, "may_be_out" integer not null, "block_number" bigint, "block_hash" text, "outcome" text, "gas_used" bigint, "effective_gas_price" bigint, "other_fees" text, "mined_at" bigint, "returns_to" text, "taken_since" bigint, "unseen" integer not null, "executed_at" bigint, "failure_code" text, "failure_message" text, "hold_code" text, "hold_message" text, "hold_until" bigint, "hold_times" integer, "checked_at" bigint, "price_at_creation" bigint, "day_mean_price" bigint, "native_usd" double precision, "wake_lane" text, "wake_price" bigint, "wake_base" bigint, "cap" bigint, "chain_block" bigint, "checks" text not null, "data" text not null);
CREATE INDEX "auto_txs_wake_price" on "auto_txs" ("wake_lane", "wake_price", "cap", "hold_until", "from_address", "nonce", "id") where wake_price is not null;
CREATE INDEX "auto_txs_wake_base" on "auto_txs" ("wake_base", "cap", "hold_until", "from_address", "nonce", "id") where wake_base is not null;
CREATE INDEX "auto_txs_expires" on "auto_txs" ("expires_at") where status in ('PENDING', 'DISABLED');
CREATE INDEX "auto_txs_followed" on "auto_txs" ("from_address", "nonce", "id") where status = 'SUBMITTED' or may_be_out = 1;
CREATE INDEX "auto_txs_live" on "auto_txs" ("from_address", "nonce", "id") where status in ('PENDING', 'DISABLED', 'SUBMITTED');
CREATE INDEX "auto_txs_chain_block" on "auto_txs" ("chain_block") where chain_block is not null;
CREATE INDEX "auto_txs_owner_executed" on "auto_txs" ("owner", "mined_at") where status = 'EXECUTED';
CREATE INDEX "auto_txs_executed" on "auto_txs" ("mined_at") where status = 'EXECUTED';
CREATE INDEX "auto_txs_owner" on "auto_txs" ("owner", "created_at", "id");
CREATE INDEX "auto_txs_created" on "auto_txs" ("created_at", "id");
CREATE INDEX "auto_txs_status" on "auto_txs" ("owner", "status");
CREATE TABLE "signed_transactions" ("auto_tx_id" text primary key, "mined_block" bigint, "bytes" blob not null);
CREATE INDEX "signed_transactions_mined" on "signed_transactions" ("mined_block") where mined_block is not null;
CREATE TABLE "auto_tx_events" ("auto_tx_id" text not null, "seq" integer not null, "at" bigint not null, "kind" text not null, "block_number" bigint, "message" text not null, constraint "auto_tx_events_pk" primary key ("auto_tx_id", "seq"));
CREATE TABLE "auto_tx_tallies" ("owner" text primary key, "executed" integer not null, "saved_wei" text not null, "usd" double precision not null, "unpriced" integer not null);
CREATE INDEX "advice_waits" on "advice" ("settled_block", "block_number") where due_at is not null;
insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);
`;
