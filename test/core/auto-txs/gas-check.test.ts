import { describe, expect, it } from 'vitest';
import type { AccountFacts } from '../../../src/core/auto-txs/account-gas.ts';
import { accountsToAsk, type GasFacts } from '../../../src/core/auto-txs/gas-check.ts';
import { type PreflightFacts, preflight, verdict } from '../../../src/core/auto-txs/preflight.ts';
import type { Hex } from '../../../src/core/block.ts';
import type { ChainRules } from '../../../src/core/chain-rules.ts';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { executions, transactionCases } from '../support/amsterdam.ts';
import { FACTS, GAS, signed } from './made-facts.ts';

const DAY_SEC = 86_400;
const FORK_AT = GAS.nextTime + 3 * DAY_SEC;
const rulesOf = (rules: ChainRules['rules'], next: ChainRules['next'] = null): ChainRules => ({
  ...{ rules, next, source: 'header', blobSchedule: null, since: null },
});
const AHEAD = rulesOf('osaka', { at: FORK_AT, kind: 'amsterdam', blobSchedule: null });
const by = (rules: ChainRules, gas: Partial<GasFacts> = {}): PreflightFacts => ({
  ...FACTS,
  gas: { ...GAS, rules, ...gas },
});

function gasOf(facts: PreflightFacts) {
  const check = preflight(facts).find(({ name }) => name === 'intrinsic-gas');
  if (check === undefined) throw new Error('no check');
  return check;
}

/** `block gas_too_low`, `pass`, `warning new_account`. */
function said(facts: PreflightFacts): string {
  const { result, ok, code } = gasOf(facts);
  return `${result === 'pass' && ok === false ? 'warning' : result}${code === null ? '' : ` ${code}`}`;
}

describe('the gas of a signed transaction', () => {
  it.each(['osaka', 'amsterdam'] as const)(
    'is refused by %s exactly where no block can include it',
    (name) => {
      const all = transactionCases().filter(({ raw, type }) => raw !== undefined && type !== 3);
      expect(all.length).toBeGreaterThan(250);
      for (const { id, raw = '0x', blockGasLimit, ...made } of all) {
        const transaction = decodeTransaction(raw);
        const facts = { ...by(rulesOf(name), { blockGasLimit: BigInt(blockGasLimit) }), transaction };
        expect(gasOf(facts).result === 'block', id).toBe(!made[name].valid);
        const unsure = { ...facts, gas: { ...facts.gas, rules: rulesOf('unknown') } };
        expect(gasOf(unsure).result === 'block', id).toBe(!made.osaka.valid && !made.amsterdam.valid);
      }
    },
  );

  it.each([
    ['it is below both', 'unknown', 11_999n, 'block gas_too_low'],
    ['it is below one', 'unknown', 20_999n, 'block gas_too_low'],
    ['it covers both', 'unknown', 21_000n, 'pass'],
    ['the chain has its own', 'own', 20_999n, 'warning gas_too_low'],
  ] as const)('where %s and the rules are %s', (_, rules, gasLimit, expected) => {
    const gasRules = rules === 'own' ? 'own' : 'ethereum';
    expect(said(signed({ gasLimit }, by(rulesOf(rules), { gasRules })))).toBe(expected);
  });

  it('is doubted where one of two possible rules refuses it', () => {
    const unsure = by(rulesOf('unknown'));
    expect(said(signed({ gasLimit: 15_000n, value: 0n }, unsure))).toBe('warning gas_too_low');
    expect(said(signed({ gasLimit: 16_777_217n }, unsure))).toBe('warning gas_too_high');
    expect(said(signed({ gasLimit: 60_000n, data: `0x${'ff'.repeat(700)}` }, unsure))).toBe(
      'warning gas_too_low',
    );
  });

  it.each(['ethereum', 'osaka', 'own'] as const)(
    'is refused above that of a block on each chain: %s',
    (gasRules) => {
      const facts = by(rulesOf(gasRules === 'own' ? 'own' : 'osaka'), { gasRules, blockGasLimit: 64_999n });
      expect(said(facts)).toBe('block gas_above_block_limit');
    },
  );

  it('has no data floor and no cap on a chain with its own rules, and names the rules elsewhere', () => {
    const own = by(rulesOf('own'), { gasRules: 'own', blockGasLimit: null });
    expect(said(signed({ gasLimit: 40_000n, data: `0x${'ff'.repeat(500)}` }, own))).toBe('pass');
    expect(said(signed({ gasLimit: 30_000_000n }, own))).toBe('warning gas_too_high');
    expect(gasOf(signed({ gasLimit: 20_000n })).message).toContain('Osaka');
    expect(gasOf(signed({ gasLimit: 20_000n }, by(rulesOf('amsterdam')))).message).toContain('Amsterdam');
  });
});

describe('a transaction that waits', () => {
  const data: Hex = `0x${'ff'.repeat(100)}`;
  const shortOf = (facts = by(AHEAD)) => signed({ gasLimit: 25_000n, data }, facts);

  it('past the fork says until when it is valid, and how to sign', () => {
    expect(said(shortOf())).toBe('warning gas_too_low_after_fork');
    expect(gasOf(shortOf()).message).toBe(
      'enough until Amsterdam (24 Nov 2026 22:00 UTC); then its gas limit of 25,000 is below the 27,400 that its data costs at least: sign it again with at least 27,400',
    );
    expect(verdict(shortOf())).toEqual({ kind: 'go' });
  });

  it('and expires before the fork says nothing of it', () => {
    const order = { ...FACTS.order, expiresAt: FORK_AT * 1_000 };
    expect(said({ ...shortOf(), order })).toBe('pass');
  });

  it('is held from the last block before the fork on, and freed where a reorg takes that back', () => {
    const at = (headTime: number, rules = AHEAD) => shortOf(by(rules, { nextTime: headTime + 12 }));
    expect(said(at(FORK_AT - 13))).toBe('warning gas_too_low_after_fork');
    const held = { code: 'gas_too_low_after_fork', message: expect.stringContaining('27,400') };
    expect(verdict(at(FORK_AT - 12))).toEqual({ kind: 'hold', obstacle: held });
    expect(verdict(at(FORK_AT, rulesOf('amsterdam')))).toEqual({ kind: 'hold', obstacle: held });
    expect(said(at(FORK_AT, rulesOf('amsterdam')))).toBe('block gas_too_low_after_fork');
    expect(verdict(at(FORK_AT - 24))).toEqual({ kind: 'go' });
  });

  it('has words for its hold that are true in the block before the fork and ever after', () => {
    const last = shortOf(by(AHEAD, { nextTime: FORK_AT }));
    const words =
      'enough until Amsterdam, whose rules the next block has: its gas limit of 25,000 is below the 27,400 that its data costs at least; sign it again with at least 27,400';
    expect(gasOf(last).message).toBe(words);
    for (const nextTime of [FORK_AT + 12, FORK_AT + 86_400]) {
      expect(gasOf(shortOf(by(rulesOf('amsterdam'), { nextTime }))).message).toBe(words);
    }
  });

  it('says that a fork which is not known changes the rules', () => {
    const unknown = rulesOf('amsterdam', { at: FORK_AT, kind: 'unknown', blobSchedule: null });
    expect(gasOf(signed({ gasLimit: 300_000n }, by(unknown))).message).toContain('not known here');
  });
});

describe('an account that does not exist', () => {
  const gone: AccountFacts = { exists: false, isDelegated: false };

  it('is warned of before the fork, and holds a transaction that would lose its gas after it', () => {
    const short = (rules: ChainRules) =>
      signed(
        { gasLimit: 21_000n },
        by(rules, { accounts: new Map([[FACTS.transaction.to?.toLowerCase() ?? '', gone]]) }),
      );
    expect(said(short(AHEAD))).toBe('warning new_account');
    expect(gasOf(short(AHEAD)).message).toContain('204,600');
    expect(said(short(rulesOf('amsterdam')))).toBe('wait new_account');
    expect(verdict(short(rulesOf('amsterdam')))).toMatchObject({ kind: 'hold' });
    expect(said(short(rulesOf('osaka')))).toBe('pass');
  });

  const { accounts, accountsOfOneCase, cases } = executions();
  it.each(cases.map((each) => [each.id, each] as const))('as it is run: %s', (id, { raw, amsterdam }) => {
    const known = { ...accounts, ...accountsOfOneCase[id] };
    const factsOf = (address: Hex): AccountFacts => {
      const { code = '0x', balance = 0 } = known[address] ?? {};
      return { exists: code !== '0x' || BigInt(balance) > 0n, isDelegated: code.startsWith('0xef0100') };
    };
    const transaction = decodeTransaction(raw);
    const gas = { ...GAS, rules: rulesOf('amsterdam'), blockGasLimit: 200_000_000n };
    const asked = accountsToAsk({ transaction, order: FACTS.order, gas });
    const told = new Map(asked.map((address) => [address, factsOf(address)]));
    const { result, ok } = gasOf({ ...FACTS, transaction, gas: { ...gas, accounts: told } });
    if (amsterdam.status === 1) expect(['block', 'wait']).not.toContain(result);
    const isShort = amsterdam.included && amsterdam.status === 0 && !id.includes('reverts');
    expect(ok === false).toBe(isShort);
  });
});
