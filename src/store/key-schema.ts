/** One key. Times in Unix seconds, hashes as hexadecimal SHA-256; the key itself is not kept. */
export interface KeyRow {
  id: string;
  name: string;
  plan: string;
  hash: string;
  /** The hash before the last rotation, so that the old key can be told what became of it. */
  previous_hash: string | null;
  created_at: number;
  rotated_at: number | null;
  revoked_at: number | null;
}

/** What one key has used on one day. */
export interface UsageRow {
  key_id: string;
  /** Days since 1970-01-01, UTC. */
  day: number;
  used: number;
}

export interface KeyTables {
  keys: KeyRow;
  usage: UsageRow;
}
