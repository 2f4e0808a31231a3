/** What owners, a wallet and the chain do while crash.test.ts kills the service. */
import { setTimeout } from 'node:timers/promises';
import { keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Hex } from '../../../src/core/block.ts';
import type { Anvil } from '../../helpers/anvil.ts';
import { GWEI, mineAt, setBalance, sign } from '../../helpers/auto-tx-rig.ts';
import type { Chance } from './chance.ts';
import type { KilledService, Now } from './killed-service.ts';

const SENDERS = 8;
/** Its code reverts whatever it is asked: push 0, push 0, revert. */
const REVERTER = '0x00000000000000000000000000000000000000bb';
const REVERTS = '0x60006000fd';
/** Blocks at these base fees are within everybody's target, and above it; gwei. */
const CHEAP = 10;
const DEAR = 90;
export const TARGET_GWEI = 20;
const COIN_USD = 2_000;
/** Below what confirms one, so that what is final stays so. */
const DEEPEST_REORG = 3;

export interface Signed {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
}

/** The owner was told that these bytes are never sent (again), when so many transactions had left the service. */
export interface Withdrawn {
  readonly hash: Hex;
  readonly left: number;
  readonly how: 'cancelled' | 'signed anew';
}

export type Story = Awaited<ReturnType<typeof startStory>>;

export async function startStory(anvil: Anvil, chance: Chance, countLeft: () => number) {
  const accounts = Array.from({ length: SENDERS }, (_, place) =>
    privateKeyToAccount(`0x${(place + 1).toString(16).padStart(64, '5')}`),
  );
  for (const { address } of accounts) await setBalance(anvil, address, 10n ** 21n);
  await anvil.rpc('anvil_setCode', [REVERTER, REVERTS]);
  await anvil.mine(DEEPEST_REORG + 3);

  const signed = new Map<Hex, Signed>();
  const wallet = new Map<Hex, Signed>();
  const withdrawn: Withdrawn[] = [];
  const made: { readonly id: string; hash: Hex; readonly isLimited: boolean }[] = [];
  let count = 0n;
  let aheadMs = 0;

  const accountOf = (address: Hex): PrivateKeyAccount => {
    const found = accounts.find((each) => each.address === address);
    if (found === undefined) throw new Error(`nobody has ${address}`);
    return found;
  };
  const nextNonce = async (address: Hex) =>
    Number(await anvil.rpc('eth_getTransactionCount', [address, 'latest']));

  async function signOne(account: PrivateKeyAccount, nonce: number) {
    count += 1n;
    const reverts = chance.once(3);
    const raw = await sign(account, {
      nonce,
      ...(reverts ? { to: REVERTER, value: 0n, gas: 60_000n + count } : { value: count }),
      // Some fit no dear block, so that they stay with the node for a while.
      ...(chance.once(3) ? { maxFeePerGas: 15n * GWEI } : {}),
    });
    const hash = keccak256(raw);
    signed.set(hash, { hash, from: account.address, nonce });
    return { raw, hash, gas: reverts ? 60_000n + count : 21_000n };
  }

  async function create(service: KilledService): Promise<void> {
    const account = chance.pick(accounts);
    const nonce = (await nextNonce(account.address)) + chance.pick([0, 0, 0, 1, 1, 2]);
    const { raw, hash, gas } = await signOne(account, nonce);
    const expires = chance.once(6);
    const isLimited = chance.once(3);
    // What is to expire waits for what never comes.
    const gwei = expires ? 1 : TARGET_GWEI;
    const answer = await service.ask('POST', '/auto-txs', {
      signedTransaction: raw,
      ...(isLimited
        ? { threshold: costAt(gwei, gas) }
        : { targetGasPriceGwei: gwei, strictTargetPrice: !chance.once(4) }),
      gasSpeed: 'SLOW',
      ...(expires ? { expiresAt: new Date(Date.now() + aheadMs + 60_000).toISOString() } : {}),
    });
    if (answer?.status === 201 || answer?.status === 200)
      made.push({ id: idOf(answer.body), hash, isLimited });
  }

  /** What so much gas costs at that price, with $2,000 a coin. */
  const costAt = (gwei: number, gas: bigint) => ({ maxCostUsd: (Number(gas) * gwei * COIN_USD) / 1e9 });

  async function cancel(service: KilledService): Promise<void> {
    const one = made.at(-1 - chance.whole(Math.min(made.length, 12)));
    if (one === undefined) return;
    const answer = await service.ask('POST', `/auto-txs/${one.id}/cancel`);
    if (answer?.status !== 200) return;
    // It may have been signed anew by a request whose answer was lost.
    one.hash = hashOf(answer.body);
    withdrawn.push({ hash: one.hash, left: countLeft(), how: 'cancelled' });
  }

  async function signAnew(service: KilledService): Promise<void> {
    const one = made.at(-1 - chance.whole(Math.min(made.length, 8)));
    const before = one && signed.get(one.hash);
    if (one === undefined || before === undefined) return;
    const { raw, hash, gas } = await signOne(accountOf(before.from), before.nonce);
    const answer = await service.ask('PUT', `/auto-txs/${one.id}`, {
      signedTransaction: raw,
      ...(one.isLimited && { threshold: costAt(TARGET_GWEI, gas) }),
    });
    if (answer?.status !== 200) return;
    withdrawn.push({ hash: before.hash, left: countLeft(), how: 'signed anew' });
    one.hash = hash;
  }

  async function sendFromWallet(from: Hex, nonce: number): Promise<void> {
    count += 1n;
    const raw = await sign(accountOf(from), {
      nonce,
      value: count,
      maxFeePerGas: 2_000n * GWEI,
      maxPriorityFeePerGas: (5n + count) * GWEI,
    });
    const hash = keccak256(raw);
    wallet.set(hash, { hash, from, nonce });
    await anvil.rpc('eth_sendRawTransaction', [raw]).catch(unlessRefused);
  }

  async function replace(): Promise<void> {
    const { address } = chance.pick(accounts);
    await sendFromWallet(address, await nextNonce(address));
  }

  async function drop(): Promise<void> {
    const one = made.at(-1 - chance.whole(Math.min(made.length, 6)));
    if (one !== undefined) await anvil.rpc('anvil_dropTransaction', [one.hash]).catch(unlessRefused);
  }

  let changed: Promise<void> = Promise.resolve();
  /** One after the other: an anvil that mines in the middle of a reorg is left without some of its blocks. */
  function changeChain(work: () => Promise<void>): Promise<void> {
    const result = changed.then(work);
    changed = result.catch(() => {});
    return result;
  }

  /** The node's own clock begins anew with a reorg: it is told the time of each block. */
  function mine(gwei: number = chance.once(3) ? DEAR : CHEAP): Promise<void> {
    return changeChain(async () => {
      const time = Math.floor((Date.now() + aheadMs) / 1_000);
      await anvil.rpc('evm_setNextBlockTimestamp', [time]).catch(unlessRefused);
      await mineAt(anvil, gwei);
    });
  }
  const steps: readonly ((service: KilledService) => Promise<void>)[] = [
    create,
    create,
    create,
    create,
    cancel,
    cancel,
    signAnew,
    () => mine(),
    () => mine(),
    () => mine(),
    () => mine(CHEAP),
    replace,
    drop,
    async () => {
      if (chance.once(3)) await changeChain(() => anvil.reorg(1 + chance.whole(DEEPEST_REORG)));
    },
  ];

  return {
    /** What was handed over, by hash; whether each was taken in, the database tells. */
    signed,
    wallet,
    withdrawn,
    senders: accounts.map(({ address }) => address),
    /** Goes on, step by step, until `isOver`; everything it began has ended by then. */
    async goOn(service: KilledService, isOver: () => boolean): Promise<void> {
      const begun: Promise<void>[] = [];
      while (!isOver()) {
        const step = chance.pick(steps)(service);
        begun.push(step);
        // Owners ask at the same time; the chain goes on by itself.
        if (chance.once(2)) await step;
        else await setTimeout(chance.whole(10));
      }
      await Promise.all(begun);
    },
    fill: sendFromWallet,
    mine,
    async pass(sec: number): Promise<Now> {
      aheadMs += sec * 1_000;
      await mine();
      return { ahead: aheadMs, head: Number(await anvil.rpc('eth_blockNumber')) };
    },
  };
}

function hashOf(body: unknown): Hex {
  const hash = typeof body === 'object' && body !== null && 'hash' in body ? String(body.hash) : '';
  if (!/^0x[0-9a-f]{64}$/.test(hash)) throw new Error(`no hash in ${JSON.stringify(body)}`);
  return `0x${hash.slice(2)}`;
}

function idOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string')
    return body.id;
  throw new Error(`no id in ${JSON.stringify(body)}`);
}

/** The node may refuse what comes too late: then nothing of it happens. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Error) || !error.message.startsWith('anvil ')) throw error;
}
