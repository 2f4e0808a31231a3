import { hexToBytes } from '@noble/hashes/utils';
import type { Hex } from '../block.ts';
import { utcMinute } from '../utc-minute.ts';
import { readAbi } from './abi-value.ts';
import { CallArguments } from './call-arguments.ts';
import { carriedCalls } from './carried-calls.ts';
import { knownFunctions } from './known-functions.ts';

/** Until when a call has to be mined. */
export type CallDeadline =
  /** Ms since epoch. */
  | { readonly kind: 'by'; readonly at: number }
  /** After the year 9999: somebody wrote milliseconds where seconds belong. */
  | { readonly kind: 'far' };

const SELECTOR_DIGITS = 10;
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799n;
/** What is larger is no time in milliseconds either: people mean “never” by it. */
const NO_TIME = 10_000_000_000_000n;
const CARRIED_READ = 16;
/** These fail where one of the calls that they carry does. */
const FAILS_WITH_ITS_CALLS: ReadonlySet<string> = new Set(['multicall', 'aggregate', 'execTransaction']);

/**
 * The deadline of a well-known call, or the first one of those that it carries; `null`: there is none, or nobody can tell.
 * Anybody can give a function any name, so this is what the caller says.
 */
export function callDeadline(data: string, to: Hex | null): CallDeadline | null {
  if (to === null || !/^0x[0-9a-f]*$/i.test(data) || data.length % 2 === 1) return null;
  if (data.length < SELECTOR_DIGITS) return null;
  return deadlineWithin(hexToBytes(data.slice(2)), to, true);
}

function deadlineWithin(data: Uint8Array, to: Hex, isOutermost: boolean): CallDeadline | null {
  const selector = [...data.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const known = knownFunctions().get(`0x${selector}`);
  const read = known === undefined ? null : readAbi(data.subarray(4), known.inputs);
  if (known === undefined || read === null) return null;
  const call = new CallArguments(read.args, to);
  const isCarrier = isOutermost && FAILS_WITH_ITS_CALLS.has(known.name);
  const carried = isCarrier ? carriedCalls(known.name, call, to).slice(0, CARRIED_READ) : [];
  return first([deadlineOf(call), ...carried.map((one) => deadlineWithin(one.data, one.to, false))]);
}

function first(deadlines: readonly (CallDeadline | null)[]): CallDeadline | null {
  return deadlines.reduce((earliest, each) => {
    if (each === null || earliest === null) return earliest ?? each;
    if (earliest.kind === 'far') return each;
    return each.kind === 'by' && each.at < earliest.at ? each : earliest;
  }, null);
}

/** What a call says itself of its end, in seconds: an approval may be for one block or, of DAI, without an end by 0. */
export function deadlineOf(call: CallArguments): CallDeadline | null {
  const isRevoked = call.value('expiration') !== null && call.integer('amount') === 0n;
  const approvedUntil = call.integer('expiration') ?? call.integer('expiry');
  const seconds = call.integer('deadline') ?? (approvedUntil === 0n || isRevoked ? null : approvedUntil);
  if (seconds === null || seconds >= NO_TIME) return null;
  return seconds > LAST_SECOND ? { kind: 'far' } : { kind: 'by', at: Number(seconds) * 1_000 };
}

/** What is said of it after what the call does. */
export function deadlineWords(deadline: CallDeadline | null): string {
  if (deadline === null) return '';
  return deadline.kind === 'by'
    ? ` by ${utcMinute(deadline.at)}`
    : ' (its deadline is in milliseconds: none)';
}
