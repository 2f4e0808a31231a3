import type { AutoTxToCheck } from '../../client/auto-tx-preflight.ts';
import { type CheckedAutoTx, checkAutoTx } from '../../client/auto-tx-preflight.ts';
import type { GasClient } from '../../client/client.ts';
import type { AutoTxView } from '../../client/views/auto-txs.ts';
import type { LaneName } from '../../core/advice.ts';
import { withKeptDelegation } from '../../core/auto-txs/delegation-check.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { autoTxCheckJson, autoTxCheckText } from '../auto-txs/auto-tx-check-text.ts';
import { type OrderFlags, orderOf } from '../auto-txs/auto-tx-flags.ts';
import { onAutoTx } from '../auto-txs/on-auto-tx.ts';
import { signedInput } from '../auto-txs/signed-input.ts';
import { needsBytes, storedTransaction } from '../auto-txs/stored-transaction.ts';
import { cleanLine } from '../clean-line.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { parseGwei } from '../gwei.ts';
import { withPricing } from '../open-pricing.ts';
import { type JsonFlags, print } from './alerts.ts';

export interface CheckAutoTxFlags extends OrderFlags, JsonFlags {
  readonly id?: string;
}

type CheckOrder = AutoTxToCheck['order'];

interface Subject {
  readonly transaction: SignedTransaction;
  readonly checked: CheckedAutoTx;
}

/** `gastop auto-txs check`: of a transaction that nobody has yet, or of one that the service keeps. */
export async function checkAutoTxs(
  context: CommandContext,
  file: string | undefined,
  flags: CheckAutoTxFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const { id, json } = flags;
  if (id !== undefined && file !== undefined) {
    throw usageError('one transaction is checked at a time: by --id, or from a file or stdin');
  }
  const order = orderFrom(flags, io.now());
  const input = id === undefined ? await signedInput(io, file) : null;
  return withPricing(io, settings, async ({ client }) => {
    const signal = io.interruption();
    const { transaction, checked }: Subject =
      input === null
        ? await checkStored(client, id ?? '', flags, io.now(), signal)
        : {
            transaction: input.transaction,
            checked: await checkAutoTx(client, { transaction: input.transaction, order }, io.now(), {
              signal,
            }),
          };
    if (json) io.stdout.write(autoTxCheckJson(transaction, checked));
    else print(context, settings, autoTxCheckText(transaction, checked, settings.ascii.value));
    return checked.checks.some(({ ok }) => ok === false) ? EXIT.failed : EXIT.ok;
  });
}

/** The order that flags ask for; a target left out is `null`. @throws CliError (usage) */
export function orderFrom(flags: OrderFlags, now: number): CheckOrder {
  const { strictTargetPrice, expiresAt } = orderOf(flags, now);
  const { target, lane = 'average' } = flags;
  return {
    target: target === undefined ? null : parseGwei(target),
    lane,
    isStrict: strictTargetPrice ?? false,
    expiresAt: expiresAt === undefined || expiresAt === null ? null : Date.parse(expiresAt),
  };
}

/** The order of one that is kept, as `flags` would change it. @throws CliError (usage) */
export function changedOrder(autoTx: AutoTxView, flags: OrderFlags, now: number): CheckOrder {
  const asked = orderFrom(flags, now);
  return {
    target: asked.target ?? autoTx.target,
    lane: flags.lane ?? laneOf(autoTx),
    isStrict: flags.strict ?? autoTx.isStrict ?? false,
    expiresAt: flags.expires === undefined ? autoTx.expiresAt : asked.expiresAt,
  };
}

async function checkStored(
  client: GasClient,
  id: string,
  flags: OrderFlags,
  now: number,
  signal: AbortSignal,
): Promise<Subject> {
  const autoTx = await onAutoTx({ client, id, signal }, client.autoTx(id, { signal }));
  const transaction = storedTransaction(autoTx);
  if (transaction === null) {
    const why =
      autoTx.status === 'DRAFT'
        ? 'it is a draft without a signature'
        : 'the service does not say enough of it';
    throw new CliError(EXIT.failed, `${cleanLine(id)} cannot be checked: ${why}`);
  }
  const order = changedOrder(autoTx, flags, now);
  const checked = await checkAutoTx(client, { transaction, order, id: autoTx.id }, now, { signal });
  const kept = new Map(autoTx.checks.map((check) => [check.name, check]));
  const checks = withKeptDelegation(checked.checks, autoTx.checks).flatMap((check) => {
    if (!needsBytes(check.name, transaction)) return [check];
    return kept.get(check.name) ?? [];
  });
  return { transaction, checked: { ...checked, checks } };
}

const LANES: Readonly<Record<string, LaneName>> = { SLOW: 'slow', AVERAGE: 'average', FAST: 'fast' };

const laneOf = ({ gasSpeed }: AutoTxView): LaneName => LANES[gasSpeed?.toUpperCase() ?? ''] ?? 'average';
