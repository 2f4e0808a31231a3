import * as z from 'zod';
import { type ChainRow, chainOf, sortedRows, type Work, workCost } from '../client/views/chains.ts';
import {
  CoinsOrNull,
  CountOrNull,
  defineTool,
  FlagOrNull,
  GweiOrNull,
  TextOrNull,
  TimeOrNull,
} from './tool.ts';

/** Reads these chains side by side; `null`: those that are set up, else the usual ones. */
export type CompareChains = (names: string | null, signal: AbortSignal) => Promise<readonly ChainRow[]>;

interface CompareContext {
  readonly compare: CompareChains;
  readonly signal: AbortSignal;
}

const Cost = z
  .object({
    coins: CoinsOrNull.describe('In native coins, L1 included where that is known'),
    usd: CountOrNull,
    l1Coins: CoinsOrNull.describe('The part for posting to L1; null: it is not known and not counted'),
  })
  .nullable();

const costOf = (row: ChainRow, work: Work) => {
  const known = workCost(row, work);
  return known && { coins: known.wei, usd: known.usd, l1Coins: known.dataFee };
};

export const compareChains = defineTool({
  name: 'compare_chains',
  title: 'Compare chains',
  description:
    'What a swap and a transfer cost on several chains, L1 included, the cheapest swap first, with the average price, trend and advice of each. Where problem is set the chain did not answer.',
  effect: 'reads',
  input: z.strictObject({
    chains: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/i, 'must be the name of a chain, such as base'))
      .min(1)
      .max(20)
      .optional()
      .describe(
        'Names such as ethereum, base, op, arbitrum; default: those that are set up, else the usual ones',
      ),
  }),
  output: z.object({
    chains: z.array(
      z.object({
        name: z.string(),
        chain: z.string(),
        chainId: CountOrNull,
        blockTime: TimeOrNull,
        averageGwei: GweiOrNull.describe('What a transaction expects to pay per gas'),
        swap: Cost,
        transfer: Cost,
        direction: TextOrNull.describe('RISING, FALLING or STABLE'),
        action: TextOrNull.describe('SEND_NOW, WAIT or SET_ALERT; null: no advice yet'),
        deadlineSec: CountOrNull.describe('How long to wait at most'),
        expectedSavingRatio: CountOrNull,
        usdFrom: TextOrNull.describe('The chain whose price of ether stands for its own, where it has none'),
        stale: FlagOrNull,
        problem: TextOrNull,
      }),
    ),
  }),
  run: async ({ compare, signal }: CompareContext, { chains }) => {
    const rows = await compare(chains?.join(',') ?? null, signal);
    return {
      chains: sortedRows(rows, 'swap').map((row) => {
        const { snapshot = null, trend = null, advice = null } = row.figures ?? {};
        return {
          name: row.name,
          chain: chainOf(row),
          chainId: snapshot?.chainId ?? null,
          blockTime: snapshot?.blockTimestamp ?? null,
          averageGwei: snapshot?.lanes.average.price ?? null,
          swap: costOf(row, 'swap'),
          transfer: costOf(row, 'send'),
          direction: trend?.direction ?? null,
          action: advice?.action ?? null,
          deadlineSec: advice?.deadlineSec ?? null,
          expectedSavingRatio: advice?.expectedSavingRatio ?? null,
          usdFrom: row.usdFrom,
          stale: snapshot?.stale ?? null,
          problem: row.problem?.message ?? null,
        };
      }),
    };
  },
});
