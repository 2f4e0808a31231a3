import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PreflightFacts } from '../../../src/core/auto-txs/preflight.ts';
import { preflight, problemsOf, verdict } from '../../../src/core/auto-txs/preflight.ts';
import { ETH, FACTS, GAS, GWEI, signed } from './made-facts.ts';

function said(facts: PreflightFacts): string {
  const judged = verdict(facts);
  return judged.kind === 'go' ? 'go' : `${judged.kind} ${judged.obstacle.code}`;
}

const DAY_MS = 86_400_000;
const until = (expiresAt: number) => ({ ...FACTS, order: { ...FACTS.order, expiresAt } });
const waiting = [{ id: 'a1', nonce: 6, status: 'PENDING' }];
const creation = (bytes: number) =>
  ({ to: null, data: `0x${'fe'.repeat(bytes)}`, gasLimit: 5_000_000n }) as const;
const blobs = { type: 3, blobCount: 1, maxFeePerBlobGas: GWEI } as const;

describe('the moment before it is sent', () => {
  it.each<[string, string, PreflightFacts]>([
    ['nothing is in the way', 'go', FACTS],
    ['it is from before EIP-155', 'go', signed({ chainId: null })],
    ['it is signed for another chain', 'refuse wrong_chain', signed({ chainId: 10 })],
    ['its nonce is used', 'refuse nonce_used', { ...FACTS, nextNonce: 8, pendingNonce: 8 }],
    ['its gas does not suffice', 'hold gas_too_low', signed({ gasLimit: 20_999n })],
    ['it has more gas than is allowed', 'hold gas_too_high', signed({ gasLimit: 16_777_217n })],
    ['it makes a contract from more code than is allowed', 'hold code_too_long', signed(creation(49_153))],
    ['it has expired', 'hold expired', until(FACTS.now)],
    ['the sender is unknown', 'hold sender_unknown', { ...FACTS, nextNonce: null }],
    ['the balance is unknown', 'hold sender_unknown', { ...FACTS, balance: null }],
    ['the pool has its nonce', 'hold nonce_pending', { ...FACTS, pendingNonce: 8 }],
    ['a nonce below is missing', 'hold nonce_gap', { ...FACTS, nextNonce: 6, pendingNonce: 6 }],
    [
      'another auto-tx goes first',
      'hold nonce_order',
      { ...FACTS, nextNonce: 6, pendingNonce: 6, waitingBelow: waiting },
    ],
    [
      'the one before is in the pool',
      'go',
      { ...FACTS, nextNonce: 6, pendingNonce: 7, waitingBelow: waiting },
    ],
    ['the balance is too small', 'hold insufficient_balance', { ...FACTS, balance: ETH }],
    ['its cap is below the base fee', 'hold cap_below_base', signed({ maxFeePerGas: GWEI })],
    ['its blob cap is', 'hold blob_cap_below_base', signed(blobs, { ...FACTS, nextBlobBaseFee: 2n * GWEI })],
    ['the blob base fee is unknown', 'go', signed(blobs, { ...FACTS, nextBlobBaseFee: null })],
  ])('%s: %s', (_why, expected, facts) => {
    expect(said(facts)).toBe(expected);
  });

  it('sends nothing that a check blocks or holds, and gives that check as its reason', () => {
    const near = (middle: number) => fc.integer({ min: middle - 2, max: middle + 2 });
    const someFacts = fc.record({
      nextNonce: near(7),
      pooled: fc.integer({ min: 0, max: 2 }),
      balance: fc.constantFrom(0n, ETH, 2n * ETH),
      nextBaseFee: fc.constantFrom(GWEI, 30n * GWEI, 31n * GWEI),
      chainId: fc.constantFrom(1, 1, 1, 10),
      gasLimit: fc.constantFrom(20_000n, 65_000n, 65_000n),
    });
    fc.assert(
      fc.property(someFacts, ({ pooled, gasLimit, ...facts }) => {
        const all = { ...signed({ gasLimit }), ...facts, pendingNonce: facts.nextNonce + pooled };
        const judged = verdict(all);
        const failed = preflight(all).filter(
          ({ name, result }) => result === 'block' || (result === 'wait' && name !== 'reachable'),
        );
        if (judged.kind === 'go') expect(failed).toEqual([]);
        else expect(failed.map(({ message }) => message)).toContain(judged.obstacle.message);
      }),
    );
  });
});

describe('a new auto-tx', () => {
  const problems = (facts: PreflightFacts) => problemsOf(preflight(facts));
  const codes = (facts: PreflightFacts) => {
    const blocking = preflight(facts).filter(({ result }) => result === 'block');
    return problems(facts).map(({ path }, place) => `${blocking[place]?.code} ${path}`);
  };

  it('is refused for each check that blocks, with its field', () => {
    const late = { ...until(FACTS.now), nextNonce: 9 };
    // What this chain says of it is about nothing.
    expect(codes(signed({ chainId: 10, gasLimit: 20_999n }, late))).toEqual([
      'wrong_chain signedTransaction',
      'expired expiresAt',
    ]);
    expect(codes(signed({ gasLimit: 20_999n }, late))).toEqual([
      'nonce_used signedTransaction',
      'gas_too_low signedTransaction',
      'expired expiresAt',
    ]);
    expect(codes(until(FACTS.now + 366 * DAY_MS))).toEqual([]);
    expect(codes(until(FACTS.now + 366 * DAY_MS + 1))).toEqual(['expiry_too_far expiresAt']);
  });

  it('is refused where no block takes as much gas or code, on chains that are known to have such limits', () => {
    const elsewhere = { ...FACTS, chainId: 31_337, gas: { ...GAS, gasRules: 'osaka' as const } };
    const large = { ...creation(49_153), gasLimit: 30_000_000n, chainId: 31_337 };
    for (const fits of [
      signed({ gasLimit: 16_777_216n }),
      signed(creation(49_152)),
      signed(large, elsewhere),
    ]) {
      expect(codes(fits)).toEqual([]);
    }
  });

  it('is refused for a target that its own price never reaches', () => {
    const order = { ...FACTS.order, target: GWEI / 2n, isStrict: true };
    expect(codes(signed({ maxFeePerGas: GWEI }, { ...FACTS, order }))).toEqual([
      'unreachable_target targetGasPriceGwei',
    ]);
    expect(codes(signed({ maxFeePerGas: 0n }))).toEqual(['cap_zero signedTransaction']);
  });
});
