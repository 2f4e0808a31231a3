/** One alert. Wei per gas; times in ms since epoch. The wakes are what `core/alerts/alert-rule.ts` says of its phase. */
export interface AlertRow {
  id: string;
  /** The id of the key that made it; empty: who runs the service. */
  owner: string;
  created_at: number;
  updated_at: number;
  lane: string;
  condition: string;
  threshold: number;
  hysteresis: number;
  confirm_blocks: number;
  cooldown_ms: number;
  disable_once: number;
  method: string;
  /** JSON: the channels in their order. */
  channels: string;
  /** JSON: each channel's target. */
  targets: string;
  note: string;
  phase: string;
  true_since: number | null;
  cooldown_until: number | null;
  has_left: number;
  wake_at_most: number | null;
  wake_at_least: number | null;
  wake_block: number | null;
  wake_ms: number | null;
  trigger_count: number;
  last_triggered_at: number | null;
  missed_count: number;
  last_missed_at: number | null;
  disabled_reason: string | null;
}

/** One firing. `triggered_at` is the block's own time, ms. */
export interface AlertEventRow {
  /** The alert's id, a dot, and how often it had fired with this. */
  id: string;
  alert_id: string;
  owner: string;
  block_number: number;
  block_hash: string | null;
  triggered_at: number;
  condition: string;
  price: number;
  reference_price: number | null;
  native_usd: number | null;
}

/** What an owner's firings within one hour come to, also those that were forgotten since. */
export interface FiringTallyRow {
  owner: string;
  /** Its start, ms since epoch, by block time. */
  hour: number;
  firings: number;
  /** Wei per gas that they saved, in two halves: the whole is `saved_high` times 10^6 and `saved_low`. */
  saved_high: number;
  saved_low: number;
  /** The same in dollars per gas times 10^18, of those whose dollar price is known. */
  usd: number;
  /** How many saved something and have no dollar price. */
  unpriced: number;
}

/** What is sent to one channel for one firing. Times in ms. */
export interface DeliveryRow {
  /** The event's id, a dot, and the channel in small letters: the idempotency key. */
  id: string;
  event_id: string;
  alert_id: string;
  channel: string;
  target: string;
  /** JSON: what `AlertMessage` holds, as it was when the alert fired. */
  message: string;
  status: string;
  created_at: number;
  /** Since `tries_since`: when it fired, or when somebody asked for it again. */
  tries: number;
  tries_since: number;
  /** `null`: it is done. */
  next_attempt_at: number | null;
}

export interface DeliveryAttemptRow {
  delivery_id: string;
  at: number;
  latency_ms: number;
  ok: number;
  answer: string;
}

export interface SigningSecretRow {
  owner: string;
  secret: string;
}
