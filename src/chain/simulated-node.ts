import { addressPaid, makesRecipient } from '../core/auto-txs/account-gas.ts';
import { mostFees, paysAt } from '../core/auto-txs/target.ts';
import { type Block, type Hex, tipBetween } from '../core/block.ts';
import { chainProfile, SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { GAS_PER_BLOB } from '../core/eip4844.ts';
import { NOISE, randomBits, randomHex, SIMULATED_GAS_LIMIT, uniform } from '../core/simulation.ts';
import { readSigned } from '../core/transactions/decode-transaction.ts';
import {
  type GasProblem,
  type GasRules,
  gasNeeded,
  gasProblems,
  RULES,
} from '../core/transactions/gas-rules.ts';
import type { SignedTransaction } from '../core/transactions/signed-transaction.ts';
import {
  ChainError,
  type ChainSource,
  type ChainTransaction,
  type IncludedTransaction,
  SendFailure,
  type SendOutcome,
} from './chain-source.ts';
import { feedAnswer } from './price-feed.ts';

/** With EIP-4844 in whole blobs. */
export interface SimulatedBlock extends Block {
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly tips: NonNullable<Block['tips']>;
  readonly blobs: number;
  readonly excessBlobs: number;
}

/** The accounts that anvil and Hardhat print at their start: their keys are public, so anybody can sign for them. */
export const DEVELOPMENT_ACCOUNTS: readonly Hex[] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
];
const BEGINS_WITH = 10_000n * 10n ** 18n;

const PRICE_FEED = chainProfile(SIMULATED_CHAIN_ID).usdFeed?.address;

interface NodeOptions {
  readonly seed: number;
  readonly blockAt: (number: number) => Promise<SimulatedBlock>;
  readonly headNumber: () => number;
  readonly nativeUsdAt: (number: number) => number;
}

export interface SimulatedNode
  extends Omit<ChainSource, 'kind' | 'name' | 'now' | 'chain' | 'head' | 'blocks' | 'subscribe' | 'health'> {
  /** Puts a transaction into a past block. Resolves to its transaction and receipt. */
  backdate(signed: Hex, blockNumber: number): Promise<IncludedTransaction>;
}

interface Account {
  nonce: number;
  balance: bigint;
}

interface Included {
  readonly transaction: ChainTransaction;
  readonly status: IncludedTransaction['receipt']['status'];
  readonly gasUsed: bigint;
  readonly tip: bigint;
  readonly blobFee: bigint;
}

/**
 * Its blocks are full of transactions that follow from seed and number alone; a sent one replaces some of them in the first block
 * whose fees it covers, without changing prices. Of contracts there is a price feed alone: a sent call succeeds and uses a part of its gas.
 */
export function createSimulatedNode({ seed, blockAt, headNumber, nativeUsdAt }: NodeOptions): SimulatedNode {
  const accounts = new Map<string, Account>();
  const waiting = new Map<string, SignedTransaction>();
  const mined = new Map<string, Included>();
  /** The last block that included pending transactions. */
  let settledTo = headNumber();
  let settling = Promise.resolve();
  let last: { readonly number: number; readonly included: readonly IncludedTransaction[] } | null = null;

  const accountOf = (address: Hex): Account => {
    const key = address.toLowerCase();
    const isFunded = DEVELOPMENT_ACCOUNTS.some((each) => each.toLowerCase() === key);
    const account = accounts.get(key) ?? { nonce: 0, balance: isFunded ? BEGINS_WITH : 0n };
    accounts.set(key, account);
    return account;
  };
  const include = (signed: SignedTransaction, block: SimulatedBlock): void => {
    const tip = tipIn(signed, block);
    const { status, gasUsed } = run(signed, rulesOf(block));
    const sender = accountOf(signed.from);
    sender.nonce += 1;
    sender.balance -= gasUsed * (block.baseFeePerGas + tip);
    if (status === 'success') {
      sender.balance -= signed.value;
      accountOf(addressPaid(signed)).balance += signed.value;
      if (signed.to === null) accountOf(addressPaid(signed)).nonce += 1;
    }
    mined.set(signed.hash, { transaction: toChain(signed, block), status, gasUsed, tip, blobFee: 0n });
    last = null;
  };
  /**
   * A transfer uses its minimum; a call seven tenths of the rest of its limit. Where the rules charge for an account that comes to
   * be and its gas does not suffice for that, it fails and pays for all of its gas.
   */
  const run = (signed: SignedTransaction, rules: GasRules): Pick<Included, 'status' | 'gasUsed'> => {
    const { parts, gasLimit, data } = signed;
    if (parts === null) return { status: 'success', gasUsed: 0n };
    const { intrinsic, min } = gasNeeded(parts, rules);
    const { nonce, balance } = accountOf(addressPaid(signed));
    const isNew = nonce === 0 && balance === 0n && makesRecipient(parts);
    const least = BigInt(Math.max(isNew ? intrinsic + rules.newAccount : 0, min));
    if (gasLimit < least) return { status: 'reverted', gasUsed: gasLimit };
    return {
      status: 'success',
      gasUsed: data === '0x' ? least : least + ((gasLimit - least) * 7n) / 10n,
    };
  };

  /** Includes pending transactions in the blocks since the last call. */
  const settle = (): Promise<void> => {
    settling = settling.then(async () => {
      const head = headNumber();
      while (settledTo < head && waiting.size > 0) {
        settledTo += 1;
        fill(await blockAt(settledTo));
      }
      settledTo = head;
    });
    return settling;
  };
  /** The best tips first, and each sender's in the order of nonces. */
  const fill = (block: SimulatedBlock): void => {
    const rules = rulesOf(block);
    // A fork takes those out of the pool that no block can include since then.
    for (const each of waiting.values()) if (gasFault(each, rules) !== null) waiting.delete(each.hash);
    for (let room = block.gasUsed; ; ) {
      const [next] = [...waiting.values()]
        .filter((each) => isTakenBy(each, block, accountOf(each.from)) && run(each, rules).gasUsed <= room)
        .sort((one, other) => Number(tipIn(other, block) - tipIn(one, block)));
      if (next === undefined) return;
      waiting.delete(next.hash);
      room -= run(next, rules).gasUsed;
      include(next, block);
    }
  };

  const includedIn = async (number: number): Promise<readonly IncludedTransaction[] | null> => {
    if (number < 0 || number > headNumber()) return null;
    if (last?.number !== number) {
      const block = await blockAt(number);
      const sent = [...mined.values()].filter(({ transaction }) => transaction.blockNumber === number);
      last = { number, included: includedOf(seed, block, sent) };
    }
    return last.included;
  };
  const find = async (hash: Hex): Promise<IncludedTransaction | null> => {
    await settle();
    const wanted = hash.toLowerCase();
    const number = mined.get(wanted)?.transaction.blockNumber ?? blockNumberOf(wanted);
    return (await includedIn(number))?.find((each) => each.transaction.hash === wanted) ?? null;
  };

  return {
    async call({ to, data }) {
      if (to !== PRICE_FEED) return '0x';
      const head = await blockAt(headNumber());
      return feedAnswer(data, nativeUsdAt(head.number), head.timestamp);
    },
    async sendRawTransaction(signed, { isStillWanted = () => true } = {}) {
      await settle();
      const transaction = decoded(signed);
      const { hash, from, nonce } = transaction;
      if (waiting.has(hash) || mined.has(hash)) return hash;
      refuse(transaction, accountOf(from), rulesOf(await blockAt(headNumber() + 1)));
      if ([...waiting.values()].some((each) => each.from === from && each.nonce === nonce))
        throw refusal('later', 'replacement_underpriced', 'another one with its nonce waits');
      if (!isStillWanted()) throw refusal('later', 'too_late', 'it could not be sent in time');
      waiting.set(hash, transaction);
      return hash;
    },
    async backdate(signed, blockNumber) {
      const transaction = decoded(signed);
      include(transaction, await blockAt(blockNumber));
      const included = await find(transaction.hash);
      if (included === null) throw new RangeError(`block ${blockNumber} is not of the past`);
      return included;
    },
    async transaction(hash) {
      const found = await find(hash);
      if (found !== null) return found.transaction;
      const pending = waiting.get(hash.toLowerCase());
      return pending === undefined ? null : toChain(pending, null);
    },
    receipt: async (hash) => (await find(hash))?.receipt ?? null,
    async block(number) {
      await settle();
      const included = await includedIn(number);
      if (included === null) return null;
      const block = await blockAt(number);
      const builder = randomBits(seed, NOISE.crowd, number, 0) % BUILDERS;
      return {
        ...block,
        blockAccessListHash: block.blockAccessListHash ?? null,
        slotNumber: block.slotNumber ?? null,
        feeRecipient: addressOf(seed, -2, builder * LANES),
        blobGasUsed: BigInt(block.blobs) * GAS_PER_BLOB,
        excessBlobGas: BigInt(block.excessBlobs) * GAS_PER_BLOB,
        transactionHashes: included.map(({ transaction }) => transaction.hash),
      };
    },
    async transactionsOf({ number, hash }) {
      await settle();
      const included = await includedIn(number);
      return included !== null && (await blockAt(number)).hash === hash ? included : null;
    },
    async nonce(address, at) {
      await settle();
      let { nonce } = accountOf(address);
      if (at === 'latest') return nonce;
      const key = address.toLowerCase();
      const own = [...waiting.values()].filter(({ from }) => from.toLowerCase() === key);
      while (own.some((each) => each.nonce === nonce)) nonce += 1;
      return nonce;
    },
    /** It runs no code. */
    code: async () => '0x',
    async balance(address) {
      await settle();
      return accountOf(address).balance;
    },
  };
}

const refusal = (outcome: SendOutcome, reason: string, message: string) =>
  new SendFailure(outcome, reason, new ChainError('rejected', message));

function decoded(signed: Hex): SignedTransaction {
  const read = readSigned(signed);
  if (read.problem === null) return read.transaction;
  throw refusal('never', 'invalid', read.problem);
}

/** The header tells them. */
const rulesOf = ({ blockAccessListHash }: SimulatedBlock): GasRules =>
  blockAccessListHash == null ? RULES.osaka : RULES.amsterdam;

const BLOCK_GAS_LIMIT = BigInt(SIMULATED_GAS_LIMIT);

/** Why no block by these rules can include it; `null`: one can. */
function gasFault({ parts, gasLimit }: SignedTransaction, rules: GasRules): GasProblem | null {
  return parts && (gasProblems(parts, gasLimit, rules, BLOCK_GAS_LIMIT)[0] ?? null);
}

/** The next block decides: a node takes nothing that it cannot include. */
function refuse(
  transaction: SignedTransaction,
  { nonce, balance }: Readonly<Account>,
  rules: GasRules,
): void {
  const { type, chainId, value } = transaction;
  const gas = gasFault(transaction, rules);
  const isTooLow = gas === 'gas_below_intrinsic' || gas === 'gas_below_floor';
  const isForeign = (chainId ?? SIMULATED_CHAIN_ID) !== SIMULATED_CHAIN_ID;
  const costs = value + mostFees(transaction);
  const faults: readonly (readonly [isTrue: boolean, SendOutcome, reason: string, message: string])[] = [
    [isForeign, 'never', 'wrong_chain', 'it is signed for another chain'],
    [type === 3, 'never', 'type_unsupported', 'the simulated chain takes no blobs'],
    [isTooLow, 'never', 'intrinsic_gas', `its gas limit is too low by the rules of ${rules.name}`],
    [gas !== null, 'never', 'gas_limit', `it asks for more than the rules of ${rules.name} allow`],
    [transaction.nonce < nonce, 'nonce-used', 'nonce_used', 'its nonce is too low'],
    [balance < costs, 'later', 'insufficient_balance', 'the balance does not cover it'],
  ];
  const fault = faults.find(([isTrue]) => isTrue);
  if (fault) throw refusal(fault[1], fault[2], fault[3]);
}

/** Wei per gas; negative when the base fee is above its cap. */
const tipIn = (transaction: SignedTransaction, { baseFeePerGas }: Block): bigint =>
  paysAt(transaction, baseFeePerGas) - baseFeePerGas;

/** A fuller block includes no transaction with a tip below its own 10th percentile. */
const FULL = 0.98;

function isTakenBy(
  transaction: SignedTransaction,
  block: SimulatedBlock,
  { nonce, balance }: Readonly<Account>,
): boolean {
  if (transaction.nonce !== nonce || balance < transaction.value + mostFees(transaction)) return false;
  return tipIn(transaction, block) >= (block.gasUsedRatio < FULL ? 0n : (block.tips[0] ?? 0n));
}

function toChain(
  transaction: SignedTransaction,
  block: Pick<SimulatedBlock, 'number' | 'hash'> | null,
): ChainTransaction {
  const { chainId: _, authorizations: _authorizations, parts: _parts, ...rest } = transaction;
  return {
    ...rest,
    feeCurrency: null,
    blobCount: null,
    blockNumber: block?.number ?? null,
    blockHash: block?.hash ?? null,
  };
}

const LEAST_GAS = 21_000;
const TOKEN_TRANSFER: Hex = '0xa9059cbb';
/** Other users' transactions: cumulative share, function, and range of gas. */
type Kind = readonly [upTo: number, selector: Hex | null, least: number, most: number];
const TRANSFER: Kind = [0.3, null, LEAST_GAS, LEAST_GAS];
const CROWD: readonly Kind[] = [
  TRANSFER,
  [0.56, TOKEN_TRANSFER, 41_000, 65_000],
  // approve(address,uint256)
  [0.66, '0x095ea7b3', 46_000, 50_000],
  // execute(bytes,bytes[],uint256)
  [0.95, '0x3593564c', 120_000, 260_000],
  // execTransaction(…)
  [1, '0x6a761202', 200_000, 280_000],
];
const CALLED_CONTRACTS = 40;
const BUILDERS = 5;
/** Every seventh transaction carries blobs, at most six. */
const BLOBS_EVERY = 7;
const BLOBS_EACH = 6;

/** Random words per transaction. */
const LANES = 32;

/** Highest tips first. */
function includedOf(
  seed: number,
  block: SimulatedBlock,
  sent: readonly Included[],
): readonly IncludedTransaction[] {
  const gasLeft = sent.reduce((left, { gasUsed }) => left - gasUsed, block.gasUsed);
  const all = [...crowdOf(seed, block, Number(gasLeft)), ...sent];
  all.sort((one, other) => Number(other.tip - one.tip));
  return all.map(({ transaction, status, gasUsed, tip, blobFee }, transactionIndex) => ({
    transaction,
    receipt: {
      hash: transaction.hash,
      status,
      blockNumber: block.number,
      blockHash: block.hash,
      gasUsed,
      effectiveGasPrice: block.baseFeePerGas + tip,
      transactionIndex,
      blobFee,
      dataFee: 0n,
    },
  }));
}

/** Other users' transactions with exactly this total gas, and the block's tips. */
function* crowdOf(seed: number, block: SimulatedBlock, gas: number): Generator<Included> {
  const { number, baseFeePerGas } = block;
  const blobPrice = block.blobBaseFee ?? 0n;
  let blobsLeft = block.blobs;
  let left = gas;
  for (let index = 0; left >= LEAST_GAS; index++) {
    const draw = (lane: number) => uniform(seed, NOISE.crowd, number, index * LANES + lane);
    const share = draw(30);
    const [, named, least, most] = CROWD.find(([upTo]) => share <= upTo) ?? TRANSFER;
    const wanted = Math.min(least + Math.floor(draw(31) * (most - least)), left);
    const gasUsed = left - wanted < LEAST_GAS ? left : wanted;
    const selector = gasUsed === LEAST_GAS ? null : (named ?? TOKEN_TRANSFER);
    const tip = BigInt(Math.round(tipBetween(block.tips, Math.min((100 * left) / gas, 99)) ?? 0));
    left -= gasUsed;
    const blobCount = index % BLOBS_EVERY === 1 ? Math.min(blobsLeft, BLOBS_EACH) : 0;
    blobsLeft -= blobCount;
    const isTransfer = selector === null && blobCount === 0;
    const target = Math.floor(draw(24) * CALLED_CONTRACTS);
    const transaction: ChainTransaction = {
      hash: crowdHash(seed, number, index),
      type: blobCount > 0 ? 3 : 2,
      from: addressOf(seed, number, index * LANES + 10),
      to: isTransfer ? addressOf(seed, number, index * LANES + 15) : addressOf(seed, -1, target * LANES),
      value: isTransfer ? BigInt(Math.round(draw(25) ** 4 * 5e6)) * 10n ** 12n : 0n,
      nonce: Math.floor(draw(26) ** 3 * 2_000),
      gasLimit: BigInt(isTransfer ? gasUsed : Math.ceil(gasUsed * 1.3)),
      maxFeePerGas: baseFeePerGas * 2n + tip,
      maxPriorityFeePerGas: tip,
      gasPrice: null,
      data: selector === null ? '0x' : `${selector}${'00'.repeat(64)}`,
      maxFeePerBlobGas: blobCount > 0 ? blobPrice * 2n : null,
      blobCount: blobCount || null,
      feeCurrency: null,
      blockNumber: number,
      blockHash: block.hash,
    };
    const blobFee = BigInt(blobCount) * GAS_PER_BLOB * blobPrice;
    yield { transaction, status: 'success', gasUsed: BigInt(gasUsed), tip, blobFee };
  }
}

const addressOf = (seed: number, at: number, lane: number): Hex =>
  `0x${randomHex(seed, NOISE.crowd, at, { lane, words: 5 })}`;

/** A hash that encodes its block, masked by the rest: so any transaction can be found without storing them. */
function crowdHash(seed: number, number: number, index: number): Hex {
  const rest = randomHex(seed, NOISE.crowd, number, { lane: index * LANES, words: 7 });
  return `0x${rest}${(number ^ veilOf(rest)).toString(16).padStart(8, '0')}`;
}

const veilOf = (hex: string) => Number.parseInt(hex.slice(0, 7), 16);

const blockNumberOf = (hash: string) => Number.parseInt(hash.slice(58), 16) ^ veilOf(hash.slice(2));
