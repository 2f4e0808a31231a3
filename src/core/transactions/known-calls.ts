import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import type { Hex } from '../block.ts';
import { abiText, shortAddress } from './abi-text.ts';
import { readAbi } from './abi-value.ts';
import { approvalWords } from './approval-words.ts';
import { CallArguments } from './call-arguments.ts';
import { deadlineOf, deadlineWords } from './call-deadline.ts';
import { type CarriedCall, carriedCalls, routerSteps } from './carried-calls.ts';
import { type KnownFunction, knownFunctions } from './known-functions.ts';

export interface CallArgument {
  readonly name: string;
  readonly type: string;
  /** Addresses and numbers whole; long bytes and lists by their beginning. Fit for a terminal. */
  readonly value: string;
}

/** What a transaction does, as far as its data tells. */
export interface DescribedCall {
  /** Of the function, or `plain transfer`, `contract creation`; `null`: it is not known here. */
  readonly name: string | null;
  /** `transfer(address,uint256)` */
  readonly signature: string | null;
  /** The first four bytes; `null` where there are fewer. */
  readonly selector: Hex | null;
  /** None where they cannot be read; `words` says so. */
  readonly args: readonly CallArgument[];
  /** One line that a person understands; amounts in base units of their token, for its decimals are not known. */
  readonly words: string;
  /** Calls that this one carries, one level deep and the first of many. */
  readonly calls: readonly DescribedCall[];
}

const SELECTOR_DIGITS = 10;
const CARRIED_DESCRIBED = 16;
const CARRIED_IN_WORDS = 3;

/**
 * Says what a transaction does by the data that it brings: well-known functions with their arguments, calls within calls.
 * Anybody can give a function any name, so this is what the caller says, not what the contract does.
 *
 * @param to `null`: it makes a contract.
 * @returns `null` where `data` is no hex.
 */
export function describeCall(data: string, to: Hex | null): DescribedCall | null {
  if (!data.startsWith('0x') || data.length % 2 === 1 || /[^0-9a-f]/i.test(data.slice(2))) return null;
  return describe(`0x${data.slice(2)}`, to, true);
}

function describe(data: Hex, to: Hex | null, isOutermost: boolean): DescribedCall {
  const length = data.length / 2 - 1;
  if (to === null)
    return unnamed('contract creation', null, `makes a contract from ${bytesWords(length)} of code`);
  const where = shortAddress(to);
  if (length === 0) return unnamed('plain transfer', null, `sends its value to ${where} and calls nothing`);
  if (data.length < SELECTOR_DIGITS) {
    return unnamed(null, null, `sends ${bytesWords(length)} to ${where}, too few for a call`);
  }
  const selector: Hex = `0x${data.slice(2, SELECTOR_DIGITS).toLowerCase()}`;
  const known = knownFunctions().get(selector);
  if (known === undefined) {
    return unnamed(null, selector, `calls ${selector} of ${where}, a function that is not known here`);
  }
  return describeKnown(known, hexToBytes(data.slice(SELECTOR_DIGITS)), to, isOutermost);
}

function describeKnown(
  known: KnownFunction,
  bytes: Uint8Array,
  to: Hex,
  isOutermost: boolean,
): DescribedCall {
  const { name, signature, selector } = known;
  const read = readAbi(bytes, known.inputs);
  if (read === null) {
    const words = `calls ${name} of ${shortAddress(to)} with arguments that cannot be read`;
    return { name, signature, selector, args: [], words, calls: [] };
  }
  const call = new CallArguments(read.args, to);
  const args = call.list.map(({ name, type, value }) => ({ name, type, value: abiText(value) }));
  const carried = isOutermost ? carriedCalls(name, call, to) : [];
  // Many may be carried that are all the same bytes: only those that are shown are made into text.
  const calls = carried
    .slice(0, CARRIED_DESCRIBED)
    .map((one) => describe(`0x${bytesToHex(one.data)}`, one.to, false));
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
  const first = calls.slice(0, CARRIED_IN_WORDS).map(({ words }) => words);
  const more = carried.length - first.length;
  const all = [...first, ...(more > 0 ? [`${more} more`] : [])].join('; ');
  if (known.name === 'execTransaction') return `${own}${delegation(call)}: ${all}`;
  return carried.length === 0
    ? own
    : `makes ${carried.length} ${carried.length === 1 ? 'call' : 'calls'}${by}: ${all}`;
}

/** What no function asks for: some add to a call who has sent it. */
const restWords = (rest: number) =>
  rest === 0 ? '' : `; ${bytesWords(rest)} after that ${rest === 1 ? 'is' : 'are'} not a part of it`;

const bytesWords = (count: number) => `${count} ${count === 1 ? 'byte' : 'bytes'}`;

/** Code that runs as the Safe itself can do anything to it. */
const delegation = (call: CallArguments) =>
  call.integer('operation') === 1n ? ' with all of its own rights (a delegate call)' : '';

const unnamed = (name: string | null, selector: Hex | null, words: string): DescribedCall => ({
  name,
  signature: null,
  selector,
  args: [],
  words,
  calls: [],
});
