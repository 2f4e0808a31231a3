import { bytesToHex, hexToBytes } from 'viem/utils';
import type { Hex } from '../block.ts';
import { utcMinute } from '../units.ts';
import {
  type AbiArgument,
  type AbiValue,
  abiText,
  abiWords,
  addressText,
  isUnlimited,
  readArguments,
  shortAddress,
} from './abi-arguments.ts';
import { type KnownFunction, knownFunctions } from './known-functions.ts';
import type { Authorization, SignedTransaction } from './signed-transaction.ts';

interface CallArgument {
  readonly name: string;
  readonly type: string;
  /** Addresses and numbers whole; long bytes and lists by their beginning. Safe for a terminal. */
  readonly value: string;
}

export interface DescribedCall {
  /** Name of the function, or `plain transfer`, `contract creation`; `null` when unknown. */
  readonly name: string | null;
  readonly signature: string | null;
  /** The first four bytes; `null` when there are fewer. */
  readonly selector: Hex | null;
  /** Empty when they cannot be read, as `words` then says. */
  readonly args: readonly CallArgument[];
  /** One line for people; amounts in base units of their token, because its decimals are unknown. */
  readonly words: string;
  /** Nested calls, one level deep, limited to the first ones. */
  readonly calls: readonly DescribedCall[];
}

const SELECTOR_LENGTH = 4;
const MAX_CARRIED = 16;
const MAX_CARRIED_IN_WORDS = 3;

/**
 * Describes a transaction by its data: well-known functions with their arguments, and nested calls. A contract can
 * give any function name to any code, so this is what the caller states, not what the contract does.
 *
 * @param to `null`: it creates a contract.
 * @returns `null` when `data` is no hex.
 */
export function describeCall(data: string, to: Hex | null): DescribedCall | null {
  const bytes = bytesOf(data);
  return bytes && describe(bytes, to, true);
}

/** A delegation (EIP-7702) comes before the call: it can do more than any call. `null` when `data` is no hex. */
export function describeTransaction(
  transaction: Pick<SignedTransaction, 'data' | 'to' | 'chainId' | 'authorizations'>,
): DescribedCall | null {
  const { data, to } = transaction;
  const call = describeCall(data, to);
  const delegation = delegationWords(transaction);
  if (call === null || delegation === null) return call;
  const name = data === '0x' ? 'delegation' : call.name;
  return { ...call, name, words: `${delegation}; ${call.words}` };
}

function bytesOf(data: string): Uint8Array | null {
  const isHex = data.startsWith('0x') && data.length % 2 === 0 && !/[^0-9a-f]/i.test(data.slice(2));
  return isHex ? hexToBytes(`0x${data.slice(2)}`) : null;
}

function describe(data: Uint8Array, to: Hex | null, isOutermost: boolean): DescribedCall {
  const { length } = data;
  if (to === null) {
    return unnamed('contract creation', null, `makes a contract from ${bytesWords(length)} of code`);
  }
  const where = shortAddress(to);
  if (length === 0) return unnamed('plain transfer', null, `sends its value to ${where} and calls nothing`);
  if (length < SELECTOR_LENGTH) {
    return unnamed(null, null, `sends ${bytesWords(length)} to ${where}, too few for a call`);
  }
  const known = functionOf(data);
  if (known !== undefined) return describeKnown(known, data.subarray(SELECTOR_LENGTH), to, isOutermost);
  const selector = selectorOf(data);
  return unnamed(null, selector, `calls ${selector} of ${where}, a function that is not known here`);
}

const selectorOf = (data: Uint8Array) => bytesToHex(data.subarray(0, SELECTOR_LENGTH));
const functionOf = (data: Uint8Array) => knownFunctions().get(selectorOf(data));

function describeKnown(
  known: KnownFunction,
  bytes: Uint8Array,
  to: Hex,
  isOutermost: boolean,
): DescribedCall {
  const { name, signature, selector } = known;
  const read = readArguments(bytes, known.inputs);
  if (read === null) {
    const words = `calls ${name} of ${shortAddress(to)} with arguments that cannot be read`;
    return { name, signature, selector, args: [], words, calls: [] };
  }
  const call = new CallArguments(read.args, to);
  const args = call.list.map(({ name, type, value }) => ({ name, type, value: abiText(value) }));
  const carried = isOutermost ? carriedCalls(name, call, to) : [];
  // Many nested calls may share the same bytes: only the shown ones are converted to text.
  const calls = carried.slice(0, MAX_CARRIED).map((one) => describe(one.data, one.to, false));
  const words = wordsOf(known, call, carried, calls);
  return { name, signature, selector, args, words: `${words}${restWords(read.rest)}`, calls };
}

function wordsOf(
  known: KnownFunction,
  call: CallArguments,
  carried: readonly CarriedCall[],
  calls: readonly DescribedCall[],
): string {
  const by = deadlineWords(deadlineOf(call));
  const approval = approvalWords(known.signature, call);
  if (approval !== null) return `${approval}${by}`;
  const commands = known.name === 'execute' ? call.bytes('commands') : null;
  if (commands !== null) return `${known.words}${by}: ${routerSteps(commands)}`;
  const own = `${call.fill(known.words)}${carried.length === 0 ? by : ''}`;
  const first = calls.slice(0, MAX_CARRIED_IN_WORDS).map(({ words }) => words);
  const all = withMore(first, carried.length).join('; ');
  if (known.name === 'execTransaction') {
    // Code that runs as the Safe itself can do anything to it.
    const isDelegate = call.integer('operation') === 1n;
    return `${own}${isDelegate ? ' with all of its own rights (a delegate call)' : ''}: ${all}`;
  }
  return carried.length === 0
    ? own
    : `makes ${carried.length} ${carried.length === 1 ? 'call' : 'calls'}${by}: ${all}`;
}

const withMore = (shown: readonly string[], total: number) =>
  total > shown.length ? [...shown, `${total - shown.length} more`] : shown;

/** Bytes beyond the arguments: some callers append an attribution. */
const restWords = (rest: number) =>
  rest === 0 ? '' : `; ${bytesWords(rest)} after that ${rest === 1 ? 'is' : 'are'} not a part of it`;

const bytesWords = (count: number) => `${count} ${count === 1 ? 'byte' : 'bytes'}`;

const unnamed = (name: string | null, selector: Hex | null, words: string): DescribedCall => ({
  name,
  signature: null,
  selector,
  args: [],
  words,
  calls: [],
});

const ADDRESS_LENGTH = 20;
/** An address and a fee (uint24): one step of a Uniswap V3 path. */
const HOP_LENGTH = 23;

/** The arguments of a call by name; fields of a tuple as if they were arguments. */
class CallArguments {
  readonly list: readonly AbiArgument[];
  readonly #contract: Hex;

  constructor(list: readonly AbiArgument[], contract: Hex) {
    this.list = list.flatMap((argument) =>
      argument.value.kind === 'tuple' ? argument.value.fields : [argument],
    );
    this.#contract = contract;
  }

  value(name: string): AbiValue | null {
    return this.list.find((argument) => argument.name === name)?.value ?? null;
  }

  integer(name: string): bigint | null {
    const value = this.value(name);
    return value?.kind === 'integer' ? value.value : null;
  }

  isTrue(name: string): boolean {
    const value = this.value(name);
    return value?.kind === 'bool' && value.value;
  }

  bytes(name: string): Uint8Array | null {
    const value = this.value(name);
    return value !== null && 'bytes' in value ? value.bytes : null;
  }

  address(name: string): Hex | null {
    const value = this.value(name);
    return value?.kind === 'address' ? addressText(value.bytes) : null;
  }

  items(name: string): readonly AbiValue[] {
    const value = this.value(name);
    return value?.kind === 'list' ? value.items : [];
  }

  /** Fills the arguments into a sentence: `{name}`, `{name.first}`, `{name.last}`, `{contract}`. */
  fill(words: string): string {
    const filled = words.replace(/\{(\w+)(?:\.(first|last))?\}/g, (_, name: string, end?: string) => {
      if (name === 'contract') return shortAddress(this.#contract);
      const value = this.value(name);
      if (value === null) return '?';
      return end === undefined ? abiWords(value) : endOf(value, end === 'first');
    });
    return filled.replace(/(?<![\d,])1 (more |fewer )?base units/g, '1 $1base unit');
  }
}

/** The first or last token of a path: a list of addresses, or packed with fees between them. */
function endOf(value: AbiValue, isFirst: boolean): string {
  if (value.kind === 'list') {
    const item = isFirst ? value.items[0] : value.items.at(-1);
    return item === undefined ? 'nothing' : abiWords(item);
  }
  if (value.kind !== 'bytes') return abiWords(value);
  const { bytes } = value;
  if (bytes.length < ADDRESS_LENGTH || (bytes.length - ADDRESS_LENGTH) % HOP_LENGTH !== 0) {
    return `a path that cannot be read (${bytesToHex(bytes.subarray(0, 4))}…)`;
  }
  const address = isFirst ? bytes.subarray(0, ADDRESS_LENGTH) : bytes.subarray(-ADDRESS_LENGTH);
  return shortAddress(addressText(address));
}

interface CarriedCall {
  readonly to: Hex;
  readonly data: Uint8Array;
}

function carriedCalls(name: string, call: CallArguments, contract: Hex): readonly CarriedCall[] {
  if (name === 'multicall') {
    return call.items('data').map((item) => ({ to: contract, data: 'bytes' in item ? item.bytes : NOTHING }));
  }
  if (name === 'execTransaction') return [carriedCall(call, 'to', 'data', contract)];
  if (!/^(try)?[aA]ggregate/.test(name)) return [];
  return call.items('calls').map((item) => {
    const each = new CallArguments(item.kind === 'tuple' ? item.fields : [], contract);
    return carriedCall(each, 'target', 'callData', contract);
  });
}

const NOTHING = new Uint8Array();

const carriedCall = (call: CallArguments, to: string, data: string, contract: Hex): CarriedCall => ({
  to: call.address(to) ?? contract,
  data: call.bytes(data) ?? NOTHING,
});

/** Steps of Uniswap's Universal Router, by their number in `commands`. */
const STEPS: Readonly<Record<number, string>> = {
  0: 'V3 swap',
  1: 'V3 swap to an exact amount',
  2: 'Permit2 transfer',
  3: 'Permit2 approvals',
  4: 'sweep',
  5: 'transfer',
  6: 'pay a share',
  8: 'V2 swap',
  9: 'V2 swap to an exact amount',
  10: 'Permit2 approval',
  11: 'wrap',
  12: 'unwrap',
  13: 'Permit2 transfers',
  14: 'check a balance',
  16: 'V4 swap',
};
/** The high bit says that a step may fail. */
const STEP_MASK = 0x7f;
const MAX_STEPS_SHOWN = 8;

function routerSteps(commands: Uint8Array): string {
  const steps = [...commands.subarray(0, MAX_STEPS_SHOWN)].map((command) => {
    const step = command & STEP_MASK;
    return STEPS[step] ?? `step 0x${step.toString(16).padStart(2, '0')}`;
  });
  return withMore(steps, commands.length).join(', ') || 'nothing';
}

/** More than the supply of any token, though not the maximum. */
const PRACTICALLY_UNLIMITED = 2n ** 128n;

const APPROVALS: Readonly<
  Record<string, { readonly amount: string; readonly what: string; readonly ofNft?: string }>
> = {
  // ERC-721 has the same function, where 0 is the number of an ordinary NFT.
  'approve(address,uint256)': {
    amount: 'amount',
    what: 'token {contract}',
    ofNft: ' (of an NFT: lets it move number {amount})',
  },
  'approve(address,address,uint160,uint48)': { amount: 'amount', what: 'token {token}' },
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': {
    amount: 'value',
    what: 'token {contract} of {owner}',
  },
};
const SWITCHES: Readonly<
  Record<string, { readonly isOn: string; readonly on: string; readonly off: string }>
> = {
  'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)': {
    isOn: 'allowed',
    on: 'lets {spender} spend an unlimited amount of token {contract} of {holder}',
    off: 'takes back (revokes) what {spender} may spend of token {contract} of {holder}',
  },
  'setApprovalForAll(address,bool)': {
    isOn: 'approved',
    on: 'lets {operator} move every NFT of {contract}',
    off: 'takes back (revokes) that {operator} may move NFTs of {contract}',
  },
};

/** The important part of an approval: unlimited or revoked; `null` when it is neither. */
function approvalWords(signature: string, call: CallArguments): string | null {
  const onOff = SWITCHES[signature];
  if (onOff !== undefined) return call.fill(call.isTrue(onOff.isOn) ? onOff.on : onOff.off);
  const approval = APPROVALS[signature];
  if (approval === undefined) return null;
  const amount = call.value(approval.amount);
  if (amount?.kind !== 'integer') return null;
  const { what, ofNft = '' } = approval;
  if (amount.value === 0n) {
    return call.fill(`takes back (revokes) what {spender} may spend of ${what}${ofNft}`);
  }
  if (isUnlimited(amount)) return call.fill(`lets {spender} spend an unlimited amount of ${what}`);
  if (amount.value >= PRACTICALLY_UNLIMITED) {
    return call.fill(`lets {spender} spend a practically unlimited amount of ${what}${ofNft}`);
  }
  return call.fill(`lets {spender} spend {${approval.amount}} base units of ${what}${ofNft}`);
}

type CallDeadline =
  /** Ms since epoch. */
  | { readonly kind: 'by'; readonly at: number }
  /** After the year 9999: milliseconds in place of seconds. */
  | { readonly kind: 'far' };

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799n;
/** Larger values are no time in milliseconds either: people mean “never”. */
const NO_TIME = 10_000_000_000_000n;
/** These fail when one of their nested calls fails. */
const FAILS_WITH_ITS_CALLS: ReadonlySet<string> = new Set(['multicall', 'aggregate', 'execTransaction']);

/** The deadline of a well-known call, or the first among its nested calls, as the caller states it; `null`: none. */
export function callDeadline(data: string, to: Hex | null): CallDeadline | null {
  const bytes = bytesOf(data);
  return bytes === null || to === null ? null : deadlineWithin(bytes, to, true);
}

function deadlineWithin(data: Uint8Array, to: Hex, isOutermost: boolean): CallDeadline | null {
  const known = functionOf(data);
  const read = known && readArguments(data.subarray(SELECTOR_LENGTH), known.inputs);
  if (!known || !read) return null;
  const call = new CallArguments(read.args, to);
  const isCarrier = isOutermost && FAILS_WITH_ITS_CALLS.has(known.name);
  const carried = isCarrier ? carriedCalls(known.name, call, to).slice(0, MAX_CARRIED) : [];
  return earliest([deadlineOf(call), ...carried.map((one) => deadlineWithin(one.data, one.to, false))]);
}

function earliest(deadlines: readonly (CallDeadline | null)[]): CallDeadline | null {
  return deadlines.reduce((first, each) => {
    if (each === null || first === null) return first ?? each;
    if (first.kind === 'far') return each;
    return each.kind === 'by' && each.at < first.at ? each : first;
  }, null);
}

/** An approval may be for one block; 0 in an approval of DAI means no deadline. */
function deadlineOf(call: CallArguments): CallDeadline | null {
  const isRevoked = call.value('expiration') !== null && call.integer('amount') === 0n;
  const approvedUntil = call.integer('expiration') ?? call.integer('expiry');
  const seconds = call.integer('deadline') ?? (approvedUntil === 0n || isRevoked ? null : approvedUntil);
  if (seconds === null || seconds >= NO_TIME) return null;
  return seconds > LAST_SECOND ? { kind: 'far' } : { kind: 'by', at: Number(seconds) * 1_000 };
}

function deadlineWords(deadline: CallDeadline | null): string {
  if (deadline === null) return '';
  return deadline.kind === 'by'
    ? ` by ${utcMinute(deadline.at)}`
    : ' (its deadline is in milliseconds: none)';
}

const MAX_DELEGATIONS_NAMED = 2;
const NO_CODE = `0x${'0'.repeat(40)}`;

/** Whether an authorization ends a delegation (EIP-7702). */
export const isTakenBack = ({ address }: Pick<Authorization, 'address'>) => address === NO_CODE;

/**
 * `delegates the account 0xd8dA6B…6045 to the code at 0x709979…79C8 (on this chain)` (EIP-7702), the first two of many;
 * `null` when there are none.
 */
export function delegationWords({
  authorizations,
  chainId,
}: Pick<SignedTransaction, 'authorizations' | 'chainId'>): string | null {
  if (authorizations.length === 0) return null;
  const named = authorizations.slice(0, MAX_DELEGATIONS_NAMED).map((each) => oneDelegation(each, chainId));
  if (authorizations.length === 1) return named.join('');
  const all = withMore(named, authorizations.length).join('; ');
  return `changes who controls accounts ${authorizations.length} times: ${all}`;
}

function oneDelegation(authorization: Authorization, chainHere: number | null): string {
  const { authority, address, chainId } = authorization;
  // A chain skips an authorization without a valid signature.
  const account = authority === null ? 'an unknown account' : `the account ${shortAddress(authority)}`;
  const where = chainWords(chainId, chainHere);
  return isTakenBack(authorization)
    ? `revokes the delegation of ${account} (${where})`
    : `delegates ${account} to the code at ${shortAddress(address)} (${where})`;
}

function chainWords(chainId: Authorization['chainId'], chainHere: number | null): string {
  if (chainId === 0) return 'on every chain';
  if (chainId === chainHere) return 'on this chain';
  return `on chain ${chainId}, not on this one`;
}
