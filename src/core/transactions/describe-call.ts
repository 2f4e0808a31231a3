import type { AbiParameter } from 'viem';
import { decodeAbiParameters, encodeAbiParameters, formatAbiParams, getAddress } from 'viem/utils';
import { type Hex, isHex } from '../block.ts';
import { cleanText, shortHex } from '../text.ts';
import { utcMinute } from '../units.ts';
import { knownFunctions } from './known-functions.ts';
import type { Authorization, SignedTransaction } from './signed-transaction.ts';

export interface DescribedCall {
  /** Name of the function, or `plain transfer`, `contract creation`; `null` when unknown. */
  readonly name: string | null;
  readonly signature: string | null;
  /** The first four bytes; `null` when there are fewer. */
  readonly selector: Hex | null;
  /** Safe for a terminal; long bytes and lists by their beginning. Empty when they cannot be read. */
  readonly args: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  /** One line for people; amounts in base units of their token, because its decimals are unknown. */
  readonly words: string;
  /** Nested calls, one level deep, limited to the first ones. */
  readonly calls: readonly DescribedCall[];
}

/** Hex digits with `0x`: a selector of four bytes. */
const SELECTOR_DIGITS = 10;
const MAX_CARRIED = 16;
const MAX_CARRIED_IN_WORDS = 3;

/** What the caller states, not what the contract does. `to` of `null` creates a contract; `null` when `data` is no hex. */
export function describeCall(data: string, to: Hex | null): DescribedCall | null {
  return isHex(data) ? describe(data, to, true) : null;
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

const sizeOf = (data: Hex) => data.length / 2 - 1;
const selectorOf = (data: Hex) => data.slice(0, SELECTOR_DIGITS).toLowerCase() as Hex;

function describe(data: Hex, to: Hex | null, isOutermost: boolean): DescribedCall {
  const size = sizeOf(data);
  if (to === null) {
    return unnamed('contract creation', null, `makes a contract from ${bytesWords(size)} of code`);
  }
  const where = shortAddress(to);
  if (size === 0) return unnamed('plain transfer', null, `sends its value to ${where} and calls nothing`);
  if (data.length < SELECTOR_DIGITS) {
    return unnamed(null, null, `sends ${bytesWords(size)} to ${where}, too few for a call`);
  }
  const selector = selectorOf(data);
  const known = knownFunctions().get(selector);
  if (known === undefined) {
    return unnamed(null, selector, `calls ${selector} of ${where}, a function that is not known here`);
  }
  const { name, signature } = known;
  const call = readCall(data, to);
  if (call === null) {
    const words = `calls ${name} of ${where} with arguments that cannot be read`;
    return { ...unnamed(name, selector, words), signature };
  }
  const args = call.args.map((arg) => ({
    name: arg.name ?? '',
    type: formatAbiParams([arg]),
    value: textOf(arg),
  }));
  const carried = isOutermost ? carriedCalls(call) : [];
  const calls = carried.slice(0, MAX_CARRIED).map((one) => describe(one.data, one.to, false));
  const words = `${wordsOf(call, carried.length, calls)}${restWords(call.rest)}`;
  return { name, signature, selector, args, words, calls };
}

function wordsOf(call: ReadCall, carried: number, calls: readonly DescribedCall[]): string {
  const { name, words } = call.known;
  const deadline = deadlineOf(call);
  const by = deadline === null ? '' : ` by ${utcMinute(deadline)}`;
  if (name === 'execute') return `${words}${by}: ${routerSteps(call.bytes('commands'))}`;
  const own = approvalWords(call) ?? call.fill(words);
  const all = withMore(
    calls.slice(0, MAX_CARRIED_IN_WORDS).map((each) => each.words),
    carried,
  ).join('; ');
  if (name === 'execTransaction') {
    // Code that runs as the Safe itself can do anything to it.
    const isDelegate = call.integer('operation') === 1n;
    return `${own}${isDelegate ? ' with all of its own rights (a delegate call)' : ''}: ${all}`;
  }
  return carried === 0 ? `${own}${by}` : `makes ${carried} ${carried === 1 ? 'call' : 'calls'}${by}: ${all}`;
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

type Argument = AbiParameter & { readonly value: unknown };

/** Many items may share the same bytes, which viem copies for each: more data is not read. */
const MAX_READ = 32_768;

type ReadCall = NonNullable<ReturnType<typeof readCall>>;

/** Fields of a tuple as if they were arguments; `null` when it is unknown, or not encoded in the one way of wallets. */
function readCall(data: Hex, to: Hex) {
  const known = knownFunctions().get(selectorOf(data));
  if (known === undefined || sizeOf(data) > MAX_READ) return null;
  const given: Hex = `0x${data.slice(SELECTOR_DIGITS).toLowerCase()}`;
  let values: readonly unknown[];
  let encoded: Hex;
  try {
    values = known.inputs.length === 0 ? [] : decodeAbiParameters(known.inputs, given);
    encoded = encodeAbiParameters(known.inputs, values);
  } catch {
    return null;
  }
  // Padding of the last argument may be left out.
  if (!given.startsWith(encoded) && !encoded.startsWith(given)) return null;
  const args = argumentsOf(known.inputs, values).flatMap((arg) =>
    arg.type === 'tuple' ? fieldsOf(arg) : [arg],
  );
  const find = (name: string) => args.find((arg) => arg.name === name) ?? null;
  return {
    known,
    to,
    args,
    rest: Math.max(sizeOf(given) - sizeOf(encoded), 0),
    integer(name: string): bigint | null {
      const value = find(name)?.value;
      return typeof value === 'bigint' || typeof value === 'number' ? BigInt(value) : null;
    },
    bytes: (name: string) => (find(name)?.value ?? '0x') as Hex,
    items: (name: string) => itemsOf(find(name)),
    argument: find,
    /** Fills the arguments into a sentence: `{name}`, `{name.first}`, `{name.last}`, `{contract}`. */
    fill(words: string): string {
      const filled = words.replace(/\{(\w+)(?:\.(first|last))?\}/g, (_, name: string, end?: string) => {
        if (name === 'contract') return shortAddress(to);
        const argument = find(name);
        if (argument === null) return '?';
        return end === undefined ? wordOf(argument) : endOf(argument, end === 'first');
      });
      return filled.replace(/(?<![\d,])1 (more |fewer )?base units/g, '1 $1base unit');
    },
  };
}

const argumentsOf = (inputs: readonly AbiParameter[], values: readonly unknown[]): Argument[] =>
  inputs.map((input, index) => ({ ...input, value: values[index] }));

function fieldsOf(tuple: Argument): Argument[] {
  const components = 'components' in tuple ? tuple.components : [];
  return components.map((field) => ({
    ...field,
    value: (tuple.value as Readonly<Record<string, unknown>>)[field.name ?? ''],
  }));
}

const itemsOf = (list: Argument | null): Argument[] =>
  list === null
    ? []
    : (list.value as readonly unknown[]).map((value) => ({ ...list, type: list.type.slice(0, -2), value }));

const MAX_BYTES_SHOWN = 32;
const MAX_TEXT_SHOWN = 100;
const MAX_ITEMS_SHOWN = 16;

/** An argument as text: addresses and numbers whole; the beginning and length of long bytes and lists. */
function textOf(argument: Argument): string {
  const { type, value } = argument;
  if (type.endsWith(']')) {
    const items = itemsOf(argument);
    return `[${withMore(items.slice(0, MAX_ITEMS_SHOWN).map(textOf), items.length).join(', ')}]`;
  }
  if (type === 'tuple') {
    return `(${fieldsOf(argument)
      .map((field) => `${field.name} ${textOf(field)}`)
      .join(', ')})`;
  }
  if (type === 'string') return `“${cleanText(String(value), MAX_TEXT_SHOWN)}”`;
  if (isUnlimited(argument)) return `unlimited (2^${bitsOf(type)} − 1)`;
  const text = String(value);
  const size = type.startsWith('bytes') ? sizeOf(text as Hex) : 0;
  return size > MAX_BYTES_SHOWN ? `${text.slice(0, SELECTOR_DIGITS)}… (${size} bytes)` : text;
}

/** The same for a sentence: addresses shortened, digits grouped. */
function wordOf(argument: Argument): string {
  if (argument.type === 'address') return shortAddress(String(argument.value));
  if (!argument.type.startsWith('uint')) return textOf(argument);
  return isUnlimited(argument) ? 'unlimited' : String(argument.value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** With fewer bits the maximum is an ordinary value, such as a fee or a flag. */
const UNLIMITED_BITS = 96;
const bitsOf = (type: string) => Number(/\d+$/.exec(type)?.[0] ?? 0);

/** Whether it is the largest number of its type, by which people mean “any amount”. */
const isUnlimited = ({ type, value }: Argument) =>
  bitsOf(type) >= UNLIMITED_BITS && value === 2n ** BigInt(bitsOf(type)) - 1n;

/** Enough to recognise an address, not to verify it. */
const shortAddress = (address: string) => shortHex(address, '…');

const ADDRESS_DIGITS = 40;
/** An address and a fee (uint24): one step of a Uniswap V3 path. */
const HOP_DIGITS = 46;

/** The first or last token of a path: a list of addresses, or packed with fees between them. */
function endOf(path: Argument, isFirst: boolean): string {
  if (path.type !== 'bytes') {
    const item = itemsOf(path).at(isFirst ? 0 : -1);
    return item === undefined ? 'nothing' : wordOf(item);
  }
  const digits = String(path.value).slice(2);
  if (digits.length < ADDRESS_DIGITS || (digits.length - ADDRESS_DIGITS) % HOP_DIGITS !== 0) {
    return `a path that cannot be read (0x${digits.slice(0, 8)}…)`;
  }
  const end = isFirst ? digits.slice(0, ADDRESS_DIGITS) : digits.slice(-ADDRESS_DIGITS);
  return shortAddress(getAddress(`0x${end}`));
}

function carriedCalls({ known: { name }, to, ...call }: ReadCall): readonly { to: Hex; data: Hex }[] {
  if (name === 'multicall') return call.items('data').map(({ value }) => ({ to, data: value as Hex }));
  if (name === 'execTransaction') return [{ to: call.bytes('to'), data: call.bytes('data') }];
  if (!/^(try)?[aA]ggregate/.test(name)) return [];
  return call.items('calls').map(({ value }) => {
    const { target, callData } = value as { readonly target: Hex; readonly callData: Hex };
    return { to: target, data: callData };
  });
}

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

function routerSteps(commands: Hex): string {
  const bytes = commands.slice(2).match(/../g) ?? [];
  const steps = bytes.slice(0, MAX_STEPS_SHOWN).map((digits) => {
    const step = Number.parseInt(digits, 16) & STEP_MASK;
    return STEPS[step] ?? `step 0x${step.toString(16).padStart(2, '0')}`;
  });
  return withMore(steps, bytes.length).join(', ') || 'nothing';
}

/** More than the supply of any token, though not the maximum. */
const PRACTICALLY_UNLIMITED = 2n ** 128n;

/** The important part of an approval: unlimited or revoked; `null` when it is neither. */
function approvalWords({ known: { words }, ...call }: ReadCall): string | null {
  const [, flag, yes, no] = /^\{(\w+)\} \? (.*) : (.*)$/.exec(words) ?? [];
  if (flag !== undefined) return call.fill((call.argument(flag)?.value === true ? yes : no) ?? '');
  const [, name = '', what = '', ofNft = ''] =
    /^lets \{spender\} spend \{(\w+)\} base units of (.*?)( \(of an NFT.*)?$/.exec(words) ?? [];
  const amount = call.argument(name);
  if (amount === null) return null;
  const value = BigInt(amount.value as bigint);
  if (value === 0n) return call.fill(`takes back (revokes) what {spender} may spend of ${what}${ofNft}`);
  if (isUnlimited(amount)) return call.fill(`lets {spender} spend an unlimited amount of ${what}`);
  if (value < PRACTICALLY_UNLIMITED) return null;
  return call.fill(`lets {spender} spend a practically unlimited amount of ${what}${ofNft}`);
}

/** The last second of the year 9999. Larger values are no time, or in milliseconds: people mean “never”. */
const LAST_SECOND = 253_402_300_799n;
/** These fail when one of their nested calls fails. */
const FAILS_WITH_ITS_CALLS: ReadonlySet<string> = new Set(['multicall', 'aggregate', 'execTransaction']);

/** Ms since epoch: of a well-known call, or the first among its nested calls, as the caller states it; `null`: none. */
export function callDeadline(data: string, to: Hex | null, isOutermost = true): number | null {
  const call = isHex(data) && to !== null ? readCall(data, to) : null;
  if (call === null) return null;
  const isCarrier = isOutermost && FAILS_WITH_ITS_CALLS.has(call.known.name);
  const carried = isCarrier ? carriedCalls(call).slice(0, MAX_CARRIED) : [];
  const all = [deadlineOf(call), ...carried.map((one) => callDeadline(one.data, one.to, false))];
  const first = Math.min(...all.map((at) => at ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(first) ? first : null;
}

/** An approval may be for one block; 0 in an approval of DAI means no deadline. */
function deadlineOf(call: ReadCall): number | null {
  const isRevoked = call.argument('expiration') !== null && call.integer('amount') === 0n;
  const approvedUntil = call.integer('expiration') ?? call.integer('expiry');
  const seconds = call.integer('deadline') ?? (approvedUntil === 0n || isRevoked ? null : approvedUntil);
  return seconds === null || seconds > LAST_SECOND ? null : Number(seconds) * 1_000;
}

const MAX_DELEGATIONS_NAMED = 2;
const NO_CODE = `0x${'0'.repeat(40)}`;

/** Whether an authorization ends a delegation (EIP-7702). */
export const isTakenBack = ({ address }: Pick<Authorization, 'address'>) => address === NO_CODE;

/**
 * The first authorization of the sender itself with a nonce that the chain skips: the transaction has used its own nonce
 * before its authorizations are read, and each that counts uses another (EIP-7702). `null`: none, as far as the bytes tell.
 */
export function authorizationWithoutEffect(
  { authorizations, from, nonce }: Pick<SignedTransaction, 'authorizations' | 'from' | 'nonce'>,
  chainId: number,
): { readonly nonce: number; readonly expected: number } | null {
  let expected = nonce + 1;
  for (const each of authorizations) {
    const isOfSender = each.authority?.toLowerCase() === from.toLowerCase();
    if (!isOfSender || (each.chainId !== 0 && each.chainId !== chainId)) continue;
    if (each.nonce !== expected) return { nonce: each.nonce, expected };
    expected += 1;
  }
  return null;
}

/** `delegates the account 0xd8dA…6045 to the code at 0x7099…79C8 (on this chain)` (EIP-7702); `null` for none. */
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
  const where =
    chainId === 0
      ? 'on every chain'
      : chainId === chainHere
        ? 'on this chain'
        : `on chain ${chainId}, not on this one`;
  return isTakenBack(authorization)
    ? `revokes the delegation of ${account} (${where})`
    : `delegates ${account} to the code at ${shortAddress(address)} (${where})`;
}
