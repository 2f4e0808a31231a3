import * as z from 'zod';
import { type ChainRow, chainOf, sortedRows, type Work, workCost } from '../client/views/chains.ts';
import { Coins, Count, defineTool, each, Flag, Gwei, known, result, Text, Time } from './tool.ts';

/** Reads these chains side by side; `null`: those that are set up, else the usual ones. */
export type CompareChains = (names: string | null, signal: AbortSignal) => Promise<readonly ChainRow[]>;

interface CompareContext {
  readonly compare: CompareChains;
  readonly signal: AbortSignal;
}

const Cost = result({
  coins: known(Coins, 'In native coins, L1 included where that is known'),
  ...each(Count, 'usd'),
  l1Coins: known(Coins, 'The part for posting to L1; null: it is not known and not counted'),
}).nullable();

const costOf = (row: ChainRow, work: Work) => {
  const cost = workCost(row, work);
  return cost && { ...cost, l1: cost.dataFee };
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
      .describe('Names such as ethereum, base, op, arbitrum; default: those set up, else the usual ones'),
  }),
  output: {
    chains: z.array(
      result({
        ...{ name: Text, chain: Text },
        ...each(Count, 'chainId', 'expectedSavingRatio'),
        ...each(Time, 'blockTime'),
        averageGwei: known(Gwei, 'What a transaction expects to pay per gas'),
        ...{ swap: Cost, transfer: Cost },
        direction: known(Text, 'RISING, FALLING or STABLE'),
        action: known(Text, 'SEND_NOW, WAIT or SET_ALERT; null: no advice yet'),
        deadlineSec: known(Count, 'How long to wait at most'),
        usdFrom: known(Text, 'The chain whose price of ether stands for its own, where it has none'),
        ...each(Flag, 'stale'),
        ...each(Text, 'problem'),
      }),
    ),
  },
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
          average: snapshot?.lanes.average.price ?? null,
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
