import type { Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountsToAsk, gasCheck } from '../../../src/core/auto-txs/gas-check.ts';
import { chainProfile } from '../../../src/core/chains.ts';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { gasNeeded, gasProblems, RULES, type RulesName } from '../../../src/core/transactions/gas-rules.ts';
import { TransactionError } from '../../../src/core/transactions/signed-text.ts';
import type { SignedTransaction } from '../../../src/core/transactions/signed-transaction.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { FACTS, GAS } from '../auto-txs/made-facts.ts';
import { AMSTERDAM_EIPS, createJudge, type Judgement } from './support/ethereumjs.ts';
import {
  type Made,
  type RandomTransaction,
  randomTransactions,
  signRandom,
} from './support/random-transactions.ts';

/** The 10,000 take minutes; others each time. */
const COUNT = isSlowRun ? 10_000 : 300;
const SEED = isSlowRun ? Date.now() % 2 ** 31 : 20_261_129;

const ROWS = ['osaka', 'amsterdam'] as const;
const judges = { osaka: createJudge('osaka'), amsterdam: createJudge('amsterdam') };

interface Judged {
  /** To make it again. */
  readonly of: Made;
  readonly signed: RandomTransaction;
  /** `null`: nodes' pools refuse it. */
  readonly transaction: SignedTransaction | null;
  readonly by: Readonly<Record<RulesName, Judgement>>;
}

async function judged(of: Made): Promise<Judged> {
  const signed = await signRandom(of, (raw) => ({
    osaka: judges.osaka.leastOf(raw),
    amsterdam: judges.amsterdam.leastOf(raw),
  }));
  const by = { osaka: await judges.osaka.judge(signed), amsterdam: await judges.amsterdam.judge(signed) };
  return { of, signed, transaction: decoded(signed.sent), by };
}

function decoded(sent: Hex): SignedTransaction | null {
  try {
    return decodeTransaction(sent);
  } catch (error) {
    if (error instanceof TransactionError) return null;
    throw error;
  }
}

/**
 * Each is decoded from its signed bytes here, and included and run by EthereumJS, with the accounts that it names. Where
 * they disagree is named: nothing but what nodes' pools do not take.
 */
describe(`${COUNT.toLocaleString('en')} random transactions of all types (seed ${SEED})`, () => {
  let all: readonly Judged[] = [];
  beforeAll(
    async () => {
      const list: Judged[] = [];
      for (const made of randomTransactions(COUNT, SEED)) list.push(await judged(made));
      all = list;
    },
    isSlowRun ? 1_800_000 : 120_000,
  );
  const read = () =>
    all.flatMap(({ transaction, ...each }) => {
      if (transaction?.parts == null) return [];
      return [{ ...each, transaction: { ...transaction, parts: transaction.parts } }];
    });

  it('are judged by an Amsterdam that has each of its EIPs about gas and limits', () => {
    for (const eip of AMSTERDAM_EIPS) {
      expect(judges.amsterdam.isActive(eip), `${eip}`).toBe(true);
      expect(judges.osaka.isActive(eip), `${eip}`).toBe(false);
    }
  });

  it('are of each type, and some of each end differently', () => {
    for (const type of [0, 1, 2, 3, 4]) {
      const some = all.filter(({ signed }) => signed.type === type);
      expect(some.length).toBeGreaterThan(COUNT / 50);
      for (const row of ROWS) {
        const refused = some.filter(({ by }) => by[row].refusal !== null);
        expect(refused.length, `${type} ${row}`).toBeGreaterThan(0);
        expect(refused.length, `${type} ${row}`).toBeLessThan(some.length);
      }
    }
    const isOtherwise = all.filter(
      ({ by }) => (by.osaka.refusal === null) !== (by.amsterdam.refusal === null),
    );
    expect(isOtherwise.length).toBeGreaterThan(COUNT / 20);
    expect(all.filter(({ by }) => by.amsterdam.isOutOfGas).length).toBeGreaterThan(COUNT / 50);
  });

  it('are read, but those with 7 blobs, which no block takes, and those above 128 KiB, which blocks take and nodes do not', () => {
    for (const { of, signed, transaction, by } of all) {
      const hasManyBlobs = signed.type === 3 && of.blobs > 6;
      // `txMaxSize` of go-ethereum, which no EIP has.
      const isLong = signed.type !== 3 && (signed.raw.length - 2) / 2 > 131_072;
      expect(transaction === null, toldOf(of)).toBe(hasManyBlobs || isLong);
      if (hasManyBlobs) expect([by.osaka.refusal, by.amsterdam.refusal], toldOf(of)).not.toContain(null);
    }
  });

  describe.each(ROWS)('by the rules of %s', (row) => {
    it('need the intrinsic gas and the floor of EthereumJS', () => {
      for (const { of, transaction, by } of read()) {
        // Without numbers where it refuses to read the fields.
        if (Number.isNaN(by[row].intrinsic)) continue;
        const { intrinsic, floor } = gasNeeded(transaction.parts, RULES[row]);
        const { intrinsic: theirIntrinsic, floor: theirFloor } = by[row];
        const both = { intrinsic: theirIntrinsic, floor: theirFloor };
        expect({ intrinsic, floor }, toldOf(of)).toEqual(both);
      }
    });

    it('are refused exactly where no block includes them: no valid one, and each impossible one', () => {
      for (const { of, signed, transaction, by } of read()) {
        const { parts, gasLimit } = transaction;
        const problems = gasProblems(parts, gasLimit, RULES[row], BigInt(signed.blockGasLimit));
        const told = `${problems} / ${by[row].refusal} / ${toldOf(of)}`;
        expect(problems.length > 0, told).toBe(by[row].refusal !== null);
        expect(checked(transaction, signed, row).result === 'block', told).toBe(by[row].refusal !== null);
      }
    });

    it('are warned of before they fail for want of gas for an account, and never held where they succeed', () => {
      for (const { of, signed, transaction, by } of read()) {
        const { refusal, isOutOfGas } = by[row];
        if (refusal !== null) continue;
        const { result, ok } = checked(transaction, signed, row);
        const told = toldOf(of);
        // What code takes is not known before it runs.
        if (isOutOfGas && signed.isPlain) expect(ok, told).toBe(false);
        if (!isOutOfGas) expect(result, told).toBe('pass');
      }
    });
  });

  it('are refused by an unsure row exactly where both rows refuse them', () => {
    for (const { of, signed, transaction, by } of read()) {
      const areBoth = by.osaka.refusal !== null && by.amsterdam.refusal !== null;
      const { result } = checked(transaction, signed, 'unknown');
      expect(result === 'block', toldOf(of)).toBe(areBoth);
    }
  });
});

/** What the pre-flight says of it, with the accounts that it asks for. */
function checked(transaction: SignedTransaction, signed: RandomTransaction, row: RulesName | 'unknown') {
  const { gasRules } = chainProfile(1);
  const rules = { ...GAS.rules, rules: row };
  const gas = { ...GAS, rules, gasRules, blockGasLimit: BigInt(signed.blockGasLimit) };
  const waiting = { transaction, order: FACTS.order, gas };
  const accounts = new Map(accountsToAsk(waiting).map((address) => [address, accountOf(address, signed)]));
  return gasCheck({ ...waiting, gas: { ...gas, accounts } });
}

function accountOf(address: Hex, { recipient, state, from, authorities }: RandomTransaction) {
  const isOneOf = (some: readonly Hex[]) => some.some((each) => each.toLowerCase() === address);
  const isRecipient = isOneOf([recipient]) && state !== 'absent';
  return {
    exists: isRecipient || isOneOf([from, ...authorities]),
    isDelegated: isRecipient && state === 'delegated',
  };
}

const toldOf = (of: Made) =>
  JSON.stringify(of, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
