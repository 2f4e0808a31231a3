import * as z from 'zod';
import { checkBody } from './field-problems.ts';
import * as wire from './primitives.ts';
import { maybe, object, whole } from './primitives.ts';

/** Below the limit of bodies, and twice the code that a contract may be made from. */
const DATA_LONGEST = 2 + 2 * 8_192;
const MOST_VALUE = 2n ** 256n;

export const CallToEstimate = object('CallToEstimate', 'A call whose gas is to be estimated', {
  from: wire.Address.optional().describe('Who sends it; some calls fail without'),
  to: wire.Address.nullable().optional().describe('null or left out: it creates a contract'),
  data: z
    .string()
    .max(DATA_LONGEST)
    .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be hex: 0x and pairs of digits, at most 8 KiB')
    .default('0x'),
  value: wire.Amount.refine(
    (text) => !/^\d+$/.test(text) || BigInt(text) < MOST_VALUE,
    'must be below 2^256 wei',
  ).default('0'),
});
export type CallToEstimate = z.input<typeof CallToEstimate>;

/** The body of `POST /gas/estimate`. */
export const checkCall = (body: unknown) =>
  checkBody(CallToEstimate, body, ({ to = null, data = '0x' }) =>
    to === null && data === '0x'
      ? [
          {
            path: 'to',
            message: 'is missing: whom it calls, or the code in data where it creates a contract',
          },
        ]
      : [],
  );

/** `POST /gas/estimate`: what a call takes, by `eth_estimateGas` of the node. */
export const GasEstimate = object('GasEstimate', 'What a call takes', {
  chainId: wire.ChainId,
  gas: whole(0).describe('By eth_estimateGas, in the state of the newest block'),
  dataFeeWei: maybe(wire.Amount, 'What it pays beside gas for L1; 0: nothing; null: not known'),
  dataFeeReason: maybe(z.string(), 'Why it is not known; null where it is'),
});
export type GasEstimate = z.infer<typeof GasEstimate>;
