import { ClientError } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';
import type { TextOptions } from '../../client/requests.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { chainNameOf } from '../../client/views/gas-texts.ts';
import {
  type BlockView,
  confirmationWords,
  describeBlock,
  describeTx,
  type TxView,
} from '../../client/views/metrics.ts';
import { describePending } from '../../client/views/pending.ts';
import { PERCENTILES } from '../../contract/choices.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { chainProfile, coinSymbol } from '../../core/chains.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import { parseLookup } from '../../core/parse-lookup.ts';
import { formatAge, formatCount, formatGwei } from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { failure, usageError } from '../errors.ts';
import { openSource, type StaleRule } from '../open-source.ts';
import {
  badgeOf,
  cleanLine,
  cutToWidth,
  factRows,
  jsonResponse,
  labelledLines,
  mapped,
  print,
  RawText,
  utcTime,
  withSpinner,
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
    .summary('one transaction: what it paid; while it is pending why, and what to sign to free it')
    .description(
      'One transaction: what it paid, and how its tip ranked in its block. Of a pending one: why it waits, how likely it is included as it is, and the exact fees of a replacement and of a cancellation that every pool takes. Nothing is signed here.',
    )
    .argument('<hash>', '0x and 64 hexadecimal digits')
    .oneOf('--lane <LANE>', 'of a pending one: how quick a replacement is to be', LANES, 'average')
    .option('--json', JSON_ANSWER)
    .examples(
      'gastop tx 0x4a5e… --rpc http://127.0.0.1:8545',
      'gastop tx 0x4a5e… --lane fast --json | jq .pending.replacement',
    )
    .does((context, text: string, { lane, ...flags }: Flags<never, 'json', { lane: LaneName }>) => {
      const hash = parseTxHash(text);
      return lookUp(context, flags, 'accept', (client, call) => client.tx(hash, { ...call, lane }), txText);
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
  const raw = new RawText();
  const asking = ask(client, { signal, onResponse: raw.onResponse }).catch((error: unknown) => {
    // It does not exist, or a recording or simulation has none: a valid result of a healthy source.
    const isNo =
      error instanceof ClientError &&
      (error.code === 'not-found' || (badge !== undefined && error.code !== 'invalid'));
    throw isNo ? failure(error.message.replace(`the service has no ${error.endpoint}: `, '')) : error;
  });
  const view = await withSpinner(io, `asking ${name}`, asking);
  if (flags.json) io.stdout.write(jsonResponse(raw.text, ''));
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

/** The chain as its service calls it, which knows a development chain under a borrowed id. */
function whereWords(chainId: number | null, snapshot: SnapshotView | null): string {
  const id = chainId ?? snapshot?.chainId ?? null;
  const isTold = snapshot !== null && snapshot.chainId === id;
  const name = isTold ? chainNameOf(snapshot) : mapped(id, (known) => chainProfile(known).name);
  return `${badgeOf(snapshot)}${name ?? ''}`.trimEnd();
}

/** `2026-01-05 12:00:00 UTC, 4s ago`; a recording's blocks have no age. */
function whenWords(ms: number, snapshot: SnapshotView | null, now: number): string {
  const age = snapshot?.source.kind === 'replay' ? '' : `, ${formatAge((now - ms) / 1_000)}`;
  return `${utcTime(ms, 'seconds')} UTC${age}`;
}

const moneyOf = (chainId: number | null, snapshot: SnapshotView | null) => ({
  symbol: coinSymbol(chainId ?? snapshot?.chainId ?? null),
  nativeUsd: snapshot?.nativeUsd ?? null,
});

const TIPS_A_LINE = 5;

function blockText(block: BlockView, snapshot: SnapshotView | null, now: number): string {
  const head = [whereWords(block.chainId, snapshot), `#${formatCount(block.blockNumber)}`];
  const tips = PERCENTILES.flatMap(
    (name) => mapped(block.tips?.[name], (tip) => `${name} ${formatGwei(tip)}`) ?? [],
  );
  const tipLines = [tips.slice(0, TIPS_A_LINE), tips.slice(TIPS_A_LINE)].map((some) => some.join('  '));
  return [
    head.filter((word) => word !== '').join('  '),
    '',
    ...labelledLines([
      ...factRows([
        ['time', mapped(block.timestamp, (ms) => whenWords(ms, snapshot, now))],
        ['confirmed', mapped(block.confirmations, (count) => confirmationWords(count, block.chainId))],
        ['hash', block.hash],
        ['parent', block.parentHash],
        ...describeBlock(block, moneyOf(block.chainId, snapshot)),
      ]),
      ['tips, gwei', tipLines.join('\n').trimEnd() || null],
    ]),
  ].join('\n');
}

function txText(tx: TxView, snapshot: SnapshotView | null, now: number): string {
  const where = whereWords(tx.chainId, snapshot);
  const when = (ms: number) => whenWords(ms, snapshot, now);
  const money = moneyOf(tx.chainId, snapshot);
  return [
    where === '' ? 'transaction' : `${where}  transaction`,
    '',
    ...labelledLines(factRows(describeTx(tx, { ...money, when }))),
    ...(tx.pending === null ? [] : ['', ...labelledLines(factRows(describePending(tx.pending, money)))]),
  ].join('\n');
}
