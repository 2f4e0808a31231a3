/** What a killed service left in its database, read while nobody has the file open: it has to be made whole again. */
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { Hex } from '../../../src/core/block.ts';
import { isServerUrl } from '../../../src/store/database-url.ts';
import type { Anvil } from '../../helpers/anvil.ts';
import { asked } from '../../helpers/databases.ts';

export interface AutoTxRecord {
  readonly id: string;
  readonly hash: Hex;
  readonly from_address: string;
  readonly nonce: number;
  readonly status: string;
  readonly attempts: number;
  readonly sent_at: number | null;
  readonly may_be_out: number;
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly failure_code: string | null;
}

export interface NoteRecord {
  readonly auto_tx_id: string;
  readonly kind: string;
}

export interface Records {
  readonly autoTxs: readonly AutoTxRecord[];
  /** Of each, the oldest first. */
  readonly notes: readonly NoteRecord[];
  /** Whose raw bytes are kept. */
  readonly bytes: readonly { readonly auto_tx_id: string; readonly ended_at: number | null }[];
  readonly executed: number;
}

export async function readRecords(target: string): Promise<Records> {
  // One after the other: who waits for the killed to be gone has one connection itself.
  const all = async <Row>(query: string) =>
    (isServerUrl(target) ? await asked(target, query) : askFile(target, query)) as Row[];
  const tallies = await all<{ executed: number }>(
    'select coalesce(sum(executed), 0) as executed from auto_tx_tallies',
  );
  return {
    autoTxs: await all('select * from auto_txs order by created_at, id'),
    notes: await all('select auto_tx_id, kind from auto_tx_events order by auto_tx_id, seq'),
    bytes: await all('select auto_tx_id, ended_at from signed_transactions'),
    executed: tallies[0]?.executed ?? 0,
  };
}

function askFile(path: string, query: string): unknown[] {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    expect(database.prepare('pragma quick_check').all()).toEqual([{ quick_check: 'ok' }]);
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

/** Whatever has left the service, the decision to send it was written down before. */
export function expectDecidedFirst({ autoTxs }: Records, left: readonly Hex[]): void {
  const attempts = new Map(autoTxs.map((each) => [each.hash, each.attempts]));
  const undecided = [...new Set(left)].filter((hash) => (attempts.get(hash) ?? 0) === 0);
  expect(undecided, 'left without a decision').toEqual([]);
}

/** How many kills left one behind in each of these. */
export interface Gaps {
  /** It was decided to send it, and it never left. */
  decided: number;
  /** It left, and no node has it. */
  lost: number;
  /** A node has it, and the answer was not taken down. */
  unanswered: number;
  /** A node has it, as is written down. */
  waiting: number;
  /** A block has it, and that was not taken down. */
  mined: number;
}

export async function lookIntoGaps(
  { autoTxs }: Records,
  { anvil, left, gaps }: { readonly anvil: Anvil; readonly left: readonly Hex[]; readonly gaps: Gaps },
): Promise<void> {
  const hit = new Set<keyof Gaps>();
  for (const { status, hash, sent_at, block_hash } of autoTxs) {
    if (status !== 'SUBMITTED' || block_hash !== null) continue;
    const known = (await anvil.rpc('eth_getTransactionByHash', [hash])) as {
      blockHash: string | null;
    } | null;
    if (known !== null && known.blockHash !== null) hit.add('mined');
    else if (sent_at !== null) hit.add('waiting');
    else if (known !== null) hit.add('unanswered');
    else hit.add(left.includes(hash) ? 'lost' : 'decided');
  }
  for (const gap of hit) gaps[gap] += 1;
}
