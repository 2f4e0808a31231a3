import type * as z from 'zod';
import { BlockMetrics, TxMetrics, TxRow } from '../../contract/explorer.ts';
import { lenient, ms, wei } from '../lenient.ts';
import { metricsPage } from './metrics.ts';

/** Prices are wei per gas, amounts wei, times ms. `null`: the service does not say, or there is none. */

/** `GET /metrics/block/{number}`. Required: its number and base fee. */
export const Block = lenient(BlockMetrics, 'blockNumber', 'baseFeePerGas').transform((wire) => ({
  ...wire,
  timestamp: ms(wire.timestamp),
  tips: tipsOf(wire.tips ?? {}),
  burntWei: wei(wire.burntWei),
}));
export type BlockView = z.infer<typeof Block>;

function tipsOf(tips: Readonly<Record<string, number | null>>): Readonly<Record<string, number>> | null {
  const known = Object.entries(tips).flatMap(([name, tip]) => (tip === null ? [] : [[name, tip] as const]));
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** `GET /metrics/tx/{hash}`. Required: its hash. */
export const Tx = lenient(TxMetrics, 'hash').transform((wire) => ({
  ...wire,
  value: wei(wire.value),
  costWei: wei(wire.costWei),
  timestamp: ms(wire.timestamp),
}));
export type TxView = z.infer<typeof Tx>;

const Row = lenient(TxRow, 'hash').transform((wire) => ({
  ...wire,
  timestamp: ms(wire.timestamp),
  value: wei(wire.value),
  costWei: wei(wire.costWei),
}));
export type TxRowView = z.infer<typeof Row>;

/** `GET /metrics/txs` */
export const Txs = metricsPage(Row);
