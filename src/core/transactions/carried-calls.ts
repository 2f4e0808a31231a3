import type { Hex } from '../block.ts';
import type { AbiArgument } from './abi-value.ts';
import { CallArguments } from './call-arguments.ts';

export interface CarriedCall {
  readonly to: Hex;
  readonly data: Uint8Array;
}

/** Calls that a call carries, and where they go. */
export function carriedCalls(name: string, call: CallArguments, contract: Hex): readonly CarriedCall[] {
  if (name === 'multicall') {
    return call.items('data').map((item) => ({ to: contract, data: 'bytes' in item ? item.bytes : NOTHING }));
  }
  if (name === 'execTransaction') return [callOf(call, 'to', 'data', contract)];
  if (!/^(try)?[aA]ggregate/.test(name)) return [];
  return call
    .items('calls')
    .map((item) =>
      callOf(argumentsOf(item.kind === 'tuple' ? item.fields : []), 'target', 'callData', contract),
    );
}

const argumentsOf = (fields: readonly AbiArgument[]) => new CallArguments(fields, '0x');

function callOf(call: CallArguments, to: string, data: string, contract: Hex): CarriedCall {
  return { to: call.address(to) ?? contract, data: call.bytes(data) ?? NOTHING };
}

const NOTHING = new Uint8Array();

/** Steps of Uniswap’s Universal Router, by the number that stands for them in `commands`. */
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
/** The bit above says that a step may fail. */
const STEP_MASK = 0x7f;
const STEPS_SHOWN = 8;

/** What a Universal Router is told to do, step by step. */
export function routerSteps(commands: Uint8Array): string {
  const steps = [...commands.subarray(0, STEPS_SHOWN)].map((command) => {
    const step = command & STEP_MASK;
    return STEPS[step] ?? `step 0x${step.toString(16).padStart(2, '0')}`;
  });
  const more = commands.length - steps.length;
  return [...steps, ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'nothing';
}
