import type { Action, Advice } from './advice.ts';
import { type Block, tipAt } from './block.ts';

/** Which way of advising this is. Raise it with every change of what is advised, so that the records are told apart. */
export const ADVICE_VERSION = 3;

/** What was recommended after one block, with what it promised. Wei per gas, Unix seconds. */
export interface GivenAdvice {
  readonly block: Pick<Block, 'number' | 'hash' | 'timestamp'>;
  /** {@link ADVICE_VERSION} of the program that said it. */
  readonly version: number;
  readonly action: Action;
  readonly targetPrice: bigint;
  readonly promise: Inclusion | Reached;
  readonly probability: number | null;
}

/** To send at once with this cap and tip gets in, up to the last block. */
export interface Inclusion {
  readonly kind: 'inclusion';
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly lastBlock: number;
}

/** The target price is asked for by some block, up to this moment. */
export interface Reached {
  readonly kind: 'reached';
  readonly until: number;
}

/** The recommendation that `advice` gives after the block `head`. */
export function givenAdvice(head: Block, { lanes, recommendation }: Advice): GivenAdvice {
  const { action, lane, targetPrice, deadlineSec, probability } = recommendation;
  const { maxFeePerGas, maxPriorityFeePerGas, withinBlocks } = lanes[lane];
  return {
    block: head,
    version: ADVICE_VERSION,
    action,
    targetPrice,
    promise:
      action === 'SEND_NOW'
        ? { kind: 'inclusion', maxFeePerGas, maxPriorityFeePerGas, lastBlock: head.number + withinBlocks }
        : { kind: 'reached', until: head.timestamp + deadlineSec },
    probability,
  };
}

/** Whether a transaction with this cap and tip gets into `block`: what is left of the cap is what its lowest tip was. */
export function getsInto(
  block: Block,
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Inclusion, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
): boolean {
  const left = maxFeePerGas - block.baseFeePerGas;
  return (left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas) >= (tipAt(block, 10) ?? 0n);
}
