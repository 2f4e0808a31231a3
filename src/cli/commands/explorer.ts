import type { GasClient, TextOptions } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { type BlockView, describeTxType, type TxView } from '../../client/views/metrics.ts';
import { PERCENTILES } from '../../contract/choices.ts';
import { chainProfile } from '../../core/chains.ts';
import { GAS_PER_BLOB } from '../../core/eip4844.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import { ownValue } from '../../core/own-value.ts';
import { parseLookup } from '../../core/parse-lookup.ts';
import { tipRankWords } from '../../core/tip-rank-words.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatGwei,
  formatNative,
  formatPercent,
  formatUsd,
  usdOf,
} from '../../core/units.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { failure, usageError } from '../errors.ts';
import { openSource, type StaleRule } from '../open-source.ts';
import {
  badgeOf,
  cleanLine,
  cutToWidth,
  jsonResponse,
  labelledLines,
  mapped,
  print,
  utcTime,
  withSpinner,
  wrapped,
} from '../output.ts';
import { JSON_ANSWER, type JsonFlags, snapshotIfAny } from './resource.ts';

export function addExplorer(program: CliCommand): void {
  program
    .command('block')
    .summary('one block: fees, tips, fullness, burnt fees')
    .description('One block: its base fee and the next one, tips, fullness, blobs, burnt fees.')
    .argument('[number]', 'its number (24337604, 24,337,604, 0x1735cc4) or latest', 'latest')
    .option('--json', JSON_ANSWER)
    .examples('gastop block', 'gastop block 24337604 --json')
    .does((context, text: string, flags: JsonFlags) => {
      const number = parseBlockNumber(text);
      // A stale source has no valid head; a block by its number is unaffected.
      const rule = number === 'latest' ? 'late' : 'accept';
      return lookUp(context, flags, rule, (client, call) => client.block(number, call), blockText);
    });

  program
    .command('tx')
    .summary('one transaction: what it paid, and how its tip ranked')
    .description('One transaction: what it paid, and how its tip ranked in its block.')
    .argument('<hash>', '0x and 64 hexadecimal digits')
    .option('--json', JSON_ANSWER)
    .examples('gastop tx 0x4a5e… --rpc http://127.0.0.1:8545', 'gastop tx 0x4a5e… --json | jq .costWei')
    .does((context, text: string, flags: JsonFlags) => {
      const hash = parseTxHash(text);
      return lookUp(context, flags, 'accept', (client, call) => client.tx(hash, call), txText);
    });
}

async function lookUp<View>(
  { io, loadSettings }: CommandContext,
  flags: JsonFlags,
  rule: StaleRule,
  ask: (client: GasClient, call: TextOptions) => Promise<View>,
  text: (view: View, snapshot: SnapshotView | null, now: number) => string,
): Promise<void> {
  const { settings } = await loadSettings();
  await using opened = await openSource(io, settings, rule);
  const { client, badge, name } = opened;
  const signal = io.interruption();
  let json = '';
  const onResponse = (response: string) => {
    json = response;
  };
  const asking = ask(client, { signal, onResponse }).catch((error: unknown) => {
    // It does not exist, or a recording or simulation has none: a valid result of a healthy source.
    const isNo =
      error instanceof ClientError &&
      (error.code === 'not-found' || (badge !== undefined && error.code !== 'invalid'));
    throw isNo ? failure(error.message.replace(`the service has no ${error.endpoint}: `, '')) : error;
  });
  const view = await withSpinner(io, `asking ${name}`, asking);
  if (flags.json) io.stdout.write(jsonResponse(json, ''));
  else {
    const snapshot = opened.snapshot ?? (await snapshotIfAny(client, signal));
    print(io, settings, text(view, snapshot, io.now()));
  }
}

export function parseBlockNumber(text: string): number | 'latest' {
  const sought = parseLookup(text);
  if (sought.kind === 'newest') return 'latest';
  if (sought.kind === 'block') return sought.number;
  const why = sought.kind === 'tx' ? 'it is a transaction hash, which gastop tx looks up' : sought.problem;
  throw usageError(`"${shown(text)}" is not a block number: ${why}; write 24337604, 0x1735cc4 or latest`);
}

export function parseTxHash(text: string): string {
  const sought = parseLookup(text);
  if (sought.kind === 'tx') return sought.hash;
  const [why, hint] =
    sought.kind === 'wrong' ? [`${sought.problem}; it is`, ''] : ['it is', ' (gastop block looks up blocks)'];
  throw usageError(`"${shown(text)}" is not a transaction hash: ${why} 0x and 64 hexadecimal digits${hint}`);
}

const shown = (text: string) => (looksLikeKey(text) ? '(key)' : cutToWidth(cleanLine(text), 80));

function whereWords(chainId: number | null, snapshot: SnapshotView | null): string {
  const id = chainId ?? snapshot?.chainId ?? null;
  return `${badgeOf(snapshot)}${id === null ? '' : chainProfile(id).name}`.trimEnd();
}

/** `2026-01-05 12:00:00 UTC, 4s ago`; a recording's blocks have no age. */
const whenWords = (time: number | null, snapshot: SnapshotView | null, now: number) =>
  mapped(time, (ms) => {
    const at = `${utcTime(ms, 'seconds')} UTC`;
    const isReplay = snapshot?.source.kind === 'replay';
    return isReplay ? at : `${at}, ${formatAge(Math.max(now - ms, 0) / 1_000)}`;
  });

/** `0.00124 ETH  $3.99`: dollars at the coin's present price, if known. */
function coinWords(
  wei: bigint | null,
  chainId: number | null,
  snapshot: SnapshotView | null,
  usd: number | null = null,
): string | null {
  if (wei === null) return null;
  const id = chainId ?? snapshot?.chainId ?? null;
  const amount = formatNative(wei, id === null ? 'coins' : chainProfile(id).nativeSymbol);
  const dollars = usd ?? mapped(snapshot?.nativeUsd, (price) => usdOf(wei, price));
  return dollars === null ? amount : `${amount}  ${formatUsd(dollars)}`;
}

const counted = (count: number, one: string) => (count === 1 ? `1 ${one}` : `${formatCount(count)} ${one}s`);
const confirmationWords = (count: number) => counted(count, 'confirmation');
const cleaned = (value: string | null) => mapped(value, (text) => cleanLine(text));
const gwei = (wei: number | null) => mapped(wei, (known) => `${formatGwei(known)} gwei`);

const BAR_CELLS = 20;

function blockText(block: BlockView, snapshot: SnapshotView | null, now: number): string {
  const { baseFeePerGas: base, chainId } = block;
  const head = [whereWords(chainId, snapshot), `#${formatCount(block.blockNumber)}`];
  const tips = (known: NonNullable<BlockView['tips']>) =>
    PERCENTILES.flatMap((name) => mapped(known[name], (tip) => `${name} ${formatGwei(tip)}`) ?? []);
  const blobs = (gas: number) => {
    const excess = mapped(block.excessBlobGas, (more) => `, excess ${formatCount(more)}`) ?? '';
    return `${formatCount(gas / Number(GAS_PER_BLOB))}  (${formatCount(gas)} blob gas${excess})`;
  };
  const nextBlob = mapped(block.nextBlobBaseFee, (next) => `, next ${formatGwei(next)}`) ?? '';
  return [
    head.filter((word) => word !== '').join('  '),
    '',
    ...labelledLines([
      ['time', whenWords(block.timestamp, snapshot, now)],
      ['confirmed', mapped(block.confirmations, confirmationWords)],
      ['hash', cleaned(block.hash)],
      ['parent', cleaned(block.parentHash)],
      ['base fee', gwei(base)],
      [
        'next base',
        mapped(block.nextBaseFeePerGas, (next) => {
          return `${formatGwei(next)} gwei${base === 0 ? '' : ` (${formatChange((next - base) / base)})`}`;
        }),
      ],
      ['full', fullWords(block)],
      ['transactions', mapped(block.transactionCount, formatCount)],
      ['tips, gwei', mapped(block.tips, (known) => wrapped(tips(known)))],
      ['blob fee', mapped(gwei(block.blobBaseFee), (fee) => fee + nextBlob)],
      ['blobs', mapped(block.blobGasUsed, blobs)],
      ['burnt', coinWords(block.burntWei, chainId, snapshot)],
      ['fees go to', cleaned(block.feeRecipient)],
    ]),
  ].join('\n');
}

function fullWords({ gasUsedRatio, gasUsed, gasLimit }: BlockView): string | null {
  const limit = gasLimit === null ? '' : ` of ${formatCount(gasLimit)}`;
  const gas = gasUsed === null ? [] : [`${formatCount(gasUsed)}${limit} gas`];
  if (gasUsedRatio === null) return gas[0] ?? null;
  const filled = Math.round(gasUsedRatio * BAR_CELLS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  return [bar, formatPercent(gasUsedRatio), ...gas].join('  ');
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  PENDING: 'waits in the pool',
  SUCCESS: 'success',
  REVERTED: 'reverted; its gas was paid anyway',
};

function txText(tx: TxView, snapshot: SnapshotView | null, now: number): string {
  const { chainId } = tx;
  const where = whereWords(chainId, snapshot);
  const blobs = [gwei(tx.maxFeePerBlobGas), mapped(tx.blobCount, (count) => counted(count, 'blob'))];
  const tip = mapped(tx.priorityFeePerGas, (fee) => `, of it ${formatGwei(fee)} tip`) ?? '';
  const isAlone = tx.blockTransactionCount === 1;
  const rank = mapped(tx.tipRank, (known) => tipRankWords(known, tx.blockTransactionCount));
  return [
    where === '' ? 'transaction' : `${where}  transaction`,
    '',
    ...labelledLines([
      ['hash', cleanLine(tx.hash)],
      ['status', statusWords(tx)],
      ['block', blockWords(tx)],
      ['time', whenWords(tx.timestamp, snapshot, now)],
      ['type', mapped(tx.type, describeTxType)],
      ['from', cleaned(tx.from)],
      ['to', tx.to === null ? (tx.from === null ? null : 'none: it creates a contract') : cleaned(tx.to)],
      ['call', cleaned(tx.selector)],
      ['value', coinWords(tx.value, chainId, snapshot)],
      ['nonce', mapped(tx.nonce, String)],
      ['gas', gasWords(tx)],
      ['max fee', gwei(tx.maxFeePerGas)],
      ['max tip', gwei(tx.maxPriorityFeePerGas)],
      ['gas price', gwei(tx.gasPrice)],
      ['blob cap', blobs.filter((part) => part !== null).join(', ') || null],
      ['paid', mapped(gwei(tx.effectiveGasPrice), (price) => `${price} per gas${tip}`)],
      ['cost', coinWords(tx.costWei, chainId, snapshot, tx.costUsd)],
      ['L1 part', tx.dataFeeWei === 0n ? null : coinWords(tx.dataFeeWei, chainId, snapshot)],
      ['tip rank', rank ?? (isAlone ? 'alone in its block' : null)],
    ]),
  ].join('\n');
}

function statusWords({ status, confirmations }: TxView): string | null {
  const depth = mapped(confirmations, confirmationWords);
  if (status === null) return depth;
  const words = ownValue(STATUS_WORDS, status) ?? cleanLine(status);
  return status === 'PENDING' || depth === null ? words : `${words}, ${depth}`;
}

function blockWords({ blockNumber, transactionIndex, blockTransactionCount }: TxView): string | null {
  if (blockNumber === null) return null;
  const block = `#${formatCount(blockNumber)}`;
  if (transactionIndex === null) return block;
  const count = blockTransactionCount === null ? '' : ` of ${formatCount(blockTransactionCount)}`;
  return `${block}, transaction ${formatCount(transactionIndex + 1)}${count}`;
}

function gasWords({ gasUsed, gasLimit }: TxView): string | null {
  if (gasUsed === null) return mapped(gasLimit, (limit) => `limit ${formatCount(limit)}`);
  if (!gasLimit) return `${formatCount(gasUsed)} used`;
  return `${formatCount(gasUsed)} of ${formatCount(gasLimit)} used (${formatPercent(gasUsed / gasLimit)})`;
}
