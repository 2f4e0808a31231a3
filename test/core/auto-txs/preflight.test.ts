import { describe, expect, it } from 'vitest';
import { CHECK_NAMES } from '../../../src/contract/choices.ts';
import type { PreflightFacts } from '../../../src/core/auto-txs/preflight.ts';
import { preflight, verdict, withEarlierDelegation } from '../../../src/core/auto-txs/preflight.ts';
import type { SignedTransaction } from '../../../src/core/transactions/signed-transaction.ts';
import { ETH, FACTS, GWEI, legacy, signed } from './made-facts.ts';

function line(facts: PreflightFacts, name: string) {
  const check = preflight(facts).find((each) => each.name === name);
  const sign = {
    pass: check?.ok === false ? '▲' : '✓',
    wait: check?.ok === false ? '◌!' : '◌',
    block: '✗',
    unknown: '?',
  };
  return check && `${sign[check.result]} ${check.message}`;
}

const DAY_MS = 86_400_000;
const blobs = { type: 3, blobCount: 2, maxFeePerBlobGas: 3n * GWEI, value: 0n } as const;
const waiting = (id: string, nonce: number, status = 'PENDING') => ({ id, nonce, status });

describe('a pre-flight', () => {
  it("has the contract's lines in their order, that of blobs only where there are some", () => {
    const names = (facts: PreflightFacts) => preflight(facts).map(({ name }) => name);
    const ofSome = ['key', 'delegation', 'deadline'];
    const plain = CHECK_NAMES.filter((name) => !ofSome.includes(name));
    expect(names(signed(blobs))).toEqual(plain);
    expect(names(FACTS)).toEqual(plain.filter((name) => name !== 'blob-cap'));
  });

  it('passes where nothing is in the way, and waits for its target alone', () => {
    expect(preflight(FACTS).filter(({ ok }) => ok !== true)).toEqual([]);
    const waiting = preflight(FACTS).filter(({ result }) => result !== 'pass');
    expect(waiting.map(({ name, result, code }) => [name, result, code])).toEqual([
      ['reachable', 'wait', 'target_not_reached'],
    ]);
  });

  it('waits for a key that is not here, whatever chain it is for', () => {
    for (const facts of [FACTS, signed(blobs), signed({ chainId: 10 })]) {
      const [, , third] = preflight({ ...facts, isKeyMissing: true });
      expect(third).toMatchObject({ name: 'key', result: 'wait', ok: false, code: 'key_gone' });
    }
    expect(verdict({ ...FACTS, lanePrice: 1n, isKeyMissing: true })).toMatchObject({
      kind: 'hold',
      obstacle: { code: 'key_gone' },
    });
  });

  it('says which facts are unknown', () => {
    const unknown = {
      nextNonce: null,
      pendingNonce: null,
      balance: null,
      nextBaseFee: null,
      lanePrice: null,
    };
    const open = preflight({ ...FACTS, ...unknown }).filter(({ ok }) => ok === null);
    expect(open.map(({ name }) => name)).toEqual(['nonce', 'nonce-gap', 'balance', 'cap', 'reachable']);
    for (const { message } of open) expect(message).toContain('unknown');
  });

  it('does not check a transaction of another chain against this one', () => {
    const elsewhere = { ...signed({ ...blobs, chainId: 10 }), balance: 0n, nextNonce: 0, pendingNonce: 0 };
    const unasked = preflight(elsewhere).filter(({ message }) => message.startsWith('not checked'));
    expect(unasked.map(({ name }) => name)).toEqual(
      CHECK_NAMES.filter(
        (name) => !['chain', 'signature', 'key', 'delegation', 'expiry', 'deadline'].includes(name),
      ),
    );
    for (const check of unasked) {
      expect(check).toMatchObject({ ok: null, message: 'not checked: it is for another chain' });
    }
    expect(preflight(elsewhere).filter(({ result }) => result === 'block')).toHaveLength(1);
  });

  it('names both chains where they differ, and the next nonce where its own is used', () => {
    expect([
      line(FACTS, 'chain'),
      line(signed({ chainId: 10 }), 'chain'),
      line({ ...FACTS, nextNonce: 9, pendingNonce: 9 }, 'nonce'),
      line({ ...FACTS, nextNonce: 3, pendingNonce: 7 }, 'nonce'),
    ]).toEqual([
      '✓ signed for Ethereum (chain 1)',
      '✗ it is signed for OP Mainnet (chain 10), but this is Ethereum (chain 1)',
      "✗ nonce 7 is used: the sender's next is 9; sign it again with nonce 9",
      "✓ nonce 7 is free; the sender's next is 3",
    ]);
    expect(line(signed({ chainId: 4_711 }), 'chain')).toContain('signed for chain 4711,');
    expect(line(signed({ chainId: null }), 'chain')).toMatch(/^▲ it names no chain .*on every other chain/);
    expect(line({ ...FACTS, pendingNonce: 8 }, 'nonce')).toMatch(/^◌! .*is in the node's pool already/);
  });

  it('says which nonces are missing, and which auto-txs of the sender come first', () => {
    const gap = { ...FACTS, nextNonce: 2, pendingNonce: 3 };
    const both = {
      ...FACTS,
      nextNonce: 5,
      pendingNonce: 5,
      waitingBelow: [waiting('b2', 6), waiting('a1', 5)],
    };
    const disabled = [waiting('a1', 5, 'SUBMITTED'), waiting('b2', 6, 'DISABLED')];
    expect([
      line(gap, 'nonce-gap'),
      line({ ...gap, pendingNonce: 6 }, 'nonce-gap'),
      line({ ...gap, waitingBelow: [waiting('a1', 4)] }, 'nonce-gap'),
      line(both, 'nonce-gap'),
      line({ ...both, waitingBelow: disabled }, 'nonce-gap'),
    ]).toEqual([
      '◌! nonces 3 to 6 are missing: send transactions with those first',
      '◌! nonce 6 is missing: send a transaction with that nonce first',
      '◌! nonces 3 and 5 to 6 are missing: send transactions with those first; auto-tx a1 (nonce 4) also comes before it',
      '◌ it is broadcast after auto-txs a1 (nonce 5) and b2 (nonce 6)',
      '◌! it waits for auto-tx b2 (nonce 6), which is disabled',
    ]);
  });

  it('says how much the balance lacks of value, gas at the cap, and blobs at theirs', () => {
    const most = ETH + 65_000n * 30n * GWEI;
    const withBlobs = 65_000n * 30n * GWEI + 2n * 131_072n * 3n * GWEI;
    expect([
      line({ ...FACTS, balance: most }, 'balance'),
      line({ ...FACTS, balance: most - ETH / 4n }, 'balance'),
      line({ ...signed(blobs), balance: withBlobs }, 'balance'),
      line({ ...signed(blobs), balance: withBlobs - 1n }, 'balance'),
    ]).toEqual([
      '✓ 1.00 ETH covers 1.00 ETH (the value + its gas limit at its cap)',
      '◌! it waits until the account has 0.250 ETH more: it has 0.752 ETH and needs 1.00 ETH (the value + its gas limit at its cap)',
      '✓ 0.00274 ETH covers 0.00274 ETH (its gas limit at its cap + its blobs at theirs)',
      '◌! it waits until the account has 1 wei more: it has 0.00274 ETH and needs 0.00274 ETH (its gas limit at its cap + its blobs at theirs)',
    ]);
  });

  it('waits with a cap below the next base fee, as intended where the target is below it too', () => {
    const order = { ...FACTS.order, target: 13n * GWEI };
    expect([
      line(signed({ maxFeePerGas: 5n * GWEI }), 'cap'),
      line(signed(legacy(5n * GWEI)), 'cap'),
      line(signed({ maxFeePerGas: 5n * GWEI }, { ...FACTS, order }), 'cap'),
      // A wei too little is not rounded away.
      line(signed({ maxFeePerGas: (FACTS.nextBaseFee ?? 0n) - 1n }), 'cap'),
      line(signed({ maxFeePerGas: 13n * GWEI }), 'cap'),
      line(signed(blobs, { ...FACTS, nextBlobBaseFee: 4n * GWEI }), 'blob-cap'),
    ]).toEqual([
      '◌ it waits while the base fee is above your cap of 5 gwei',
      '◌ it waits while the base fee is above your gas price of 5 gwei',
      '◌! it waits while the base fee is above your cap of 5 gwei',
      '◌ it waits while the base fee is above your cap of 12.3456789 gwei',
      '✓ your cap of 13 gwei covers the next base fee of 12.3 gwei, which leaves 0.654 gwei of your priority fee of 1 gwei',
      '◌ it waits while the blob base fee is above your blob cap of 3 gwei',
    ]);
  });

  it('says when its gas limit or its time does not suffice', () => {
    const until = (expiresAt: number) => ({ ...FACTS, order: { ...FACTS.order, expiresAt } });
    expect([
      line(signed({ gasLimit: 20_999n }), 'intrinsic-gas'),
      line(signed({ gasLimit: 16_777_217n }), 'intrinsic-gas'),
      line(signed({ to: null, gasLimit: 2_000_000n, data: `0x${'fe'.repeat(49_153)}` }), 'intrinsic-gas'),
      line(until(FACTS.now + 2 * DAY_MS), 'expiry'),
      line(until(FACTS.now), 'expiry'),
      line(until(FACTS.now + 367 * DAY_MS), 'expiry'),
    ]).toEqual([
      '✗ its gas limit of 20,999 is below the 21,000 of its intrinsic gas (Osaka): it can never be included; sign it again with more',
      '✗ its gas limit of 16,777,217 is above the 16,777,216 that a transaction may have (EIP-7825, Osaka): it can never be included; sign it again with less',
      '✗ it makes a contract from 49,153 bytes of code, and 49,152 are the most (EIP-3860, Osaka): it can never be included; make it shorter and sign it again',
      '✓ it expires at 23 Nov 2026 22:00 UTC, in 2d',
      '✗ it expired at 21 Nov 2026 22:00 UTC',
      '✗ it may expire in 366 days at most',
    ]);
  });

  it('says how far its target is, or why that is never reached', () => {
    const now = { ...FACTS, lanePrice: 5n * GWEI, nextBaseFee: 4n * GWEI };
    const cannotBroadcastReason = 'a recording takes no transactions';
    const dear = { ...now, transaction: signed({ maxPriorityFeePerGas: 10n * GWEI }).transaction };
    const capped = signed({ maxFeePerGas: 3n * GWEI });
    expect([
      line(FACTS, 'reachable'),
      line(now, 'reachable'),
      line({ ...now, cannotBroadcastReason }, 'reachable'),
      line({ ...FACTS, cannotBroadcastReason }, 'reachable'),
      line(dear, 'reachable'),
      line(capped, 'reachable'),
      line({ ...capped, lanePrice: 4n * GWEI }, 'reachable'),
      line({ ...now, nextNonce: 6, pendingNonce: 6 }, 'reachable'),
      line({ ...now, balance: 0n }, 'reachable'),
    ]).toEqual([
      '◌ it waits until the Average lane is at or below 5 gwei',
      '✓ target reached: it is broadcast at once',
      '✓ target reached; nothing is broadcast from here: a recording takes no transactions',
      '◌ it would wait until the Average lane is at or below 5 gwei; nothing is broadcast from here: a recording takes no transactions',
      '✓ target reached: it is broadcast at once, but pays 14.0 gwei itself (see cost)',
      '◌ it waits until the Average lane is at or below 5 gwei; it also waits while the base fee is above your cap of 3 gwei, which is below the target',
      '◌ target reached; it waits until the base fee is at or below your cap of 3 gwei',
      '✓ target reached; waits for the nonces below it',
      '✓ target reached; waits for the balance',
    ]);
    expect(line(dear, 'cost')).toMatch(
      /^▲ its own priority fee of 10 gwei makes it pay about 14.0 gwei, far above your target of 5 gwei/,
    );
    const strict = { ...FACTS, order: { ...FACTS.order, isStrict: true } };
    expect(line(signed(legacy(7n * GWEI), strict), 'reachable')).toMatch(
      /^✗ it always pays its gas price of 7 gwei/,
    );
    expect(line(signed({ maxPriorityFeePerGas: 6n * GWEI }, strict), 'reachable')).toMatch(
      /^✗ its priority fee of 6 gwei leaves nothing of your target of 5 gwei/,
    );
    expect(line(signed({ maxPriorityFeePerGas: 0n }), 'reachable')).toContain('blocks may leave it out');
  });

  it('states the cost at its target and the maximum, blobs included, in coins and dollars', () => {
    const strict = { ...signed(blobs), order: { ...FACTS.order, isStrict: true } };
    expect([
      // With the lane at a target of 5 the base fee is 5 at most, and with its own tip of 1 it pays 6.
      line(FACTS, 'cost'),
      line({ ...FACTS, nativeUsd: null, nativeSymbol: 'POL' }, 'cost'),
      // 65,000 × 5 gwei, and 2 blobs at 1 gwei; at most 65,000 × 30 and 2 blobs at 3.
      line({ ...strict, nextBlobBaseFee: GWEI }, 'cost'),
      line(signed({ value: 0n, ...legacy(8n * GWEI) }), 'cost'),
    ]).toEqual([
      '✓ fees of up to 0.000390 ETH ($1.17) at 6.00 gwei, its own tip included, when the Average lane is at your target of 5 gwei; at most 0.00195 ETH ($5.85); it sends 1 ETH',
      '✓ fees of up to 0.000390 POL at 6.00 gwei, its own tip included, when the Average lane is at your target of 5 gwei; at most 0.00195 POL; it sends 1 POL',
      '✓ fees of about 0.000587 ETH ($1.76) at your target of 5 gwei, blobs included; at most 0.00274 ETH ($8.21)',
      '▲ its gas price of 8 gwei makes it pay about 8.00 gwei, far above your target of 5 gwei: sign it again with a lower one; fees of at most 0.000520 ETH ($1.56) at your gas price of 8 gwei',
    ]);
    expect(line(signed({ value: 0n, ...legacy(5n * GWEI) }), 'cost')).toMatch(
      /^✓ fees of at most 0\.000325 ETH/,
    );
    expect(line(signed({ value: 1n }), 'cost')).toMatch(/; it sends 1 wei$/);
  });

  it.each([
    // Tips make most of the lane's price: it comes down with them, and the base fee stays.
    [2n, 7n, 6n, 3n],
    [2n, 13n, 3n, 3n],
    // The base fee has to fall to the target at least.
    [8n, 9n, 4n, 5n],
    [8n, 20n, 2n, 3n],
  ])(
    'never states less than the present base fee (%d gwei) and its own tip, where its target lets that stay',
    (base, lane, target, pays) => {
      const text = line(
        {
          ...signed({ maxPriorityFeePerGas: GWEI }),
          ...{ nextBaseFee: base * GWEI, lanePrice: lane * GWEI },
          order: { ...FACTS.order, target: target * GWEI },
        },
        'cost',
      );
      expect(text).toContain(`at ${Number(pays).toFixed(2)} gwei, its own tip included`);
    },
  );

  it('states the fee for posting to L1 beside it, known or not', () => {
    const base = { ...signed({ chainId: 8_453, compressedSize: 200 }), chainId: 8_453, chainName: 'Base' };
    const unknown = { ...base, dataFees: { parameters: null, reason: 'no node tells it' } };
    const parameters = { rate: 10n ** 16n, operatorPerMillionGas: 0n, operatorConstant: 0n };
    const fees = { ...base, dataFees: { parameters, reason: null } };
    const most = '; at most 0.00195 ETH ($5.85)';
    expect(line(unknown, 'cost')).toContain(`${most}, plus the L1 fee, which is unknown: no node tells it`);
    expect(line(unknown, 'balance')).toMatch(/^\? .* the L1 fee too, which is unknown: no node tells it$/);
    // 836,500 × 200 − 42,585,600 are 124,714,400 bytes × 10^6.
    expect(line(fees, 'cost')).toContain('L1 fee of 0.00000125 ETH ($0.0037) included');
    expect(line({ ...fees, balance: ETH + 65_000n * 30n * GWEI + 1n }, 'balance')).toBe(
      '◌! it waits: lacks 1,247,143,999,999 wei of L1 fee: it has 1.001950000000000001 ETH and needs 1.001951247144 ETH (the value + its gas limit at its cap + the L1 fee of 0.00000125 ETH)',
    );
  });
});

describe('the price it pays when a lane is at the target', () => {
  /** A target of 1.5 gwei and a tip of 5 at a cap of 9, on a chain whose lane asks for hardly a tip. */
  const tipped = (nextBaseFee: bigint | null, change: Partial<PreflightFacts['order']> = {}) => {
    const facts = signed({
      gasLimit: 21_000n,
      maxFeePerGas: 9n * GWEI,
      maxPriorityFeePerGas: 5n * GWEI,
      value: 0n,
    });
    const order = { ...FACTS.order, target: (3n * GWEI) / 2n, ...change };
    return { ...facts, order, nativeUsd: null, nextBaseFee, lanePrice: nextBaseFee };
  };

  it('is far above the target when its own tip is, and a strict one is suggested where that can be reached', () => {
    const dear = { target: (11n * GWEI) / 2n };
    expect([
      line(tipped(2n * GWEI), 'cost'),
      line(tipped((12n * GWEI) / 10n), 'cost'),
      line(tipped(20n * GWEI, { ...dear, isStrict: true }), 'cost'),
      line({ ...tipped(2n * GWEI), isTargetPresent: true }, 'cost'),
      line({ ...tipped(null, { target: 0n }), isTargetPresent: true }, 'cost'),
    ]).toEqual([
      '▲ its own priority fee of 5 gwei makes it pay about 6.50 gwei, far above your target of 1.5 gwei: sign it again with a lower one; fees of about 0.000137 ETH at 6.50 gwei, its own tip included, when the Average lane is at your target of 1.5 gwei; at most 0.000189 ETH',
      '▲ its own priority fee of 5 gwei makes it pay about 6.20 gwei, far above your target of 1.5 gwei: sign it again with a lower one; fees of about 0.000130 ETH in the next block, at 6.20 gwei; at most 0.000189 ETH',
      '✓ fees of about 0.000116 ETH at your target of 5.5 gwei; at most 0.000189 ETH',
      '✓ fees of about 0.000147 ETH at the present price of 7.00 gwei; at most 0.000189 ETH',
      '✓ fees of at most 0.000189 ETH at your cap of 9 gwei',
    ]);
    expect(line(tipped(20n * GWEI, dear), 'cost')).toMatch(
      /pay about 9\.00 gwei,.*: use a strict target, or sign it/,
    );
  });

  it('is at least its tip when the base fee is unknown', () => {
    expect(line(tipped(null), 'cost')).toMatch(
      /^▲ its own priority fee of 5 gwei makes it pay at least 5\.00 gwei,.* at 6\.50 gwei or less,/,
    );
    expect(line(tipped(null, { target: 6n * GWEI }), 'cost')).toMatch(/^✓/);
  });

  it('keeps nothing from being sent', () => {
    expect(verdict(tipped(GWEI))).toEqual({ kind: 'go' });
  });
});

describe('a call with a deadline', () => {
  const until = (ms: number, expiresAt: number | null = null) => {
    const words = [0x60, 0x80, ms / 1_000, 0, 0].map((word) => word.toString(16).padStart(64, '0')).join('');
    return { ...signed({ data: `0x3593564c${words}` }), order: { ...FACTS.order, expiresAt } };
  };
  const { now } = FACTS;

  it('has a line of its own, which fails once that is past', () => {
    expect(line(FACTS, 'deadline')).toBeUndefined();
    expect(line(until(now - 60_000), 'deadline')).toBe(
      '✗ the deadline of its call was 21 Nov 2026 21:59 UTC: it would revert; sign it again with a later deadline',
    );
    expect(line(until(now), 'deadline')).toMatch(/^\?/);
    expect(line(until(now * 1_000), 'deadline')).toBeUndefined();
  });

  it('cannot be told to be in time where it may wait longer', () => {
    const unsure =
      '? the deadline of its call is 21 Nov 2026 22:30 UTC, in 30m: it fails if its target is reached later than that';
    const at = now + 30 * 60_000;
    expect(line(until(at), 'deadline')).toBe(unsure);
    expect(line(until(at, at + 60_000), 'deadline')).toBe(unsure);
    expect(line(until(at, at), 'deadline')).toBe(
      '✓ the deadline of its call is 21 Nov 2026 22:30 UTC, in 30m; it expires before that',
    );
  });

  it('is not sent for nothing once that is past', () => {
    expect(verdict(until(now - 1_000))).toMatchObject({
      kind: 'refuse',
      obstacle: { code: 'deadline_past' },
    });
    expect(verdict(until(now))).toEqual({ kind: 'go' });
  });
});

describe('an account that is delegated (EIP-7702)', () => {
  const ACCOUNT = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
  const CODE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  const NONE = '0x0000000000000000000000000000000000000000';
  const one = { chainId: 1, address: CODE, nonce: 8, authority: ACCOUNT } as const;
  const handing = (...authorizations: SignedTransaction['authorizations']) =>
    signed({ type: 4, authorizations });
  const words = 'it delegates the account 0xd8dA…6045 to the code at 0x7099…79C8';

  it('has a line of its own, after the signature', () => {
    expect(line(FACTS, 'delegation')).toBeUndefined();
    expect(preflight(handing(one)).map(({ name }) => name)).toEqual(
      CHECK_NAMES.filter((name) => name !== 'key' && name !== 'deadline' && name !== 'blob-cap'),
    );
    expect(line(handing(one), 'delegation')).toBe(
      `? ${words} (on this chain): make sure that you trust this code`,
    );
    expect(line(handing({ ...one, chainId: 10 }), 'delegation')).toContain('(on chain 10, not on this one)');
    expect(line(handing({ ...one, authority: null }), 'delegation')).toContain(
      'delegates an unknown account',
    );
  });

  it('fails on every chain, and keeps nothing from being sent', () => {
    const everywhere = { ...one, chainId: 0 };
    expect(line(handing(everywhere), 'delegation')).toBe(
      `▲ ${words} (on every chain): anyone who sees it can use it on any other chain, too; sign it for one chain`,
    );
    // What is not named is counted all the same.
    expect(line(handing(one, one, everywhere), 'delegation')).toMatch(
      /^▲ .*; 1 more; 1 of 3 on every chain:/,
    );
    expect(verdict(handing(everywhere))).toEqual({ kind: 'go' });
  });

  const ofSender = (nonce: number, nonces: readonly number[], more: Partial<typeof one> = {}) => {
    const { from } = FACTS.transaction;
    const list = nonces.map((each) => ({ ...one, authority: from, nonce: each, ...more }));
    return signed({ type: 4, nonce, authorizations: list });
  };

  it.each([
    ["the transaction's own nonce", 5, [5], 'nonce 5 and no effect', 'sign it with nonce 6'],
    ['a nonce of the past', 5, [3], 'nonce 3 and no effect', 'sign it with nonce 6'],
    ['a nonce too far', 5, [7], 'nonce 7 and no effect', 'sign it with nonce 6'],
    ['the same nonce twice', 5, [6, 6], 'nonce 6 and no effect', 'sign it with nonce 7'],
  ] as const)('warns of the sender with %s: the chain skips it', (_, nonce, nonces, what, remedy) => {
    const text = line(ofSender(nonce, nonces), 'delegation');
    expect(text).toMatch(/^▲ /);
    expect(text).toContain(what);
    expect(text).toContain(remedy);
    expect(line(ofSender(nonce, nonces, { address: NONE as typeof CODE }), 'delegation')).toContain(what);
  });

  it('warns of no sender whose nonces follow that of the transaction, nor of what is for another chain', () => {
    expect(line(ofSender(5, [6]), 'delegation')).toMatch(/^\? /);
    expect(line(ofSender(5, [6, 7]), 'delegation')).toMatch(/^\? /);
    expect(line(ofSender(5, [5], { chainId: 10 as 1 }), 'delegation')).toMatch(/^\? /);
  });

  it('is taken back by none', () => {
    expect(line(handing({ ...one, address: NONE }), 'delegation')).toBe(
      '✓ it revokes the delegation of the account 0xd8dA…6045 (on this chain)',
    );
    expect(line(handing({ ...one, address: NONE }, one), 'delegation')).toMatch(/^\? .* trust this code$/);
  });

  it('is one of many, of which two are named', () => {
    expect(line(handing(one, one, one, one), 'delegation')).toMatch(
      /^\? it changes who controls accounts 4 times: delegates [^;]+; delegates [^;]+; 2 more: make sure/,
    );
  });

  it('keeps its finding when the authorizations are gone', () => {
    const before = preflight(handing(one));
    const anew = preflight(handing());
    const untold = '? it delegates accounts to code (EIP-7702): which ones is unknown';
    expect(line(handing(), 'delegation')).toBe(untold);
    expect(withEarlierDelegation(anew, before)).toEqual(before);
    expect(withEarlierDelegation(anew, [])).toEqual(anew);
    expect(withEarlierDelegation(preflight(FACTS), before)).toEqual(preflight(FACTS));
  });

  it('is said of another chain, too', () => {
    const elsewhere = { ...handing(one), chainId: 4_711 };
    expect(line(elsewhere, 'delegation')).toContain('(on chain 1, not on this one): make sure');
  });
});
