import * as z from 'zod';
import { ErrorBody } from './api-error.ts';
import { listOf, maybe, object, text, whole } from './primitives.ts';

/**
 * Responses in the shape of other gas-price services, for programs that change nothing but the URL. Names and units are theirs; a figure
 * of theirs that is not measured here is `null` or left out.
 */

const Gwei = z.number().min(0).nullable().describe('Per gas, in gwei; null where v1 says null');
const GweiText = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .nullable()
  .describe('Per gas, in gwei, every decimal; null where v1 says null');

/** Parameters of those services that this one does not need are passed over, as unknown ones are there. */
export const AnyParameters = z.looseObject({});

export const BlocknativePrices = object('BlocknativePrices', "Blocknative's `gasprices/blockprices`", {
  system: maybe(z.literal('ethereum'), 'null on other chains than Ethereum'),
  network: maybe(z.literal('main'), 'null on other chains than Ethereum'),
  unit: z.literal('gwei'),
  currentBlockNumber: whole(0),
  blockPrices: listOf('Of the next block alone', {
    blockNumber: whole(1),
    baseFeePerGas: Gwei,
    blobBaseFeePerGas: Gwei.describe('null: no blobs'),
    estimatedPrices: listOf(
      'For each level that was asked about the cheapest of the lanes fast (within 2 blocks) and average (within 3) that was included in time at least so often; a level that neither has kept is left out',
      {
        confidence: whole(1, 99),
        price: Gwei,
        maxPriorityFeePerGas: Gwei,
        maxFeePerGas: Gwei,
      },
    ),
  }),
});
export type BlocknativePrices = z.infer<typeof BlocknativePrices>;

/** Of Blocknative: 99, 95, 90, 80, 70 where none is named, at most five, also as a list with commas. */
const ConfidenceLevels = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .refine(
    (levels) => levels.length <= 5 && levels.every((level) => /^[1-9]\d?$/.test(level)),
    'must be at most five whole numbers from 1 to 99',
  )
  .transform((levels) => levels.map(Number));

const ChainIdText = z.string().regex(/^\d{1,16}$/, 'must be a chain id');

export const BlocknativeParameters = AnyParameters.extend({
  chainid: ChainIdText.optional().describe('Default: 1, as there; the chain of this service, else 400'),
  confidenceLevels: ConfidenceLevels.optional().meta({
    description: 'At most five, repeated or with commas; default 99,95,90,80,70',
  }),
});

const MetamaskFees = object('MetamaskFees', 'What to sign for one pace', {
  suggestedMaxPriorityFeePerGas: GweiText,
  suggestedMaxFeePerGas: GweiText,
  minWaitTimeEstimate: z.null().describe('Not measured'),
  maxWaitTimeEstimate: z.number().min(0).describe('What 19 of 20 stay below, ms'),
});

const Range = z.tuple([GweiText.unwrap(), GweiText.unwrap()]).nullable();

export const MetamaskSuggestedFees = object('MetamaskSuggestedFees', "MetaMask's `suggestedGasFees`", {
  low: MetamaskFees,
  medium: MetamaskFees,
  high: MetamaskFees,
  estimatedBaseFee: GweiText.describe('Of the next block, in gwei'),
  networkCongestion: z.number().min(0).max(1).describe('Share of the last 24 h with a lower base fee'),
  latestPriorityFeeRange: Range.describe('Tips of the newest block: p10 and p90; null: unknown'),
  historicalPriorityFeeRange: Range.describe(
    "The average lane's tip in the last hour: least and most; null: unknown",
  ),
  historicalBaseFeeRange: Range.describe('In the last hour: least and most'),
  priorityFeeTrend: z.null().describe('Not measured'),
  baseFeeTrend: z.enum(['up', 'down', 'level']),
});
export type MetamaskSuggestedFees = z.infer<typeof MetamaskSuggestedFees>;

export const MetamaskParameters = z.strictObject({
  chainId: ChainIdText.describe('The chain of this service, else 404'),
});

export const EtherscanGasOracle = object('EtherscanGasOracle', "Etherscan's `gasoracle`", {
  status: z.literal('1'),
  message: z.literal('OK'),
  result: z.strictObject({
    LastBlock: text('Number of the newest block'),
    SafeGasPrice: GweiText.describe('The slow lane'),
    ProposeGasPrice: GweiText.describe('The average lane'),
    FastGasPrice: GweiText.describe('The fast lane'),
    suggestBaseFee: GweiText.describe('Of the next block'),
    gasUsedRatio: text('How full the newest block is: a list of one'),
  }),
});
export type EtherscanGasOracle = z.infer<typeof EtherscanGasOracle>;

/** Its clients read `status` and `result`, whatever the HTTP status. */
export const EtherscanError = ErrorBody.extend({
  status: z.literal('0'),
  result: text('The same as message'),
}).meta({ id: 'EtherscanError', description: 'A refusal, with the fields of Etherscan beside' });
export type EtherscanError = z.infer<typeof EtherscanError>;

export const EtherscanParameters = AnyParameters.extend({
  chainid: ChainIdText.optional().describe('The chain of this service, which is the default; else 400'),
  module: z
    .literal('gastracker', 'must be gastracker: nothing else of Etherscan is here')
    .describe('Nothing else of Etherscan is here'),
  action: z
    .literal('gasoracle', 'must be gasoracle: nothing else of Etherscan is here')
    .describe('Nothing else of Etherscan is here'),
});
