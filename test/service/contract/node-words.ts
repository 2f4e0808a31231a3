import type { Anvil } from '../../helpers/anvil.ts';

/** What a node says of a block with its transactions, by JSON-RPC's own names. */
export interface NodeBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly miner: string;
  readonly transactions: readonly NodeTransaction[];
}

export interface NodeTransaction {
  readonly hash: string;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly nonce: string;
  readonly gas: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
  readonly transactionIndex: string;
}

export interface NodeReceipt {
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
}

const hex = (number: number) => `0x${number.toString(16)}`;

/** The answers of v1 as they must be by the node's own words: blocks and transactions of a chain without blobs. */
export async function byTheNode(anvil: Anvil, head: number) {
  const blockAt = async (number: number) =>
    (await anvil.rpc('eth_getBlockByNumber', [hex(number), true])) as NodeBlock;
  const pending = (await anvil.rpc('eth_feeHistory', ['0x1', 'latest', []])) as { baseFeePerGas: string[] };
  const answers = [];
  for (let number = 1; number <= head; number += 1) {
    const block = await blockAt(number);
    const next = number === head ? pending.baseFeePerGas[1] : (await blockAt(number + 1)).baseFeePerGas;
    const fees = (await anvil.rpc('eth_feeHistory', ['0x1', hex(number), [10, 25, 50, 75, 90, 95, 99]])) as {
      reward: string[][];
    };
    const [p10, p25, p50, p75, p90, p95, p99] = (fees.reward[0] ?? []).map(Number);
    const timestamp = new Date(Number(block.timestamp) * 1_000).toISOString();
    const transactions = [];
    for (const transaction of block.transactions) {
      const receipt = (await anvil.rpc('eth_getTransactionReceipt', [transaction.hash])) as NodeReceipt;
      const price = BigInt(receipt.effectiveGasPrice);
      transactions.push({
        hash: transaction.hash,
        status: 'SUCCESS',
        type: Number(transaction.type),
        from: transaction.from,
        to: transaction.to,
        value: BigInt(transaction.value).toString(),
        nonce: Number(transaction.nonce),
        gasLimit: Number(transaction.gas),
        gasUsed: Number(receipt.gasUsed),
        maxFeePerGas: Number(transaction.maxFeePerGas),
        maxPriorityFeePerGas: Number(transaction.maxPriorityFeePerGas),
        effectiveGasPrice: Number(price),
        priorityFeePerGas: Number(price - BigInt(block.baseFeePerGas)),
        costWei: (price * BigInt(receipt.gasUsed)).toString(),
        blockNumber: number,
        blockHash: block.hash,
        timestamp,
        transactionIndex: Number(transaction.transactionIndex),
        confirmations: head - number + 1,
        blockTransactionCount: block.transactions.length,
      });
    }
    answers.push({
      block: {
        blockNumber: number,
        hash: block.hash,
        parentHash: block.parentHash,
        timestamp,
        confirmations: head - number + 1,
        baseFeePerGas: Number(block.baseFeePerGas),
        nextBaseFeePerGas: Number(next),
        gasUsed: Number(block.gasUsed),
        gasLimit: Number(block.gasLimit),
        transactionCount: block.transactions.length,
        tips: { p10, p25, p50, p75, p90, p95, p99 },
        burntWei: (BigInt(block.baseFeePerGas) * BigInt(block.gasUsed)).toString(),
        feeRecipient: block.miner,
      },
      transactions,
    });
  }
  return answers;
}
