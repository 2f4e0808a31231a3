import { existsSync } from 'node:fs';
import type { GasClient } from '../../client/client.ts';
import { pathOf } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { AutoTxDetailsView, AutoTxView } from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { isPast } from '../../client/views/gas.ts';
import { PATHS } from '../../contract/routes.ts';
import { describeCall } from '../../core/transactions/known-calls.ts';
import { formatCount } from '../../core/units.ts';
import { autoTxDetailsText } from '../auto-txs/auto-tx-details-text.ts';
import { autoTxListLines } from '../auto-txs/auto-tx-list-text.ts';
import { statusFilter } from '../auto-txs/auto-tx-status-filter.ts';
import { onAutoTx } from '../auto-txs/on-auto-tx.ts';
import type { CallWords } from '../auto-txs/transaction-rows.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { AUTO_TXS as KEPT, type OpenedAlerts } from '../open-alerts.ts';
import { type OpenedPricing, openPricing } from '../open-pricing.ts';
import type { Settings } from '../settings.ts';
import { AUTO_TXS, wholeListJson } from '../whole-list-json.ts';
import { type JsonFlags, partLine, print, printRaw, withOpenAlerts } from './alerts.ts';

/** Who wants to see the list waits for its prices, but not for nodes that do not answer. */
const PRICES_WITHIN_MS = 3_000;
const NO_PRICES = 'nobody says what the prices are now, so how far they are off is not known';

export interface ListAutoTxsFlags extends JsonFlags {
  readonly status?: string;
}

/** `gastop auto-txs list` */
export function listAutoTxs(context: CommandContext, flags: ListAutoTxsFlags): Promise<ExitCode> {
  const { io } = context;
  const open = flags.json ? withAutoTxs : withAutoTxsAndPrices;
  return open(context, async ({ client }, settings) => {
    const signal = io.interruption();
    const { isWanted, refuseUnknown } = statusFilter(flags.status);
    if (flags.json) {
      const { json, part } = await wholeListJson(client, AUTO_TXS, signal, isWanted);
      refuseUnknown();
      io.stdout.write(json);
      if (part !== null) io.stderr.write(partLine(part.shown, part.total));
      return EXIT.ok;
    }
    const { items, total, unreadable } = await client.autoTxs({ signal });
    const shown = items.filter(isWanted);
    refuseUnknown();
    const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null;
    const ending = settings.ascii.value ? '...' : '…';
    if (shown.length > 0) {
      const snapshot = await presentIfAny(client, signal);
      if (snapshot === null && shown.some(({ status }) => status === 'PENDING')) {
        io.stderr.write(`gastop: ${NO_PRICES}\n`);
      }
      print(
        context,
        settings,
        autoTxListLines(shown, snapshot, width, ending, await callNames(shown)).join('\n'),
      );
    } else if (items.length > 0) io.stderr.write('gastop: no auto-tx has that status\n');
    else if (unreadable === 0)
      io.stderr.write('gastop: there are no auto-txs; gastop auto-txs create makes one\n');
    if (unreadable > 0)
      io.stderr.write(`gastop: ${formatCount(unreadable)} more could not be read; --json shows them\n`);
    if (total !== null && total > items.length + unreadable) io.stderr.write(partLine(items.length, total));
    return EXIT.ok;
  });
}

/** `gastop auto-txs show` */
export function showAutoTx(context: CommandContext, id: string, flags: JsonFlags): Promise<ExitCode> {
  const { io } = context;
  return withAutoTxs(context, async ({ client }, settings) => {
    const signal = io.interruption();
    const named = { client, id, signal };
    if (flags.json) {
      const raw = client.raw(pathOf(PATHS.autoTx, { id }), {}, { signal });
      await printRaw(context, onAutoTx(named, raw), PATHS.autoTx);
      return EXIT.ok;
    }
    const autoTx = await onAutoTx(named, client.autoTx(id, { signal }));
    print(context, settings, autoTxDetailsText(autoTx, await callOf(autoTx), settings.ascii.value));
    return EXIT.ok;
  });
}

/** Opens the auto-txs of the service at the URL, or those in the database here, without a look at the chain. */
export async function withAutoTxs<Result>(
  { io, loadSettings }: CommandContext,
  work: (opened: OpenedAlerts, settings: Settings) => Promise<Result>,
): Promise<Result> {
  const { settings } = await loadSettings();
  return withOpenAlerts(io, settings, (opened) => work(opened, settings), { kept: KEPT });
}

/** The same on a chain that is looked at, for how far off its prices are; a node that does not answer costs no more than that. */
async function withAutoTxsAndPrices<Result>(
  context: CommandContext,
  work: (opened: { readonly client: GasClient }, settings: Settings) => Promise<Result>,
): Promise<Result> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const db = settings.db.value;
  if (settings.source.value.kind !== 'rpc' || (db !== null && !existsSync(db))) {
    return withAutoTxs(context, work);
  }
  let opened: OpenedPricing;
  try {
    opened = await openPricing(io, settings, PRICES_WITHIN_MS);
  } catch (error) {
    io.interruption().throwIfAborted();
    if (!(error instanceof ClientError || error instanceof CliError)) throw error;
    return withAutoTxs(context, work);
  }
  try {
    return await work(opened, settings);
  } finally {
    await opened.close();
  }
}

/** The prices of now, where the service says them: a list is worth reading without. */
async function presentIfAny(
  client: Pick<GasClient, 'gasCurrent'>,
  signal: AbortSignal,
): Promise<SnapshotView | null> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(PRICES_WITHIN_MS)]);
    const snapshot = await client.gasCurrent({ signal: inTime });
    return isPast(snapshot) ? null : snapshot;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClientError) return null;
    throw error;
  }
}

/** The well-known functions that these call. What knows them is read where one calls anything. */
async function callNames(autoTxs: readonly AutoTxView[]): Promise<(autoTx: AutoTxView) => string | null> {
  const calls = ({ data, to }: AutoTxView) => data !== null && data !== '0x' && to !== null;
  if (!autoTxs.some(calls)) return () => null;
  return (autoTx) => (calls(autoTx) ? (describeCall(autoTx.data ?? '0x', autoTx.to)?.name ?? null) : null);
}

/** What a kept transaction does, where its data is said and its selector well known, after what it delegates. */
async function callOf({ data, to, checks }: AutoTxDetailsView): Promise<CallWords | null> {
  const delegation = checks.find(({ name }) => name === 'delegation')?.message;
  const isCall = data !== null && data !== '0x';
  if (delegation === undefined && !isCall) return null;
  const call = data === null ? null : describeCall(data, to);
  if (delegation === undefined) return call;
  const words = call === null ? delegation : `${delegation}; it also ${call.words}`;
  return { name: isCall ? (call?.name ?? null) : 'delegation', signature: call?.signature ?? null, words };
}
