import { parseTransaction } from 'viem/utils';
import * as z from 'zod';
import type { Hex } from '../../core/block.ts';
import { type ChainProfile, isQuotedPerAction } from '../../core/chains.ts';
import {
  type DataFees,
  decodeL1Attributes,
  L1_ATTRIBUTES_DEPOSITOR,
  L1_BLOCK,
  NO_DATA_FEES,
  parametersFromOracle,
  type Quote,
  quotedDataFees,
  unknownDataFees,
} from '../../core/data-fee.ts';
import { USUAL_ACTIONS } from '../../core/usual-work.ts';
import type { TestableClock } from '../async.ts';
import { ChainError, isRefusal } from '../chain-source.ts';
import { type RpcNode, request } from './client.ts';
import { bytes, nullish, quantity, transactionResponse } from './decode.ts';
import type { NodePool } from './node-pool.ts';

const KEEP_MS = 12_000;
/** Each usual action needs a request. */
const KEEP_QUOTES_MS = 30_000;

/**
 * From one node; cached for 12 s, or 30 s if each action is a request, which is never asked sooner; `isFresh`: read since the
 * newest head, however many ask. Never rejects: an unreadable fee is unknown.
 */
export function createDataFees(
  pool: NodePool,
  clock: TestableClock,
): (options?: { readonly isFresh?: boolean }) => Promise<DataFees> {
  let cached: { readonly fees: Promise<DataFees>; readonly until: number; head: number | null } | null = null;
  return ({ isFresh = false } = {}) => {
    const chain = pool.chain;
    if (chain !== null && chain.dataFee === undefined) return Promise.resolve(NO_DATA_FEES);
    const now = clock.elapsed();
    const isQuoted = chain !== null && isQuotedPerAction(chain);
    const head = Math.max(...pool.nodes.map((node) => node.head ?? 0));
    if (cached === null || now >= cached.until || (isFresh && !isQuoted && cached.head !== head)) {
      const keepMs = isQuoted ? KEEP_QUOTES_MS : KEEP_MS;
      const fees = pool
        .run((node) => readDataFees(node, pool.chain?.dataFee))
        .catch((error: unknown) => {
          if (!(error instanceof ChainError)) throw error;
          // Healthy nodes that do not support this; for an unknown chain that proves nothing.
          return isRefused(error) && chain?.dataFee === 'op-or-none'
            ? NO_DATA_FEES
            : unknownDataFees(error.message);
        });
      const reading: typeof cached = { fees, until: now + keepMs, head };
      cached = reading;
      // The next request may succeed at the same head.
      const note = ({ parameters }: DataFees) => {
        if (parameters === null) reading.head = null;
      };
      fees.then(note, () => {});
    }
    return cached.fees;
  };
}

const isRefused = (error: unknown): error is ChainError =>
  error instanceof ChainError && (isRefusal(error) || error.code === 'unsupported');

async function readDataFees(node: RpcNode, kind: ChainProfile['dataFee']): Promise<DataFees> {
  switch (kind) {
    case 'op':
    case 'op-or-none':
      return readOpStack(node, kind);
    case 'arbitrum':
      return readArbitrum(node);
    case 'scroll':
      return quoted(false, async ({ unsigned }) => ({
        kind: 'fee',
        wei: await call(node, SCROLL_ORACLE, getL1Fee(`${unsigned}${SIGNATURE}`), word),
      }));
    case 'linea':
      return quoted(true, async ({ unsigned }) => {
        const { data = '0x' } = parseTransaction(unsigned);
        const params = [{ from: NO_ACCOUNT, to: NO_ACCOUNT, value: '0x0', data }];
        const { gasLimit: gas, ...fees } = await request(node, lineaEstimate, 'linea_estimateGas', params);
        return { kind: 'total', wei: gas * (fees.baseFeePerGas + fees.priorityFeePerGas), gas };
      });
    case 'estimate':
      return readEstimate(node);
    case 'unverified':
      return unknownDataFees('the fee model of this chain has not been verified');
    default:
      return NO_DATA_FEES;
  }
}

const OP_ORACLE: Hex = '0x420000000000000000000000000000000000000f';
const SCROLL_ORACLE: Hex = '0x5300000000000000000000000000000000000002';
const ARBITRUM_GAS_INFO: Hex = '0x000000000000000000000000000000000000006c';
const NO_ACCOUNT: Hex = '0x000000000000000000000000000000000000dead';
/** `getL1Fee(bytes)`, `getOperatorFee(uint256)` and `getPricesInWei()`. */
const GET_L1_FEE = '0x49948e0e';
const GET_OPERATOR_FEE = '0x275aedd2';
const GET_PRICES_IN_WEI: Hex = '0x41b247a8';
/** As long and as incompressible as a signature: y parity, r and s. */
const SIGNATURE =
  'b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef324e7738926cfbe5f4bf8d8d8c31d763da06c80abb1185eb4f7c7b5757f5958490cfd4';

const word = bytes.refine((data) => data.length === 66).transform(BigInt);
const words = bytes
  .refine((data) => data.length > 2 && (data.length - 2) % 64 === 0)
  .transform((data) => (data.slice(2).match(/.{64}/g) ?? []).map((each) => BigInt(`0x${each}`)));
const lineaEstimate = z.object({ gasLimit: quantity, baseFeePerGas: quantity, priorityFeePerGas: quantity });

const call = <T>(node: RpcNode, to: Hex, data: Hex, shape: z.ZodType<T>) =>
  request(node, shape, 'eth_call', [{ to, data }, 'latest']);

const uint = (value: bigint | number) => value.toString(16).padStart(64, '0');

function getL1Fee(transaction: Hex): Hex {
  const data = transaction.slice(2);
  return `${GET_L1_FEE}${uint(32)}${uint(data.length / 2)}${data.padEnd(Math.ceil(data.length / 64) * 64, '0')}`;
}

/** From the block's first transaction; if that is none that is known here, scaled from the oracle's fee of the least size. */
async function readOpStack(node: RpcNode, kind: 'op' | 'op-or-none'): Promise<DataFees> {
  const method = 'eth_getTransactionByBlockNumberAndIndex';
  const first = await request(node, nullish(transactionResponse), method, ['latest', '0x0']);
  const isDeposit = first?.from === L1_ATTRIBUTES_DEPOSITOR && first.to === L1_BLOCK;
  const parameters = isDeposit ? decodeL1Attributes(first.data) : null;
  if (parameters !== null) return { ...NO_DATA_FEES, parameters };
  if (!isDeposit && kind === 'op-or-none') return NO_DATA_FEES;
  const [transfer] = USUAL_ACTIONS;
  const fee = await call(node, OP_ORACLE, getL1Fee(transfer?.unsigned ?? '0x'), bytes);
  if (fee.length !== 66) return unknownDataFees('this node has no gas price oracle');
  const operator = (gas: number) =>
    call(node, OP_ORACLE, `${GET_OPERATOR_FEE}${uint(gas)}`, word).catch((error: unknown) => {
      // Before Isthmus there was none.
      if (isRefused(error)) return 0n;
      throw error;
    });
  const operatorConstant = await operator(0);
  const operatorPerMillionGas = (await operator(1_000_000)) - operatorConstant;
  return {
    ...NO_DATA_FEES,
    parameters: parametersFromOracle(BigInt(fee), { operatorPerMillionGas, operatorConstant }),
  };
}

/** Arbitrum takes a base for a transaction without call data, and a price for each byte of it. */
async function readArbitrum(node: RpcNode): Promise<DataFees> {
  const [transfer, perByte] = await call(node, ARBITRUM_GAS_INFO, GET_PRICES_IN_WEI, words);
  if (transfer === undefined || perByte === undefined) return unknownDataFees('the node tells no L1 prices');
  return quoted(true, async ({ unsigned }) => {
    const { data = '0x' } = parseTransaction(unsigned);
    return { kind: 'fee', wei: transfer + perByte * BigInt(data.length / 2 - 1) };
  });
}

/** On a ZK-stack chain gas includes the data, and a call's cost depends on the state it changes. */
async function readEstimate(node: RpcNode): Promise<DataFees> {
  const params = [{ from: NO_ACCOUNT, to: NO_ACCOUNT, value: '0x0' }];
  const gas = await request(node, quantity, 'eth_estimateGas', params);
  const price = await request(node, quantity, 'eth_gasPrice', []);
  const reason = 'its gas depends on the state that it changes: ask the node for your own call';
  return quoted(true, async ({ name, gas: usual }) =>
    name === USUAL_ACTIONS[0]?.name
      ? { kind: 'total', wei: gas * price, gas: BigInt(usual.osaka) }
      : { kind: 'unknown', reason },
  );
}

/** In sequence: there are few, and the last is not urgent. */
async function quoted(isInGas: boolean, quote: (action: (typeof USUAL_ACTIONS)[number]) => Promise<Quote>) {
  const quotes: Record<string, Quote> = {};
  for (const action of USUAL_ACTIONS) {
    quotes[action.name] = await quote(action).catch((error: unknown): Quote => {
      if (isRefused(error)) return { kind: 'unknown', reason: error.message };
      throw error;
    });
  }
  return quotedDataFees(quotes, isInGas);
}
