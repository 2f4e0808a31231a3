import * as z from 'zod';
import * as wire from './primitives.ts';
import { flag, maybe, object, text, whole } from './primitives.ts';

const Lane = object('Lane', 'What to sign for one pace, and what to expect of it', {
  price: wire.Price.describe('What the lane expects to pay per gas, in wei'),
  maxFeePerGas: wire.Price.describe('The cap to sign, in wei per gas (EIP-1559)'),
  maxPriorityFeePerGas: maybe(wire.Wei, 'The tip to sign, in wei per gas; null: tips are unknown'),
  withinBlocks: whole(1).describe('How many blocks the lane aims to be included within'),
  waitSec: z
    .strictObject({ p50: wire.Seconds, p95: wire.Seconds })
    .describe('Seconds until inclusion: the median, and what 19 of 20 stay below'),
  probability: maybe(wire.Ratio, 'Share of its past advice that was included in time; null: too few judged'),
  reason: maybe(z.string(), 'Why there is no probability; null where there is one'),
});

const SourceKind = z.enum(['rpc', 'replay', 'simulated']).meta({
  id: 'SourceKind',
  description: 'Where blocks come from: nodes, a recording, or a simulation',
});

const Source = object('Source', 'Where the blocks behind this response come from', {
  kind: SourceKind,
  name: text('Short, for people: "3 nodes agree", "127.0.0.1:8545", "blocks.csv". Never a whole URL'),
  problem: maybe(
    z.strictObject({ message: z.string(), retryAt: wire.Timestamp.nullable() }),
    "Where stale is true: why the source gives nothing new, and when it is asked again; else why the history is not being written; null while all is well, and with stale while the last run's prices stand until the source has answered",
  ),
  ended: flag('A recording that has been played to its end: nothing new will come, and that is no fault'),
  chainName: text('The name of the chain; a development chain that borrows the id of another one says so'),
  restartedAt: maybe(
    wire.Timestamp,
    'When the chain began anew, as a development chain may: what was known of it before is dropped, and auto-txs that were not final are disabled; null: it never did',
  ),
});

export const GasCurrent = object('GasCurrent', 'What gas costs now. Prices are in wei per gas', {
  chainId: wire.ChainId,
  blockNumber: wire.BlockNumber.describe('The head: the newest block that is known'),
  blockTimestamp: wire.Timestamp.describe("The head block's own time"),
  lowPrice: wire.Price.describe("The slow lane's price, in wei per gas"),
  averagePrice: wire.Price.describe("The average lane's price, in wei per gas"),
  highPrice: wire.Price.describe("The fast lane's price, in wei per gas"),
  basePrice: wire.Price.describe("The head block's base fee, in wei per gas"),
  priorityPrice: maybe(
    wire.Wei,
    'averagePrice − nextBasePrice, at least 0, in wei per gas; null where either is',
  ),
  nextBasePrice: wire.Price.describe(
    "The next block's base fee, in wei per gas; null without a reason: a recording ends and does not tell",
  ),
  reason: wire.WhyNull,
  floorPrice: maybe(wire.Wei, "The base fee's lowest possible value, in wei per gas; null: no known floor"),
  blobBasePrice: maybe(wire.Wei, 'Of the head block, in wei per blob gas (EIP-4844); null: no blobs'),
  gasUsedRatio: wire.Ratio.describe('How full the head block is'),
  lanes: z.strictObject({ slow: Lane, average: Lane, fast: Lane }),
  nativeUsd: maybe(wire.Usd, 'US dollars for one native coin, by a price feed; null: none, or it is old'),
  nativeUsdReason: z.string().optional().describe('Why nativeUsd is null; absent where it is not'),
  updatedAt: wire.Timestamp.describe('When it ingested the last block, or what it says of it changed last'),
  updateFrequencySec: wire.Seconds.describe('How often something new is to be expected, in seconds'),
  stale: flag('No new block for four times updateFrequencySec (at least 12 s), or no source'),
  source: Source,
});
export type GasCurrent = z.infer<typeof GasCurrent>;
