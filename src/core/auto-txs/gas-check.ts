import type { Block, Hex } from '../block.ts';
import { type ChainRules, type ChainRulesName, nextBlockTime, rulesOfNextBlock } from '../chain-rules.ts';
import type { ChainProfile } from '../chains.ts';
import {
  dataBytes,
  type GasProblem,
  type GasRules,
  gasLimitProblem,
  gasNeeded,
  gasProblems,
  RULES,
  type TransactionParts,
} from '../transactions/gas-rules.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { formatCount, utcMinute } from '../units.ts';
import { type Accounts, accountsThatDecide, shortfallOf } from './account-gas.ts';
import { blocks, type Found, needs, passes, unknown, warns } from './check.ts';

/** What the gas of a transaction is judged by; `null`: unknown. */
export interface GasFacts {
  /** Of the head. */
  readonly rules: ChainRules;
  /** Of the next block, Unix seconds: later where slots were missed. */
  readonly nextTime: number;
  readonly gasRules: ChainProfile['gasRules'];
  readonly blockGasLimit: bigint | null;
  /** Left out: not asked for (see `accountsToAsk`). */
  readonly accounts?: Accounts;
}

/** What it is judged by at a head that came at `updatedAt`. Times of the wall clock, ms since epoch. */
export const gasFactsAt = (
  { head, rules, updatedAt }: HeadWithRules,
  { feeRule, gasRules }: Pick<ChainProfile, 'feeRule' | 'gasRules'>,
  now: number,
): GasFacts => ({
  rules,
  nextTime: nextBlockTime(head.timestamp, feeRule.blockTimeSec, now - updatedAt),
  gasRules,
  blockGasLimit: head.gasLimit,
});

interface HeadWithRules {
  readonly head: Pick<Block, 'timestamp' | 'gasLimit'>;
  readonly rules: ChainRules;
  readonly updatedAt: number;
}

interface Waiting {
  readonly transaction: SignedTransaction;
  readonly order: { readonly expiresAt: number | null };
  readonly gas: GasFacts;
}

/** Code of a gas limit that was enough until a fork. Its auto-tx is held, and `PUT` with a new signature frees it. */
const GAS_TOO_LOW_AFTER_FORK = 'gas_too_low_after_fork';

const GAS_CODES: ReadonlySet<string> = new Set([
  ...[GAS_TOO_LOW_AFTER_FORK, 'gas_too_low', 'gas_too_high', 'code_too_long', 'too_many_blobs'],
  ...['gas_above_block_limit', 'new_account'],
]);

/** Whether a hold with this code is by {@link gasCheck}. */
export const isGasCode = (code: string | undefined): boolean => code !== undefined && GAS_CODES.has(code);

/** The rows that may judge the next block; with several, a transaction is refused by all or by none. */
const rowsOf = (rules: ChainRulesName): readonly GasRules[] =>
  rules === 'unknown' ? [RULES.osaka, RULES.amsterdam] : [RULES[rules === 'own' ? 'osaka' : rules]];

const nextRules = ({ rules, nextTime }: GasFacts): ChainRulesName => rulesOfNextBlock(rules, nextTime);

/** The fork that may come before the transaction is sent; `null`: none that is known. */
function forkAhead({ order: { expiresAt }, gas }: Waiting): ChainRules['next'] {
  const { rules, nextTime } = gas;
  const { next } = rules;
  if (next === null || next.kind === 'blobs' || nextTime >= next.at) return null;
  return expiresAt === null || expiresAt > next.at * 1_000 ? next : null;
}

/** Checks that its gas limit and creation code fit into the next block, and into those after a fork that it may wait for. */
export function gasCheck(waiting: Waiting): Found {
  const { transaction, gas } = waiting;
  const { parts, gasLimit } = transaction;
  const { blockGasLimit, gasRules } = gas;
  const tooHigh = gasLimitProblem(gasLimit, blockGasLimit);
  if (tooHigh !== null) return blocks('gas_above_block_limit', `${tooHigh}; sign it again with less`);
  if (parts === null) {
    return unknown('whether its gas limit is enough is unknown: it was stored by an older version');
  }
  const rules = nextRules(gas);
  const judged = rowsOf(rules).map((row) => judge(parts, gasLimit, row, gasRules));
  const refusals = judged.filter(({ refused }) => refused.length > 0);
  const [refusal] = refusals;
  if (rules !== 'own' && refusal !== undefined && refusals.length === judged.length) {
    return refusalOf(
      waiting,
      parts,
      refusals.map(({ row }) => row),
      refusal,
    );
  }
  const doubt = judged.find(({ refused, advised }) => refused.length + advised.length > 0);
  if (doubt !== undefined) return doubtOf(waiting, parts, doubt, rules);
  return newAccountOf(waiting, parts, rules) ?? forkOf(waiting, parts) ?? coversWords(waiting, parts, rules);
}

interface Judged {
  readonly row: GasRules;
  /** Why a block by these rules cannot include it. */
  readonly refused: readonly GasProblem[];
  /** What Ethereum would refuse, and this chain perhaps not: its limits are its own. */
  readonly advised: readonly GasProblem[];
}

const LIMITS: ReadonlySet<GasProblem> = new Set([
  'gas_above_tx_cap',
  'work_above_tx_cap',
  'initcode_too_long',
]);

function judge(
  parts: TransactionParts,
  gasLimit: bigint,
  row: GasRules,
  gasRules: ChainProfile['gasRules'],
): Judged {
  const problems = gasProblems(parts, gasLimit, row, null);
  if (gasRules === 'ethereum') return { row, refused: problems, advised: [] };
  if (gasRules === 'own') {
    // Its data floor is Ethereum's alone.
    return { row, refused: [], advised: problems.filter((problem) => problem !== 'gas_below_floor') };
  }
  return {
    row,
    refused: problems.filter((problem) => !LIMITS.has(problem)),
    advised: problems.filter((problem) => LIMITS.has(problem)),
  };
}

/** `Osaka`, `Osaka and Amsterdam`. */
const namesOf = (rows: readonly GasRules[]) => rows.map(({ name }) => name).join(' and ');

function refusalOf(
  { transaction: { gasLimit } }: Waiting,
  parts: TransactionParts,
  rows: readonly GasRules[],
  { row, refused }: Judged,
): Found {
  const [problem = 'gas_below_intrinsic'] = refused;
  if (problem === 'gas_below_intrinsic' || problem === 'gas_below_floor') {
    const wasEnough = gasProblems(parts, gasLimit, RULES.osaka, null).length === 0;
    if (row === RULES.amsterdam && wasEnough) {
      const { min } = gasNeeded(parts, row);
      // Said before the fork's first block, and after it.
      const message = `enough until ${row.name}, whose rules the next block has: its ${limitWords(gasLimit)} is below ${minimumWords(parts, row)}; sign it again with at least ${formatCount(min)}`;
      return blocks(GAS_TOO_LOW_AFTER_FORK, message);
    }
    // By both rules it has to be enough for one of them.
    const least = rows.toSorted((a, b) => gasNeeded(parts, a).min - gasNeeded(parts, b).min)[0] ?? row;
    const message = `its ${limitWords(gasLimit)} is below ${minimumWords(parts, least)} (${namesOf(rows)}): it can never be included; sign it again with more`;
    return blocks('gas_too_low', message);
  }
  const [code, what] = LIMIT_WORDS[problem](parts, gasLimit, row);
  return blocks(code, `${what}, ${namesOf(rows)}): it can never be included; ${REMEDIES[code]}`);
}

type LimitCode = 'gas_too_high' | 'code_too_long' | 'too_many_blobs';

const REMEDIES: Readonly<Record<LimitCode, string>> = {
  gas_too_high: 'sign it again with less',
  code_too_long: 'make it shorter and sign it again',
  too_many_blobs: 'split it into several',
};

type LimitWords = (parts: TransactionParts, gasLimit: bigint, row: GasRules) => readonly [LimitCode, string];

/** What is too much, up to the EIP that says so. */
const LIMIT_WORDS: Readonly<
  Record<Exclude<GasProblem, 'gas_below_intrinsic' | 'gas_below_floor'>, LimitWords>
> = {
  gas_above_tx_cap: (_, gasLimit, { mostGas }) => [
    'gas_too_high',
    `its ${limitWords(gasLimit)} is above the ${formatCount(mostGas)} that a transaction may have (EIP-7825`,
  ],
  work_above_tx_cap: (parts, _, row) => [
    'gas_too_high',
    `it needs ${formatCount(gasNeeded(parts, row).min)} gas before it runs, and ${formatCount(row.mostGas)} are the most (EIP-8037`,
  ],
  gas_above_block_limit: (_, gasLimit) => [
    'gas_too_high',
    `its ${limitWords(gasLimit)} is above that of a block (EIP-1559`,
  ],
  initcode_too_long: (parts, _, { mostInitcodeBytes, name }) => [
    'code_too_long',
    `it makes a contract from ${formatCount(dataBytes(parts))} bytes of code, and ${formatCount(mostInitcodeBytes)} are the most (${name === RULES.osaka.name ? 'EIP-3860' : 'EIP-7954'}`,
  ],
  too_many_blobs: ({ blobs }, _, { mostBlobs }) => [
    'too_many_blobs',
    `it has ${blobs} blobs, and ${mostBlobs} are the most (EIP-7594`,
  ],
};

/** One of two possible rules refuses it, or a chain with limits of its own may. */
function doubtOf(
  { transaction: { gasLimit } }: Waiting,
  parts: TransactionParts,
  { row, refused, advised }: Judged,
  rules: ChainRulesName,
): Found {
  const [problem = 'gas_below_intrinsic'] = [...refused, ...advised];
  const isLow = problem === 'gas_below_intrinsic' || problem === 'gas_below_floor';
  const what = isLow
    ? `its ${limitWords(gasLimit)} is below ${minimumWords(parts, row)} (${row.name}`
    : `${LIMIT_WORDS[problem](parts, gasLimit, row)[1]}, ${row.name}`;
  const code = isLow ? 'gas_too_low' : LIMIT_WORDS[problem](parts, gasLimit, row)[0];
  const whose =
    rules === 'unknown'
      ? 'whether these rules hold is unknown'
      : 'this chain has gas rules of its own, and may take it';
  return warns(code, `${what}): ${whose}`);
}

/** The accounts that decide whether its gas is enough in the next block, or after a fork that it may wait for. */
export function accountsToAsk(waiting: Waiting): readonly Hex[] {
  const { transaction, gas } = waiting;
  const { parts } = transaction;
  if (parts === null || gas.gasRules === 'own') return [];
  const rows = rowsOf(nextRules(gas));
  const mayCharge = rows.includes(RULES.amsterdam) || forkAhead(waiting)?.kind === 'amsterdam';
  return mayCharge ? accountsThatDecide(transaction, parts) : [];
}

/** Included, but bound to fail and to pay all of its gas: the account that it pays or makes is not there yet. */
function newAccountOf(waiting: Waiting, parts: TransactionParts, rules: ChainRulesName): Found | null {
  if (rules !== 'amsterdam' && rules !== 'unknown') return null;
  const short = shortOf(waiting, parts);
  if (short === null) return null;
  const { words, isCertain } = short;
  if (rules === 'unknown') return warns('new_account', `${words}, if the rules of Amsterdam hold`);
  return isCertain
    ? needs('new_account', `${words}; it waits until that account exists`)
    : warns('new_account', words);
}

const NO_ACCOUNTS: Accounts = new Map();

const shortOf = ({ transaction, gas }: Waiting, parts: TransactionParts) =>
  shortfallOf(transaction, parts, gas.accounts ?? NO_ACCOUNTS);

/** What a fork changes that it may wait past; `null`: nothing. */
function forkOf(waiting: Waiting, parts: TransactionParts): Found | null {
  const fork = forkAhead(waiting);
  const { gasLimit } = waiting.transaction;
  if (fork === null || waiting.gas.gasRules === 'own') return null;
  const until = utcMinute(fork.at * 1_000);
  if (fork.kind !== 'amsterdam') {
    return passes(
      `${coversWords(waiting, parts, nextRules(waiting.gas)).message}; the rules change at ${until}, in ways that are not known here`,
    );
  }
  const row = RULES.amsterdam;
  const { min } = gasNeeded(parts, row);
  if (gasLimit < min) {
    const message = `enough until ${row.name} (${until}); then its ${limitWords(gasLimit)} is below ${minimumWords(parts, row)}: sign it again with at least ${formatCount(min)}`;
    return warns(GAS_TOO_LOW_AFTER_FORK, message);
  }
  const short = shortOf(waiting, parts);
  return short && warns('new_account', `enough until ${row.name} (${until}); then ${short.words}`);
}

/** `the 23,690 that its data costs at least`, `the 21,000 of its intrinsic gas`. */
function minimumWords(parts: TransactionParts, row: GasRules): string {
  const { intrinsic, floor, min } = gasNeeded(parts, row);
  const what = floor > intrinsic ? 'that its data costs at least' : 'of its intrinsic gas';
  return `the ${formatCount(min)} ${what}`;
}

function coversWords(
  { transaction: { gasLimit } }: Waiting,
  parts: TransactionParts,
  rules: ChainRulesName,
): Found {
  const rows = rowsOf(rules);
  const [row = RULES.osaka] = rows.toSorted((a, b) => gasNeeded(parts, b).min - gasNeeded(parts, a).min);
  const { min } = gasNeeded(parts, row);
  if (rules === 'own') return passes(`its ${limitWords(gasLimit)} is judged by the chain's own gas rules`);
  return passes(
    `its ${limitWords(gasLimit)} covers its intrinsic gas of ${formatCount(min)} (${namesOf(rows)})`,
  );
}

const limitWords = (gasLimit: bigint) => `gas limit of ${count(gasLimit)}`;

const count = (gas: bigint) => formatCount(Number(gas));
