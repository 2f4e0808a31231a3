import {
  type AutoTxToCheck,
  preflightAutoTx,
  storedChecks,
  storedTransaction,
} from '../../client/auto-tx-preflight.ts';
import { ClientError } from '../../client/errors.ts';
import { isPlain } from '../../client/http.ts';
import { laneOf } from '../../client/views/alerts.ts';
import {
  type AutoTxView,
  describeState,
  describeTarget,
  type NewAutoTx,
  overpaysCheck,
} from '../../client/views/auto-txs.ts';
import { CALLDATA_LONGEST, NOTE_LONGEST, SPEED_OF_LANE } from '../../contract/choices.ts';
import type { LaneName } from '../../core/advice.ts';
import { gweiString } from '../../core/units.ts';
import type { CommandContext, Flags } from '../context.ts';
import { EXIT, type ExitCode, failure, usageError, usageErrors } from '../errors.ts';
import { type OpenedPricing, withPricing } from '../open-source.ts';
import { cleanLine, mapped, note, print } from '../output.ts';
import { given, parseExpiry, parseGwei, parseNative } from '../parse.ts';
import type { Settings } from '../settings.ts';
import { autoTxCheckJson, autoTxCheckText } from '../text/auto-txs.ts';
import { AUTO_TXS } from './auto-txs.ts';
import { changing, isConfirmed, type JsonFlags, type YesFlags } from './resource.ts';
import { type SignedInput, signedInput } from './signed-input.ts';

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
    const draft = { ...autoTx, ...draftOf(flags) };
    return withPricing(io, settings, (opened) => create(context, settings, opened, draft, flags));
  }
  const input = await signedInput(io, file);
  return withPricing(io, settings, async (opened) => {
    const requested = { order: orderFrom(flags, io.now()), yes: flags.yes };
    if (!(await isWanted(context, settings, opened, input, requested))) {
      note(io, 'nothing was scheduled');
      return EXIT.failed;
    }
    return create(context, settings, opened, { ...autoTx, signedTransaction: input.raw }, flags);
  });
}

/** Shows what is about to be scheduled, and where; at a terminal it asks. @throws CliError (usage) */
export async function isWanted(
  { io }: CommandContext,
  settings: Settings,
  { client, host }: OpenedPricing,
  { transaction }: SignedInput,
  { order, id = null, yes = false }: Pick<AutoTxToCheck, 'order' | 'id'> & { readonly yes?: boolean },
): Promise<boolean> {
  const { ascii, source } = settings;
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
  return isConfirmed(io, `${isDue ? 'Send it at once by' : 'Schedule it with'} ${whom}`);
}

const isPassing = ({ db, source }: Settings) => source.value.kind === 'simulated' && db.value === null;

async function create(
  { io }: CommandContext,
  settings: Settings,
  { client, host }: OpenedPricing,
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
  if (host === null && isPassing(settings)) {
    const how = 'in gastop --demo, n schedules one';
    note(io, `it is lost with the simulated chain, which ends with this command; ${how}`);
  } else if (created.status === 'DRAFT') {
    note(io, `it needs its signature: gastop auto-txs update ${id} FILE`);
  } else {
    if (host === null) note(io, 'it is broadcast while gastop or gastop serve runs on this database');
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
  return withPricing(io, settings, async ({ client }) => {
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
  });
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
