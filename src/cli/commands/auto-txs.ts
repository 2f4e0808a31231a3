import { existsSync } from 'node:fs';
import {
  type AutoTxToCheck,
  orderOf,
  preflightAutoTx,
  storedTransaction,
} from '../../client/auto-tx-preflight.ts';
import { ClientError } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';
import { isPlain } from '../../client/service-url.ts';
import { describeContent, describeState, describeTarget } from '../../client/views/auto-tx-texts.ts';
import {
  type AutoTxChange,
  type AutoTxDetailsView,
  type AutoTxView,
  autoTxState,
  mayBeMined,
  type NewAutoTx,
  overpaysCheck,
  signedStatus,
} from '../../client/views/auto-txs.ts';
import { ifReachable } from '../../client/views/chain-status.ts';
import { checkAutoTx } from '../../contract/auto-txs.ts';
import { AUTO_TX_STATUSES, SPEED_OF_LANE } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { parseMaxCost } from '../../core/auto-txs/cost-limit.ts';
import { changedOrder, type MaxCost } from '../../core/auto-txs/order.ts';
import { callDifferences } from '../../core/auto-txs/stored-auto-tx.ts';
import { gweiString } from '../../core/units.ts';
import { isServerUrl } from '../../store/database-url.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { CliError, EXIT, type ExitCode, failure, usageError } from '../errors.ts';
import { type OpenedClient, openReady, openSource } from '../open-source.ts';
import { cleanLine, mapped, note, print } from '../output.ts';
import { parseExpiry, parseGwei, parseNative } from '../parse.ts';
import type { Settings } from '../settings.ts';
import { autoTxCheckJson, autoTxCheckText, autoTxDetailsText, autoTxListLines } from '../text/auto-txs.ts';
import {
  addDelete,
  addEach,
  addShow,
  changing,
  flagged,
  idArgument,
  isConfirmed,
  JSON_ANSWER,
  type OpenedList,
  printList,
  type ResourceCommands,
  refused,
  snapshotIfAny,
  withResource,
  type YesFlags,
} from './resource.ts';
import { type SignedInput, signedInput } from './signed-input.ts';

export const AUTO_TXS: ResourceCommands<AutoTxView, AutoTxDetailsView> = {
  many: 'auto-txs',
  one: 'auto-tx',
  path: PATHS.autoTx,
  list: (client, call) => client.autoTxs(call),
  get: (client, id, call) => client.autoTx(id, call),
  remove: (client, id, call) => client.deleteAutoTx(id, call),
  details: (autoTx, _now, isAscii) => autoTxDetailsText(autoTx, isAscii),
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
    .parsed(
      '--status <STATUS>',
      'only those: draft, pending, held, disabled, submitted, included …; several by commas',
      statusFilter,
    )
    .option('--json', "the service's v1 list; several pages as one")
    .does(listAutoTxs);
  addShow(autoTxs, AUTO_TXS, 'One auto-tx: what it does and when, its checks, its history.');
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
      "gastop auto-txs create signed.txt --max-cost '$3'",
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
  const cancel =
    'Cancels auto-txs: they are never broadcast. A submitted one can only be replaced from the wallet.';
  addEach(autoTxs, AUTO_TXS, ['cancel', cancel], async (id, { client, call, tell, onOne }) => {
    const cancelled = await onOne(id, client.cancelAutoTx(id, call));
    const isOut = cancelled !== null && mayBeMined(cancelled);
    const words = isOut ? ', but it was broadcast before and may be mined until its nonce is used' : '';
    tell(`cancelled ${cleanLine(id)}${words}`);
  });
  addDelete(
    autoTxs,
    AUTO_TXS,
    'Deletes drafts and final ones. It asks first; without a terminal it needs --yes.',
  );
}

function withOrder(command: CliCommand): CliCommand {
  return command
    .parsed('--target <GWEI>', 'broadcast it when the price is that or less', parseGwei)
    .parsed(
      '--max-cost <COST>',
      "or when it costs at most that in all: '$3', 2% (of its value)",
      parseMaxCost,
    )
    .oneOf('--lane <LANE>', 'whose price (default average)', LANES)
    .option('--strict', 'compare its own price instead')
    .parsed('--expires <WHEN>', 'expire then: 6h, 7d, 2026-01-31T12:00Z, never', (text) =>
      text.trim().toLowerCase() === NEVER ? NEVER : parseExpiry(text, Date.now()),
    );
}

function withDraft(command: CliCommand): CliCommand {
  return command
    .option('--note <TEXT>', 'only for you')
    .option('--to <ADDRESS>', 'of a draft: whom it goes to')
    .parsed('--value <AMOUNT>', 'of a draft: native coins, such as 0.1, or 100wei', (text) =>
      String(parseNative(text)),
    )
    .parsed('--data <HEX>', 'of a draft: what the call is given', (hex) => hex.replace(/^(0x)?/i, '0x'));
}

const NEVER = 'never';

/** `expires` is ISO 8601, or {@link NEVER}. */
type OrderFlags = Flags<'expires' | 'note', 'strict', { target: bigint; maxCost: MaxCost; lane: LaneName }>;
type DraftFlags = Pick<NewAutoTx, 'to' | 'value' | 'data'>;

function bodyOf({ target, maxCost, lane, strict, expires, note }: OrderFlags) {
  if (target !== undefined && maxCost !== undefined)
    throw usageError('--target and --max-cost cannot be combined: the price follows from the cost');
  return {
    targetGasPriceGwei: target === undefined ? undefined : Number(gweiString(target)),
    threshold: maxCost,
    gasSpeed: lane === undefined ? undefined : SPEED_OF_LANE[lane],
    strictTargetPrice: strict,
    expiresAt: expires === NEVER ? null : expires,
    note,
  };
}
const draftOf = ({ to, value, data }: DraftFlags): DraftFlags => ({ to, value, data });

const saysDraft = (flags: DraftFlags): boolean =>
  Object.values(draftOf(flags)).some((flag) => flag !== undefined);

function statusFilter(text: string) {
  const wanted = text.split(',').map((word) => word.trim().toLowerCase());
  const known = [...AUTO_TX_STATUSES.map((each) => each.toLowerCase()), 'waiting', 'held', 'included'];
  const unknown = wanted.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    const named = unknown === '' ? 'nothing' : `"${cleanLine(unknown)}"`;
    throw new RangeError(`${named} is no status; it is one of ${known.join(', ')}`);
  }
  return (autoTx: AutoTxView): boolean => {
    const state = autoTxState(autoTx);
    return wanted.some(
      (word) => word === autoTx.status?.toLowerCase() || word === (state === 'pending' ? 'waiting' : state),
    );
  };
}

type ListFlags = Flags<never, 'json', { status: ReturnType<typeof statusFilter> }>;

function listAutoTxs(context: CommandContext, { status, json }: ListFlags): Promise<void> {
  const list = (opened: OpenedList) =>
    printList(opened, AUTO_TXS, {
      json,
      isWanted: status,
      lines: async (items, width) => {
        const { io, client } = opened;
        const snapshot = ifReachable(await snapshotIfAny(client, io.interruption()), io.now());
        if (snapshot === null && items.some((each) => each.status === 'PENDING')) {
          note(io, 'the prices are unknown now, and so are the distances to the targets');
        }
        return autoTxListLines(items, snapshot, width);
      },
    });
  return json ? withResource(context, AUTO_TXS, {}, list) : withPrices(context, list);
}

/** Where a node answers soon, it gives the prices beside what is stored. */
async function withPrices(
  context: CommandContext,
  work: (opened: OpenedList) => Promise<void>,
): Promise<void> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const db = settings.db.value;
  const mayAsk = settings.source.value.kind === 'rpc' && (db === null || isServerUrl(db) || existsSync(db));
  const opening = mayAsk ? openReady(io, settings, 'accept', { withinMs: 3_000 }) : null;
  await using ready = await opening?.catch((error: unknown) => {
    io.interruption().throwIfAborted();
    if (!(error instanceof ClientError || error instanceof CliError)) throw error;
    return null;
  });
  return ready
    ? await work({ io, client: ready.client, settings })
    : withResource(context, AUTO_TXS, {}, work);
}

async function updateAutoTx(
  context: CommandContext,
  id: string,
  file: string | undefined,
  flags: OrderFlags & DraftFlags & YesFlags & Flags<never, 'enable' | 'disable'>,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const { enable, disable } = flags;
  if (enable && disable) throw usageError('--enable and --disable cannot be combined');
  const status = enable ? 'PENDING' : disable ? 'DISABLED' : undefined;
  const changes: AutoTxChange = { ...bodyOf(flags), ...draftOf(flags), status };
  const change = async (client: GasClient, wanted: AutoTxChange): Promise<ExitCode> => {
    const { call, tell, onOne } = changing(io, AUTO_TXS, flags);
    const changed = await onOne(id, flagged(client.updateAutoTx(id, wanted, call), 'auto-tx', FLAGS));
    tell(`changed ${cleanLine(id)}${changed === null ? '' : `: ${stateWords(changed)}`}`);
    return EXIT.ok;
  };
  if (file === undefined) {
    if (Object.values(changes).every((value) => value === undefined)) {
      throw usageError('say what is to change: a flag, or FILE with the signed transaction');
    }
    return withResource(context, AUTO_TXS, {}, ({ client }) => change(client, changes));
  }
  const input = await signedInput(io, file);
  await using opened = await openSource(io, settings);
  const { call, onOne } = changing(io, AUTO_TXS, {});
  const stored = await onOne(id, opened.client.autoTx(id, call));
  // With flags the same command changes the draft; then the service compares them.
  if (stored.status?.toUpperCase() === 'DRAFT' && !saysDraft(flags)) {
    const differences = callDifferences(input.transaction, stored).map(({ words }) => words);
    const another = `this is another transaction than the draft ${cleanLine(id)}`;
    if (differences.length > 0)
      throw usageError(`${another}: ${differences.join('; ')}; nothing was scheduled`);
  }
  const order = orderWith(flags, stored, true);
  const requested = { order, id, status: signedStatus(stored, status), yes: flags.yes };
  if (!(await isWanted(context, settings, opened, input, requested))) return EXIT.failed;
  return await change(opened.client, { ...changes, signedTransaction: input.raw });
}

const stateWords = (autoTx: AutoTxView) =>
  `${cleanLine(describeState(autoTx))}, target ${cleanLine(describeTarget(autoTx))}`;

async function createAutoTx(
  context: CommandContext,
  file: string | undefined,
  flags: OrderFlags & DraftFlags & YesFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const order = bodyOf(flags);
  if (order.targetGasPriceGwei === undefined && order.threshold === undefined)
    throw usageError("an auto-tx needs a target: --target GWEI, or --max-cost '$3'");
  const isDraft = saysDraft(flags);
  if (isDraft && file !== undefined) {
    throw usageError('--to, --value and --data make a draft; a signed transaction says them itself');
  }
  const input = isDraft ? null : await signedInput(io, file);
  const content = input === null ? draftOf(flags) : { signedTransaction: input.raw };
  const autoTx: NewAutoTx = { ...order, ...content };
  const valid = checkAutoTx(autoTx, io.now());
  if (!valid.ok) throw refused('auto-tx', valid.problems, FLAGS);
  await using opened = await openSource(io, settings);
  const requested = { order: orderWith(flags, null, true), yes: flags.yes };
  if (input !== null && !(await isWanted(context, settings, opened, input, requested))) return EXIT.failed;
  const { call } = changing(io, AUTO_TXS, flags);
  const created = await flagged(opened.client.createAutoTx(autoTx, call), 'auto-tx', FLAGS);
  if (flags.json) return EXIT.ok;
  const id = cleanLine(created.id);
  io.stdout.write(`${id}\n`);
  note(io, `created ${id}: ${stateWords(created)}`);
  if (isPassing(settings)) {
    note(
      io,
      'it is lost with the simulated chain, which ends with this command; in gastop --demo, n schedules one',
    );
  } else if (created.status === 'DRAFT') {
    note(io, `it needs its signature: gastop auto-txs update ${id} FILE`);
  } else {
    if (opened.embedded !== null)
      note(io, 'it is broadcast while gastop or gastop serve runs on this database');
    if (created.expiresAt === null && !autoTx.expiresAt) {
      note(io, `it does not expire; gastop auto-txs update ${id} --expires 7d changes that`);
    }
  }
  return EXIT.ok;
}

const isPassing = ({ db, source }: Settings) => source.value.kind === 'simulated' && db.value === null;

/** Shows what is about to be scheduled, and where; at a terminal it asks. @throws CliError (usage) */
async function isWanted(
  { io }: CommandContext,
  settings: Settings,
  { client, embedded, name }: OpenedClient,
  { transaction }: SignedInput,
  { yes = false, ...asked }: Pick<AutoTxToCheck, 'order' | 'id' | 'status'> & { readonly yes?: boolean },
): Promise<boolean> {
  const { ascii, source } = settings;
  const signal = io.interruption();
  const checked = await preflightAutoTx(client, { ...asked, transaction }, io.now(), { signal });
  print({ stdout: io.stderr }, settings, autoTxCheckText(transaction, checked, ascii.value));
  const here = isPassing(settings) ? 'the simulated chain' : 'this database';
  const whom = embedded === null ? cleanLine(name) : here;
  if (embedded === null) note(io, `${whom} gets the signed transaction and can send it at any time`);
  if (source.value.kind === 'hosted' && isPlain(source.value.url)) {
    note(io, 'it travels unencrypted: anyone who reads it can send it; use https:// if possible');
  }
  const { isDue } = checked;
  if (isDue !== false)
    note(io, `its target is reached already: it ${isDue ? 'is' : 'may be'} broadcast at once`);
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

const FLAGS: Readonly<Record<string, string>> = {
  targetGasPriceGwei: '--target',
  threshold: '--max-cost',
  'threshold.maxCostUsd': '--max-cost',
  'threshold.maxShareOfValueRatio': '--max-cost',
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

async function checkAutoTxs(
  { io, loadSettings }: CommandContext,
  file: string | undefined,
  flags: OrderFlags & Flags<'id', 'json'>,
): Promise<ExitCode> {
  const { settings } = await loadSettings();
  const { id } = flags;
  if (id !== undefined && file !== undefined) {
    throw usageError('one transaction is checked at a time: by --id, or from a file or stdin');
  }
  const input = id === undefined ? await signedInput(io, file) : null;
  await using opened = await openSource(io, settings);
  const { client } = opened;
  const { call, onOne } = changing(io, AUTO_TXS, {});
  const stored = id === undefined ? null : await onOne(id, client.autoTx(id, call));
  const transaction = input?.transaction ?? (stored && storedTransaction(stored));
  if (transaction === null) {
    const isDraft = stored?.status === 'DRAFT';
    const why = isDraft ? 'it is a draft without a signature' : 'the service does not say enough of it';
    throw failure(`${cleanLine(id ?? '')} cannot be checked: ${why}`);
  }
  const toCheck = { transaction, order: orderWith(flags, stored, input !== null), id: id ?? null, stored };
  const checked = await preflightAutoTx(client, toCheck, io.now(), call);
  if (flags.json) io.stdout.write(autoTxCheckJson(transaction, checked));
  else print(io, settings, autoTxCheckText(transaction, checked, settings.ascii.value));
  return checked.checks.some(({ ok }) => ok === false) ? EXIT.failed : EXIT.ok;
}

/** The stored order with what the flags change. `isSignedAnew`: the command has another transaction for it. */
const orderWith = (flags: OrderFlags, stored: AutoTxView | null, isSignedAnew: boolean) => {
  const { target, maxCost, lane, strict } = flags;
  const { expiresAt: end } = bodyOf(flags);
  const expiresAt = end === undefined ? undefined : mapped(end, Date.parse);
  const change = { target, maxCost, lane, isStrict: strict, expiresAt };
  return changedOrder(orderOf(stored), change, isSignedAnew);
};
