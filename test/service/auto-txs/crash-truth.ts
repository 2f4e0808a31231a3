/** What must be true of every auto-tx once nobody kills the service any more. */
import { expect } from 'vitest';
import type { Hex } from '../../../src/core/block.ts';
import type { Anvil } from '../../helpers/anvil.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type AutoTxRecord, type Records, readRecords } from './crash-records.ts';
import type { Story } from './crash-story.ts';
import type { KilledService } from './killed-service.ts';

const LIVE: ReadonlySet<string> = new Set(['PENDING', 'DISABLED', 'SUBMITTED']);
const FINAL_KINDS: ReadonlySet<string> = new Set(['EXECUTED', 'FAILED', 'CANCELLED', 'EXPIRED']);
const WAY_KINDS: ReadonlySet<string> = new Set(['SUBMITTED', 'SENT', 'SEEN', 'DROPPED', 'DECLINED']);
const CHEAP = 10;

interface Settling {
  readonly path: string;
  readonly anvil: Anvil;
  readonly story: Story;
  readonly service: KilledService;
}

/** Lets the chain go on, cheaply, until nothing can come of any: the wallet uses up what nobody else does. */
export async function settle({ path, anvil, story, service }: Settling): Promise<void> {
  await waitFor(
    async () => {
      const open = (await readRecords(path)).autoTxs.filter(
        (each) => LIVE.has(each.status) || each.may_be_out === 1,
      );
      if (open.length === 0) return true;
      for (const from of story.senders) {
        const own = open.filter((each) => each.from_address.toLowerCase() === from.toLowerCase());
        const nonce = Number(await anvil.rpc('eth_getTransactionCount', [from, 'latest']));
        const isNobodys = !own.some((each) => LIVE.has(each.status) && each.nonce === nonce);
        if (isNobodys && own.some((each) => each.nonce >= nonce)) await story.fill(from, nonce);
      }
      await story.pass(10);
      service.pass(10_000);
      await story.mine(CHEAP);
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new Error(`open: ${JSON.stringify(open.slice(0, 3))}`);
    },
    { what: 'the end of every auto-tx' },
  );
}

export async function expectTrue(
  path: string,
  { anvil, story, left }: { readonly anvil: Anvil; readonly story: Story; readonly left: readonly Hex[] },
): Promise<void> {
  const records = await readRecords(path);
  for (const each of records.autoTxs) {
    const receipt = await anvil.rpc('eth_getTransactionReceipt', [each.hash]);
    expectRightEnd(each, receipt as Receipt | null);
    const kinds = records.notes.filter(({ auto_tx_id }) => auto_tx_id === each.id).map(({ kind }) => kind);
    expectSameStory(each, kinds, left.includes(each.hash));
  }
  const used = new Map<Hex, number>();
  for (const from of story.senders) {
    used.set(from, Number(await anvil.rpc('eth_getTransactionCount', [from, 'latest'])));
  }
  for (const { from_address, nonce, hash } of records.autoTxs) {
    if (!left.includes(hash)) continue;
    const from = story.senders.find((each) => each.toLowerCase() === from_address.toLowerCase());
    expect(nonce).toBeLessThan((from && used.get(from)) ?? 0);
  }
  expectWithdrawnStay(records, story, left);
  expectNonceOrder(story, left);
  expectNoBytes(records);
  expect(records.executed).toBe(records.autoTxs.filter(({ status }) => status === 'EXECUTED').length);
}

export function hasEveryEnd({ autoTxs }: Records): boolean {
  const ends = new Set(autoTxs.map(({ status, failure_code }) => failure_code ?? status));
  return ['EXECUTED', 'CANCELLED', 'EXPIRED', 'reverted', 'nonce_used'].every((end) => ends.has(end));
}

interface Receipt {
  readonly status: string;
  readonly blockHash: string;
}

function expectRightEnd(each: AutoTxRecord, receipt: Receipt | null): void {
  const { hash, status, failure_code, block_hash } = each;
  const found = { hash, status, failure_code, block_hash };
  if (receipt?.status === '0x1') {
    const block_hash = receipt.blockHash;
    expect(found).toEqual({ hash, status: 'EXECUTED', failure_code: null, block_hash });
  } else if (receipt !== null) {
    const block_hash = receipt.blockHash;
    expect(found).toEqual({ hash, status: 'FAILED', failure_code: 'reverted', block_hash });
  } else {
    // Its nonce is another's by now, whatever became of it before.
    expect(['FAILED', 'CANCELLED', 'EXPIRED'], hash).toContain(status);
    expect(block_hash).toBeNull();
    if (status === 'FAILED') expect(failure_code, hash).toBe('nonce_used');
  }
}

/** The timeline says what the state says, and what has left the service. */
function expectSameStory(each: AutoTxRecord, kinds: readonly string[], hasLeft: boolean): void {
  const told = `${each.status} of ${each.hash}: ${kinds.join(' ')}`;
  expect(kinds[0], told).toBe('CREATED');
  const decisions = kinds.filter((kind) => kind === 'SUBMITTED').length;
  expect(decisions, told).toBe(each.attempts);
  expect(
    kinds.findLast((kind) => FINAL_KINDS.has(kind)),
    told,
  ).toBe(each.status);
  for (const kind of ['EXECUTED', 'FAILED']) {
    const times = kinds.filter((one) => one === kind).length;
    expect(times, told).toBe(each.status === kind ? 1 : 0);
  }
  expect(each.may_be_out, told).toBe(0);
  // What is on its way cannot be called back, only what waits.
  const ended = kinds.findIndex((kind) => kind === 'CANCELLED' || kind === 'EXPIRED');
  const before = kinds.slice(0, Math.max(ended, 0)).findLast((kind) => WAY_KINDS.has(kind));
  expect(['SUBMITTED', 'SENT', 'SEEN'], told).not.toContain(before);
  if (hasLeft) expect(decisions, told).toBeGreaterThan(0);
  // A node can only have what was decided: nobody else has these bytes.
  for (const kind of ['SENT', 'SEEN', 'MINED']) {
    if (kinds.includes(kind)) expect(hasLeft, told).toBe(true);
  }
}

/** What an owner was told is not sent did not leave after that; what had not left before is cancelled for good. */
function expectWithdrawnStay({ autoTxs }: Records, { withdrawn }: Story, left: readonly Hex[]): void {
  const statusOf = new Map(autoTxs.map(({ hash, status }) => [hash, status]));
  for (const { hash, left: before, how } of withdrawn) {
    expect(left.slice(before), how).not.toContain(hash);
    if (how === 'cancelled' && !left.includes(hash)) expect(statusOf.get(hash)).toBe('CANCELLED');
    if (how === 'signed anew') {
      expect(left).not.toContain(hash);
      expect(statusOf.has(hash)).toBe(false);
    }
  }
}

/** Before one leaves for the first time all of lower nonces have, or the wallet used those. */
function expectNonceOrder({ signed, wallet }: Story, left: readonly Hex[]): void {
  const walletNonces = new Set([...wallet.values()].map(({ from, nonce }) => `${from} ${nonce}`));
  const seen = new Set<string>();
  for (const hash of left) {
    const one = signed.get(hash);
    if (one === undefined) throw new Error(`nobody signed ${hash}`);
    for (let below = 0; below < one.nonce; below += 1) {
      const key = `${one.from} ${below}`;
      expect(seen.has(key) || walletNonces.has(key), `nonce ${below} before ${one.nonce}`).toBe(true);
    }
    seen.add(`${one.from} ${one.nonce}`);
  }
}

/** All have ended: nothing gets their bytes any more, and they go in a day. */
function expectNoBytes({ bytes }: Records): void {
  for (const { auto_tx_id, ended_at } of bytes) expect(ended_at, auto_tx_id).not.toBeNull();
}
