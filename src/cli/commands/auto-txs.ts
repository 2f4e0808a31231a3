import { existsSync } from 'node:fs';
import {
  type AutoTxToCheck,
  draftDifferences,
  preflightAutoTx,
  storedChecks,
  storedTransaction,
} from '../../client/auto-tx-preflight.ts';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { isPlain } from '../../client/http.ts';
import { ROUTES } from '../../client/routes.ts';
import { laneOf } from '../../client/views/alerts.ts';
import {
  type AutoTxChange,
  type AutoTxDetailsView,
  type AutoTxView,
  describeContent,
  describeState,
  describeTarget,
  mayBeMined,
  type NewAutoTx,
  overpaysCheck,
} from '../../client/views/auto-txs.ts';
import { isPast, type SnapshotView } from '../../client/views/gas.ts';
import { AUTO_TX_STATUSES, CALLDATA_LONGEST, NOTE_LONGEST, SPEED_OF_LANE } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { gweiString } from '../../core/units.ts';
import { isServerUrl } from '../../store/database-url.ts';
import type { CliCommand } from '../command.ts';
import type { CommandContext, Flags } from '../context.ts';
import { CliError, EXIT, type ExitCode, failure, usageError, usageErrors } from '../errors.ts';
import { type OpenedClient, openReady, openSource } from '../open-source.ts';
import { cleanLine, mapped, note, print } from '../output.ts';
import { given, parseExpiry, parseGwei, parseNative } from '../parse.ts';
import type { Settings } from '../settings.ts';
import { autoTxCheckJson, autoTxCheckText, autoTxDetailsText, autoTxListLines } from '../text/auto-txs.ts';
import {
  addDelete,
  addShow,
  changing,
  eachId,
  idArgument,
  idsArgument,
  isConfirmed,
  JSON_ANSWER,
  type JsonFlags,
  printList,
  type Resource,
  withResource,
  type YesFlags,
} from './resource.ts';
import { type SignedInput, signedInput } from './signed-input.ts';

export const AUTO_TXS: Resource<AutoTxView, AutoTxDetailsView> = {
  many: 'auto-txs',
  one: 'auto-tx',
  route: ROUTES.autoTxs,
  path: PATHS.autoTx,
  list: (client, call) => client.autoTxs(call),
  get: (client, id, call) => client.autoTx(id, call),
  remove: (client, id, call) => client.deleteAutoTx(id, call),
  deleted: (autoTx) =>
    `(${cleanLine(describeState(autoTx))}, ${cleanLine(describeContent(autoTx))}) and what is known of it`,
};
const SIGNED = ['[FILE]', 'the raw signed transaction as hex; - or nothing is stdin'] as const;

export function addAutoTxs(program: CliCommand): void {
  const autoTxs = program
    .group(
      'auto-txs',
      'signed transactions, broadcast when gas is cheap',
      'Signed transactions that are broadcast when gas is cheap, of the service at --url or of the database here: those are broadcast while gastop or gastop serve runs on it. No private key is ever asked for; a signed transaction comes from a file or stdin only.',
    )
    .examples(
      'gastop auto-txs check signed.txt --target 5',
      'gastop auto-txs create signed.txt --target 5 --expires 6h',
      'gastop auto-txs list --status pending,submitted',
    );
  autoTxs
    .command('list', { isDefault: true })
    .description('Lists the auto-txs by status, with the distance to their targets.')
    .option(
      '--status <STATUS>',
      'only those: draft, pending, held, disabled, submitted, mined …; several by commas',
    )
    .option('--json', "the service's v1 list; several pages as one")
    .does(listAutoTxs);
  addShow(
    autoTxs,
    AUTO_TXS,
    'One auto-tx: what it does and when, its checks, its history.',
    (autoTx, _now, isAscii) => autoTxDetailsText(autoTx, isAscii),
  );
  withOrder(autoTxs.command('check'))
    .description(
      'Decodes a signed transaction and checks whether it passes, waits or blocks, without sending it anywhere; exit 1 if a check needs attention.',
    )
    .argument(...SIGNED)
    .option('--id <ID>', 'check a scheduled one again instead')
    .option('--json', 'for programs: hash, from, …, call, checks; prices in wei')
    .examples('gastop auto-txs check --target 5 < signed.txt')
    .does(checkAutoTxs);
  withDraft(withOrder(autoTxs.command('create')))
    .description(
      'Schedules a signed transaction, which is broadcast at its target, and prints its id; with --to, --value or --data makes a draft that is signed later.',
    )
    .argument(...SIGNED)
    .option('--yes', 'do not ask; without a terminal, needed where it pays far above its target')
    .option('--json', JSON_ANSWER)
    .examples(
      'gastop auto-txs create signed.txt --target 5 --lane slow --expires 7d',
      'gastop auto-txs create --target 5 --to 0x7099… --value 0.1',
    )
    .does(createAutoTx);
  withDraft(withOrder(autoTxs.command('update')))
    .description('Changes what is given; with FILE it signs a draft, or replaces what was not broadcast yet.')
    .argument(...idArgument(AUTO_TXS))
    .argument('[FILE]', 'the raw signed transaction as hex; - is stdin')
    .option('--no-strict', "compare the lane's price again")
    .option('--enable', 'broadcast it at its target again')
    .option('--disable', 'do not broadcast it for now')
    .option('--yes', 'do not ask; without a terminal, needed where it pays far above its target')
    .option('--json', JSON_ANSWER)
    .does(updateAutoTx);
  autoTxs
    .command('cancel')
    .description(
      'Cancels auto-txs: they are never broadcast. A submitted one can only be replaced from the wallet.',
    )
    .argument(...idsArgument(AUTO_TXS))
    .option('--json', JSON_ANSWER)
    .does(cancelAutoTxs);
  addDelete(
    autoTxs,
    AUTO_TXS,
    'Deletes drafts and final ones. It asks first; without a terminal it needs --yes.',
  );
}

function withOrder(command: CliCommand): CliCommand {
  return command
    .option('--target <GWEI>', 'broadcast it when the price is that or less')
    .oneOf('--lane <LANE>', 'whose price (default average)', LANES)
    .option('--strict', 'compare its own price instead')
    .option('--expires <WHEN>', 'expire then: 6h, 7d, 2026-01-31T12:00Z, never');
}

function withDraft(command: CliCommand): CliCommand {
  return command
    .option('--note <TEXT>', 'only for you')
    .option('--to <ADDRESS>', 'of a draft: whom it goes to')
    .option('--value <AMOUNT>', 'of a draft: native coins, such as 0.1, or 100wei')
    .option('--data <HEX>', 'of a draft: what the call is given');
}

const PRICES_WITHIN_MS = 3_000;
const NO_PRICES = 'the prices are unknown now, and so are the distances to the targets';

function listAutoTxs(
  context: CommandContext,
  { status, json = false }: Flags<'status', 'json'>,
): Promise<void> {
  const { io } = context;
  const list = ({ client, settings }: { readonly client: GasClient; readonly settings: Settings }) => {
    const { isWanted, refuseUnknown } = statusFilter(status);
    return printList(io, AUTO_TXS, {
      ...{ client, settings, json, isWanted },
      check: refuseUnknown,
      lines: async (items, { width, ending }) => {
        const snapshot = await presentIfAny(client, io.interruption());
        if (snapshot === null && items.some((each) => each.status === 'PENDING')) note(io, NO_PRICES);
        return autoTxListLines(items, snapshot, width, ending);
      },
    });
  };
  return json ? withResource(context, AUTO_TXS, {}, list) : withPrices(context, list);
}

async function withPrices<Result>(
  context: CommandContext,
  work: (opened: { readonly client: GasClient; readonly settings: Settings }) => Promise<Result>,
): Promise<Result> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const db = settings.db.value;
  const isStored =
    settings.source.value.kind !== 'rpc' || (db !== null && !isServerUrl(db) && !existsSync(db));
  const opening = isStored ? null : openReady(io, settings, 'accept', { withinMs: PRICES_WITHIN_MS });
  const ready = await opening?.catch((error) => {
    io.interruption().throwIfAborted();
    if (!(error instanceof ClientError || error instanceof CliError)) throw error;
    return null;
  });
  if (!ready) return withResource(context, AUTO_TXS, {}, work);
  await using opened = ready;
  return await work({ client: opened.client, settings });
}

async function presentIfAny(client: GasClient, signal: AbortSignal): Promise<SnapshotView | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(PRICES_WITHIN_MS)]);
  const snapshot = await client.gasCurrent({ signal: inTime }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ClientError) return null;
    throw error;
  });
  return snapshot === null || isPast(snapshot) ? null : snapshot;
}

type UpdateAutoTxFlags = OrderFlags & DraftFlags & Flags<never, 'enable' | 'disable' | 'json' | 'yes'>;

async function updateAutoTx(
  context: CommandContext,
  id: string,
  file: string | undefined,
  flags: UpdateAutoTxFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const { enable, disable } = flags;
  if (enable && disable) throw usageError('--enable and --disable cannot be combined');
  const status = enable ? { status: 'PENDING' } : disable ? { status: 'DISABLED' } : {};
  const changes: AutoTxChange = { ...orderOf(flags, io.now()), ...draftOf(flags), ...status };
  if (file === undefined) {
    if (Object.values(changes).every((value) => value === undefined)) {
      throw usageError('say what is to change: a flag, or FILE with the signed transaction');
    }
    return withResource(context, AUTO_TXS, {}, ({ client }) => change(client, changes));
  }
  const input = await signedInput(io, file);
  await using opened = await openSource(io, settings);
  const { client } = opened;
  const { call, onOne } = changing(io, AUTO_TXS, {}, client);
  const kept = await onOne(id, client.autoTx(id, call));
  requireDrafted(kept, input, flags);
  const requested = { order: changedOrder(kept, flags, io.now()), id, yes: flags.yes };
  if (!(await isWanted(context, settings, opened, input, requested))) return EXIT.failed;
  return await change(client, { ...changes, signedTransaction: input.raw });

  async function change(client: GasClient, wanted: AutoTxChange): Promise<ExitCode> {
    const { call, tell, onOne } = changing(io, AUTO_TXS, flags, client);
    const request = client.updateAutoTx(id, wanted, call).catch(async (error: unknown) => {
      const isConflict = error instanceof ClientError && error.status === 409;
      const kept = flags.enable && file === undefined && isConflict ? client.autoTx(id, call) : null;
      if ((await kept?.catch(() => null))?.status?.toUpperCase() === 'DRAFT') {
        const how = `gastop auto-txs update ${cleanLine(id)} FILE`;
        throw failure(`it is a draft and needs its signature first: ${how}`);
      }
      throw flagged(error);
    });
    const changed = await onOne(id, request);
    const words = mapped(
      changed,
      (it) => `: ${cleanLine(describeState(it))}, target ${cleanLine(describeTarget(it))}`,
    );
    tell(`changed ${cleanLine(id)}${words ?? ''}`);
    return EXIT.ok;
  }
}

function cancelAutoTxs(context: CommandContext, ids: readonly string[], flags: JsonFlags): Promise<number> {
  return withResource(context, AUTO_TXS, flags, ({ client, call, tell, onOne }) =>
    eachId(context.io, ids, async (id) => {
      const cancelled = await onOne(id, client.cancelAutoTx(id, call));
      if (cancelled !== null && cancelled.status !== null && cancelled.status !== 'CANCELLED') {
        const status = cleanLine(describeState(cancelled));
        throw failure(`the service says that ${cleanLine(id)} is ${status}, not cancelled`);
      }
      const isOut = cancelled !== null && mayBeMined(cancelled);
      const words = isOut ? ', but it was broadcast before and may be mined until its nonce is used' : '';
      tell(`cancelled ${cleanLine(id)}${words}`);
    }),
  );
}

function requireDrafted(kept: AutoTxView, { transaction }: SignedInput, flags: DraftFlags): void {
  // With flags the same command changes the draft; then the service compares them.
  if (kept.status?.toUpperCase() !== 'DRAFT' || saysDraft(flags)) return;
  const differences = draftDifferences(transaction, kept).map(({ words }) => words);
  if (differences.length === 0) return;
  throw usageError(
    `this is another transaction than the draft ${cleanLine(kept.id)}: ${differences.join('; ')}; nothing was scheduled`,
  );
}

const PARTS = {
  waiting: ({ word, hold }) => word === 'pending' && hold === null,
  held: ({ word, hold }) => word === 'pending' && hold !== null,
  mined: ({ word, blockNumber }) => word === 'submitted' && blockNumber !== null,
} as const satisfies Readonly<Record<string, (row: StatusRow & { readonly word: string }) => boolean>>;

const KNOWN: readonly string[] = [
  ...AUTO_TX_STATUSES.map((each) => each.toLowerCase()),
  ...Object.keys(PARTS),
];

interface StatusRow {
  readonly status?: unknown;
  readonly hold?: unknown;
  readonly blockNumber?: unknown;
}

/** The statuses of `--status`, in any case; unknown ones may be the service's own. */
function statusFilter(flag: string | undefined) {
  const wanted = flag === undefined ? null : flag.split(',').map((word) => word.trim().toLowerCase());
  const found = new Set(KNOWN);
  return {
    isWanted: ({ status, hold = null, blockNumber = null }: StatusRow): boolean => {
      if (typeof status !== 'string') return wanted === null;
      const word = status.toLowerCase();
      found.add(word);
      if (wanted === null || wanted.includes(word)) return true;
      return Object.entries(PARTS).some(
        ([part, isOf]) => wanted.includes(part) && isOf({ word, hold, blockNumber }),
      );
    },
    /** Call it after the whole list was read. @throws CliError (usage) */
    refuseUnknown: () => {
      const unknown = wanted?.find((word) => !found.has(word));
      if (unknown === undefined) return;
      const named = unknown === '' ? 'nothing' : `"${cleanLine(unknown)}"`;
      throw usageError(
        `--status: ${named} is no status; it is one of ${[...found].map((word) => cleanLine(word)).join(', ')}`,
      );
    },
  };
}

export async function createAutoTx(
  context: CommandContext,
  file: string | undefined,
  flags: OrderFlags & DraftFlags & YesFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const { targetGasPriceGwei, ...order } = orderOf(flags, io.now());
  if (targetGasPriceGwei === undefined) throw usageError('an auto-tx needs a target: --target GWEI');
  const autoTx = { ...order, targetGasPriceGwei };
  if (saysDraft(flags)) {
    if (file !== undefined) {
      throw usageError('--to, --value and --data make a draft; a signed transaction says them itself');
    }
    await using opened = await openSource(io, settings);
    return await create(context, settings, opened, { ...autoTx, ...draftOf(flags) }, flags);
  }
  const input = await signedInput(io, file);
  await using opened = await openSource(io, settings);
  const requested = { order: orderFrom(flags, io.now()), yes: flags.yes };
  if (!(await isWanted(context, settings, opened, input, requested))) return EXIT.failed;
  return await create(context, settings, opened, { ...autoTx, signedTransaction: input.raw }, flags);
}

/** Shows what is about to be scheduled, and where; at a terminal it asks. @throws CliError (usage) */
export async function isWanted(
  { io }: CommandContext,
  settings: Settings,
  { client, embedded, name }: OpenedClient,
  { transaction }: SignedInput,
  { order, id = null, yes = false }: Pick<AutoTxToCheck, 'order' | 'id'> & { readonly yes?: boolean },
): Promise<boolean> {
  const { ascii, source } = settings;
  const host = embedded === null ? name : null;
  const signal = io.interruption();
  const checked = await preflightAutoTx(client, { transaction, order, id }, io.now(), { signal });
  print({ stdout: io.stderr }, settings, autoTxCheckText(transaction, checked, ascii.value));
  const here = isPassing(settings) ? 'the simulated chain' : 'this database';
  const whom = host === null ? here : cleanLine(host);
  if (host !== null) note(io, `${whom} gets the signed transaction and can send it at any time`);
  if (source.value.kind === 'hosted' && isPlain(source.value.url)) {
    note(io, 'it travels unencrypted: anyone who reads it can send it; use https:// if possible');
  }
  const isDue =
    checked.checks.some(({ name, result }) => name === 'reachable' && result === 'pass') &&
    checked.checks.every(({ result }) => result === 'pass' || result === 'unknown');
  if (isDue) note(io, 'its target is reached already: it is broadcast at once');
  if (yes) return true;
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    if (overpaysCheck(checked.checks) === null) return true;
    throw usageError(
      'it pays far more itself than its target (see cost), and there is no terminal to ask at; say --yes',
    );
  }
  const isAgreed = await isConfirmed(io, `${isDue ? 'Send it at once by' : 'Schedule it with'} ${whom}`);
  if (!isAgreed) note(io, 'nothing was scheduled');
  return isAgreed;
}

const isPassing = ({ db, source }: Settings) => source.value.kind === 'simulated' && db.value === null;

async function create(
  { io }: CommandContext,
  settings: Settings,
  { client, embedded }: OpenedClient,
  autoTx: NewAutoTx,
  flags: JsonFlags,
): Promise<ExitCode> {
  const { call } = changing(io, AUTO_TXS, flags, client);
  const created = await client.createAutoTx(autoTx, call).catch((error: unknown) => {
    throw flagged(error);
  });
  if (flags.json) return EXIT.ok;
  const id = cleanLine(created.id);
  io.stdout.write(`${id}\n`);
  note(
    io,
    `created ${id}: ${cleanLine(describeState(created))}, target ${cleanLine(describeTarget(created))}`,
  );
  if (embedded !== null && isPassing(settings)) {
    const how = 'in gastop --demo, n schedules one';
    note(io, `it is lost with the simulated chain, which ends with this command; ${how}`);
  } else if (created.status === 'DRAFT') {
    note(io, `it needs its signature: gastop auto-txs update ${id} FILE`);
  } else {
    if (embedded !== null) note(io, 'it is broadcast while gastop or gastop serve runs on this database');
    if (created.expiresAt === null && !autoTx.expiresAt) {
      note(io, `it does not expire; gastop auto-txs update ${id} --expires 7d changes that`);
    }
  }
  return EXIT.ok;
}

const FLAGS: Readonly<Record<string, string>> = {
  targetGasPriceGwei: '--target',
  gasSpeed: '--lane',
  strictTargetPrice: '--strict',
  expiresAt: '--expires',
  note: '--note',
  to: '--to',
  value: '--value',
  data: '--data',
  signedTransaction: 'the signed transaction',
  status: '--enable or --disable',
};

export function flagged(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.code !== 'invalid' || error.details.length === 0) return error;
  const lines = error.details.map(
    ({ path, message }) => `${FLAGS[path] ?? cleanLine(path)}: ${cleanLine(message)}`,
  );
  return usageErrors(lines, 'this auto-tx');
}

type CheckOrder = AutoTxToCheck['order'];

export async function checkAutoTxs(
  { io, loadSettings }: CommandContext,
  file: string | undefined,
  flags: OrderFlags & Flags<'id', 'json'>,
): Promise<ExitCode> {
  const { settings } = await loadSettings();
  const { id } = flags;
  if (id !== undefined && file !== undefined) {
    throw usageError('one transaction is checked at a time: by --id, or from a file or stdin');
  }
  const order = orderFrom(flags, io.now());
  const named = id ?? (await signedInput(io, file));
  await using opened = await openSource(io, settings);
  const { client } = opened;
  const { call, onOne } = changing(io, AUTO_TXS, {}, client);
  const toCheck =
    typeof named === 'string'
      ? storedToCheck(await onOne(named, client.autoTx(named, call)), flags, io.now())
      : { transaction: named.transaction, order, kept: null };
  const found = await preflightAutoTx(client, toCheck, io.now(), call);
  const { transaction, kept } = toCheck;
  const checked = kept === null ? found : { ...found, checks: storedChecks(found.checks, kept) };
  if (flags.json) io.stdout.write(autoTxCheckJson(transaction, checked));
  else print(io, settings, autoTxCheckText(transaction, checked, settings.ascii.value));
  return checked.checks.some(({ ok }) => ok === false) ? EXIT.failed : EXIT.ok;
}

/** @throws CliError (failed) when the service returns too little to check it. */
function storedToCheck(kept: AutoTxView, flags: OrderFlags, now: number) {
  const transaction = storedTransaction(kept);
  if (transaction !== null) return { transaction, order: changedOrder(kept, flags, now), id: kept.id, kept };
  const isDraft = kept.status === 'DRAFT';
  const why = isDraft ? 'it is a draft without a signature' : 'the service does not say enough of it';
  throw failure(`${cleanLine(kept.id)} cannot be checked: ${why}`);
}

function orderFrom(flags: OrderFlags, now: number): CheckOrder {
  const { strictTargetPrice, expiresAt } = orderOf(flags, now);
  return {
    target: mapped(flags.target, parseGwei),
    lane: flags.lane ?? 'average',
    isStrict: strictTargetPrice ?? false,
    expiresAt: mapped(expiresAt, Date.parse),
  };
}

export function changedOrder(autoTx: AutoTxView, flags: OrderFlags, now: number): CheckOrder {
  const requested = orderFrom(flags, now);
  return {
    target: requested.target ?? autoTx.target,
    lane: flags.lane ?? laneOf(autoTx.gasSpeed) ?? 'average',
    isStrict: flags.strict ?? autoTx.isStrict ?? false,
    expiresAt: flags.expires === undefined ? autoTx.expiresAt : requested.expiresAt,
  };
}

export type OrderFlags = Flags<'target' | 'expires' | 'note', 'strict'> & { readonly lane?: LaneName };
export type DraftFlags = Flags<'to' | 'value' | 'data'>;

export function orderOf({ target, lane, strict, expires, note }: OrderFlags, now: number) {
  if (note !== undefined && note.length > NOTE_LONGEST) {
    throw usageError(`--note: it is longer than ${NOTE_LONGEST} characters`);
  }
  const expiry = (text: string) => (text.trim().toLowerCase() === 'never' ? null : parseExpiry(text, now));
  return {
    targetGasPriceGwei: given('--target', target, (text) => Number(gweiString(parseGwei(text)))) ?? undefined,
    gasSpeed: lane === undefined ? undefined : SPEED_OF_LANE[lane],
    strictTargetPrice: strict,
    expiresAt: expires === undefined ? undefined : given('--expires', expires, expiry),
    note,
  };
}

export function draftOf({ to, value, data }: DraftFlags): Pick<NewAutoTx, 'to' | 'value' | 'data'> {
  if (to !== undefined && !/^0x[\da-f]{40}$/i.test(to)) {
    throw usageError('--to: this is not an address; write 0x and 40 hex digits');
  }
  if (data !== undefined && (/[^\da-f]/i.test(data.replace(/^0x/i, '')) || data.length % 2 !== 0)) {
    throw usageError('--data: this is not calldata; write 0x and pairs of hex digits');
  }
  if (data !== undefined && data.length > CALLDATA_LONGEST) {
    throw usageError('--data: this is more than a transaction may carry');
  }
  return {
    to,
    value: given('--value', value, (text) => String(parseNative(text))) ?? undefined,
    data: data === undefined ? undefined : `0x${data.replace(/^0x/i, '')}`,
  };
}

export const saysDraft = ({ to, value, data }: DraftFlags): boolean =>
  [to, value, data].some((flag) => flag !== undefined);
