import { draftDifferences } from '../../client/auto-tx-preflight.ts';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { AutoTxChange, AutoTxView } from '../../client/views/auto-txs.ts';
import { mayBeMined } from '../../client/views/auto-txs.ts';
import { PATHS } from '../../contract/routes.ts';
import { type DraftFlags, draftOf, type OrderFlags, orderOf, saysDraft } from '../auto-txs/auto-tx-flags.ts';
import { autoTxStateWords, doesWords, targetWords } from '../auto-txs/auto-tx-words.ts';
import { onAutoTx } from '../auto-txs/on-auto-tx.ts';
import { type SignedInput, signedInput } from '../auto-txs/signed-input.ts';
import { cleanLine } from '../clean-line.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { eachId } from '../each-id.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { withPricing } from '../open-pricing.ts';
import { answers, type JsonFlags } from './alerts.ts';
import { withAutoTxs } from './auto-txs.ts';
import { changedOrder } from './check-auto-tx.ts';
import { flagged, isWanted } from './create-auto-tx.ts';

export interface UpdateAutoTxFlags extends OrderFlags, DraftFlags, JsonFlags {
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly yes?: boolean;
}

export interface DeleteAutoTxFlags extends JsonFlags {
  readonly yes?: boolean;
}

/** `gastop auto-txs update`: what is given changes; a file signs a draft, or takes the place of what was signed. */
export async function updateAutoTx(
  context: CommandContext,
  id: string,
  file: string | undefined,
  flags: UpdateAutoTxFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const changes = changesOf(flags, io.now());
  if (file === undefined) {
    if (Object.keys(changes).length === 0) {
      throw usageError('say what is to change: a flag, or FILE with the signed transaction');
    }
    return withAutoTxs(context, ({ client }) => change({ client }, changes));
  }
  const input = await signedInput(io, file);
  return withPricing(io, settings, async (opened) => {
    const signal = io.interruption();
    const kept = await onAutoTx({ client: opened.client, id, signal }, opened.client.autoTx(id, { signal }));
    requireDrafted(kept, input, flags);
    const order = changedOrder(kept, flags, io.now());
    if (!(await isWanted(context, settings, opened, input, { order, id, ...flags }))) {
      io.stderr.write('gastop: nothing was handed over\n');
      return EXIT.failed;
    }
    return change(opened, { ...changes, signedTransaction: input.raw });
  });

  async function change({ client }: { readonly client: GasClient }, wanted: AutoTxChange): Promise<ExitCode> {
    const signal = io.interruption();
    const asked = client
      .updateAutoTx(id, wanted, { signal, ...answers(context, flags, PATHS.autoTx) })
      .catch(async (error: unknown) => {
        if (flags.enable && file === undefined && isConflict(error)) await requireSigned(client, signal);
        throw flagged(error);
      });
    const changed = await onAutoTx({ client, id, signal }, asked);
    const words = changed === null ? '' : `: ${autoTxStateWords(changed)}, sent when ${targetWords(changed)}`;
    if (!flags.json) io.stderr.write(`gastop: changed ${cleanLine(id)}${words}\n`);
    return EXIT.ok;
  }

  async function requireSigned(client: GasClient, signal: AbortSignal): Promise<void> {
    const kept = await client.autoTx(id, { signal }).catch(() => null);
    if (kept?.status?.toUpperCase() !== 'DRAFT') return;
    const how = `gastop auto-txs update ${cleanLine(id)} FILE`;
    throw new CliError(EXIT.failed, `it is a draft and waits once it is signed: ${how}`);
  }
}

/** `gastop auto-txs cancel`: it is never sent, unless it already was. */
export function cancelAutoTxs(
  context: CommandContext,
  ids: readonly string[],
  flags: JsonFlags,
): Promise<number> {
  const { io } = context;
  return withAutoTxs(context, ({ client }) =>
    eachId(context, ids, async (id) => {
      const signal = io.interruption();
      const asked = client.cancelAutoTx(id, { signal, ...answers(context, flags, PATHS.autoTxCancel) });
      const cancelled = await onAutoTx({ client, id, signal }, asked);
      if (cancelled !== null && cancelled.status !== null && cancelled.status !== 'CANCELLED') {
        const status = autoTxStateWords(cancelled);
        throw new CliError(EXIT.failed, `the service says that ${cleanLine(id)} is ${status}, not cancelled`);
      }
      const isOut = cancelled !== null && mayBeMined(cancelled);
      const words = isOut ? ', but it was sent before and may still be mined until its nonce is used' : '';
      if (!flags.json) io.stderr.write(`gastop: cancelled ${cleanLine(id)}${words}\n`);
    }),
  );
}

/** `gastop auto-txs delete`; asks. @throws CliError (usage) where nobody can be asked. */
export async function deleteAutoTxs(
  context: CommandContext,
  ids: readonly string[],
  flags: DeleteAutoTxFlags,
): Promise<number> {
  const { io } = context;
  const asks = flags.yes !== true;
  if (asks && !(io.stdin.isTTY === true && io.stderr.isTTY === true)) {
    throw usageError('nobody can be asked whether to delete, as there is no terminal; say --yes');
  }
  return withAutoTxs(context, ({ client }) =>
    eachId(context, ids, async (id) => {
      const signal = io.interruption();
      const named = { client, id, signal };
      if (asks) {
        const autoTx = await onAutoTx(named, client.autoTx(id, { signal }));
        const what = `${autoTxStateWords(autoTx)}, ${doesWords(autoTx)}`;
        const answer = await io.ask(`Delete ${cleanLine(id)} (${what}) and what is known of it? [y/N] `);
        if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
          io.stderr.write(`gastop: kept ${cleanLine(id)}\n`);
          return;
        }
      }
      await onAutoTx(named, client.deleteAutoTx(id, { signal, ...answers(context, flags, PATHS.autoTx) }));
      if (!flags.json) io.stderr.write(`gastop: deleted ${cleanLine(id)}\n`);
    }),
  );
}

const isConflict = (error: unknown) => error instanceof ClientError && error.status === 409;

/** What signs a draft must be what was drafted: nothing else is handed over for it. @throws CliError (usage) */
function requireDrafted(kept: AutoTxView, { transaction }: SignedInput, flags: DraftFlags): void {
  // Flags redraft it with the same command; then the service compares.
  if (kept.status?.toUpperCase() !== 'DRAFT' || saysDraft(flags)) return;
  const differences = draftDifferences(transaction, kept).map(({ words }) => words);
  if (differences.length === 0) return;
  throw usageError(
    `this is another transaction than the draft ${cleanLine(kept.id)}: ${differences.join('; ')}; nothing was handed over`,
  );
}

function changesOf(flags: UpdateAutoTxFlags, now: number): AutoTxChange {
  const { enable, disable } = flags;
  if (enable && disable) throw usageError('--enable and --disable cannot be combined');
  const status = enable ? { status: 'PENDING' } : disable ? { status: 'DISABLED' } : {};
  return { ...orderOf(flags, now), ...draftOf(flags), ...status };
}
