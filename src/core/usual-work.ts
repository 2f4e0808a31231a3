import type { Hex } from './block.ts';
import type { ChainRules, ChainRulesName } from './chain-rules.ts';
import type { ChainProfile } from './chains.ts';
import type { RulesName } from './transactions/gas-rules.ts';

/** Gas paid, refunds taken off. */
type GasByRules = Readonly<Record<RulesName, number>>;

interface UsualAction {
  readonly name: string;
  /** Its short name in a threshold: `$0.40/swap`. */
  readonly word: string;
  readonly gas: GasByRules;
  /** The same where the account that is paid, the holder, the owner or the bought token is new; `null`: never dearer. */
  readonly newHolder: { readonly name: string; readonly gas: GasByRules } | null;
  /** An unsigned transaction that does it, by which its L1 data fee is told. */
  readonly unsigned: Hex;
}

/**
 * Measured with real contract code by both rows (docs/CHAINS.md says how). ERC-20 approve: the first of a spender. ERC-20 transfer:
 * to a holder. NFT mint: a further one of its owner. Swap: one hop through Uniswap V3, for a token that is held.
 * The bytes are those of docs/CHAINS.md: type 2 for OP Mainnet, the swap an `exactInputSingle` of its router.
 */
export const USUAL_ACTIONS: readonly UsualAction[] = [
  {
    name: 'ETH transfer',
    word: 'eth',
    gas: { osaka: 21_000, amsterdam: 21_000 },
    newHolder: { name: 'to a new account', gas: { osaka: 21_000, amsterdam: 204_600 } },
    unsigned:
      '0x02ec0a7b830f424083bc614e8252089470997970c51812dc3a010c7d01b50e0d17dc79c8872bdc545d6b4b8780c0',
  },
  {
    name: 'ERC-20 approve',
    word: 'approve',
    gas: { osaka: 46_462, amsterdam: 128_382 },
    newHolder: null,
    unsigned:
      '0x02f86a0a7b830f424083bc614e82b57e940b2c639c533813f4aa9d7837caf62653d097ff8580b844095ea7b300000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc0',
  },
  {
    name: 'ERC-20 transfer',
    word: 'transfer',
    gas: { osaka: 34_467, amsterdam: 42_867 },
    newHolder: { name: 'to a new holder', gas: { osaka: 51_567, amsterdam: 140_787 } },
    unsigned:
      '0x02f86a0a7b830f424083bc614e82fde8940b2c639c533813f4aa9d7837caf62653d097ff8580b844a9059cbb00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c800000000000000000000000000000000000000000000000000000000075bcd15c0',
  },
  {
    name: 'NFT mint',
    word: 'mint',
    gas: { osaka: 56_538, amsterdam: 152_958 },
    newHolder: { name: 'to a new owner', gas: { osaka: 73_638, amsterdam: 250_878 } },
    unsigned:
      '0x02f86b0a7b830f424083bc614e8301d4c09468b3465833fb72a70ecdf485e0e4c7bd8665fc4580b84440c10f1900000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c800000000000000000000000000000000000000000000000000000000000004d2c0',
  },
  {
    name: 'Swap',
    word: 'swap',
    gas: { osaka: 101_095, amsterdam: 139_695 },
    newHolder: { name: 'for a new token', gas: { osaka: 118_183, amsterdam: 237_603 } },
    unsigned:
      '0x02f9010b0a7b830f424083bc614e8302cec09468b3465833fb72a70ecdf485e0e4c7bd8665fc4580b8e404e45aaf0000000000000000000000000b2c639c533813f4aa9d7837caf62653d097ff85000000000000000000000000420000000000000000000000000000000000000600000000000000000000000000000000000000000000000000000000000001f400000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c800000000000000000000000000000000000000000000000000000000075bcd15000000000000000000000000000000000000000000000000007acf501b7181150000000000000000000000000000000000000000000000000000000000000000c0',
  },
];

const actionOf = (name: string) => USUAL_ACTIONS.find((action) => action.name === name);

/** Chains with rules of their own, and those of unknown rules, are counted by Osaka's. */
const rowOf = (rules: ChainRulesName): RulesName => (rules === 'amsterdam' ? 'amsterdam' : 'osaka');

export interface UsualGas {
  /** By the rules of the head. */
  readonly gas: number;
  /** By the fork to Amsterdam that is ahead; `null`: none is. */
  readonly gasNext: number | null;
}

const usualGas = (gas: GasByRules, { rules, next }: ChainRules): UsualGas => ({
  gas: gas[rowOf(rules)],
  gasNext: next?.kind === 'amsterdam' ? gas.amsterdam : null,
});

/** What an action takes, and what it does where the account, holder, owner or token is new: `null` where that makes no difference. */
export function gasOfAction({ gas, newHolder }: UsualAction, rules: ChainRules) {
  const usual = usualGas(gas, rules);
  const dearer = newHolder && { name: newHolder.name, ...usualGas(newHolder.gas, rules) };
  const differs = dearer !== null && (dearer.gas !== usual.gas || dearer.gasNext !== usual.gasNext);
  return { ...usual, newHolder: differs ? dearer : null };
}

/** The whole table, a line each: `ERC-20 transfer to a new holder`. */
export const usualWorkTable: readonly ({ readonly name: string } & GasByRules)[] = USUAL_ACTIONS.flatMap(
  ({ name, gas, newHolder }) => [
    { name, ...gas },
    ...(newHolder === null ? [] : [{ name: `${name} ${newHolder.name}`, ...newHolder.gas }]),
  ],
);

/** What one swap takes for a token that is held, by which savings of alerts are counted. */
export const swapGas = (rules: ChainRulesName): number => actionOf('Swap')?.gas[rowOf(rules)] ?? 0;

/** What an action takes, by its short name; `null`: there is none of that name. */
export const gasOfWord = (word: string, rules: ChainRulesName): number | null =>
  USUAL_ACTIONS.find((action) => action.word === word)?.gas[rowOf(rules)] ?? null;

/** Where no service says what an action takes: `null` if that depends on rules of the chain that nothing tells. */
export function gasByChainAlone(name: string, { gasRules }: Pick<ChainProfile, 'gasRules'>): number | null {
  const gas = actionOf(name)?.gas;
  if (gas === undefined) return null;
  return gasRules !== 'ethereum' || gas.osaka === gas.amsterdam ? gas.osaka : null;
}

export const cost = (gas: number, price: bigint): bigint => BigInt(gas) * price;
