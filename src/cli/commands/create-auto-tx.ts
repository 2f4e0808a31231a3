import type { AutoTxToCheck } from '../../client/auto-tx-preflight.ts';
import { checkAutoTx } from '../../client/auto-tx-preflight.ts';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { isPlain } from '../../client/service-url.ts';
import type { AutoTxView, NewAutoTx } from '../../client/views/auto-txs.ts';
import { PATHS } from '../../contract/routes.ts';
import { toAscii } from '../ascii.ts';
import { autoTxCheckText } from '../auto-txs/auto-tx-check-text.ts';
import { type DraftFlags, draftOf, type OrderFlags, orderOf, saysDraft } from '../auto-txs/auto-tx-flags.ts';
import { autoTxStateWords, targetWords } from '../auto-txs/auto-tx-words.ts';
import { type SignedInput, signedInput } from '../auto-txs/signed-input.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type OpenedPricing, withPricing } from '../open-pricing.ts';
import type { Settings } from '../settings.ts';
import { answers, type JsonFlags } from './alerts.ts';
import { orderFrom } from './check-auto-tx.ts';

export interface CreateAutoTxFlags extends OrderFlags, DraftFlags, JsonFlags {
  readonly yes?: boolean;
}

/** `gastop auto-txs create`: of a signed transaction, or a draft by flags. */
export async function createAutoTx(
  context: CommandContext,
  file: string | undefined,
  flags: CreateAutoTxFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  const { targetGasPriceGwei, ...order } = orderOf(flags, io.now());
  if (targetGasPriceGwei === undefined) {
    throw usageError('an auto-tx needs a price at which it is sent: --target GWEI');
  }
  const autoTx = { ...order, targetGasPriceGwei };
  if (saysDraft(flags)) {
    if (file !== undefined) {
      throw usageError('--to, --value and --data make a draft; a signed transaction says them itself');
    }
    const draft = { ...autoTx, ...draftOf(flags) };
    return withPricing(io, settings, ({ client, host }) =>
      create(context, client, draft, flags, host === null),
    );
  }
  const input = await signedInput(io, file);
  return withPricing(io, settings, async (opened) => {
    if (
      !(await isWanted(context, settings, opened, input, { order: orderFrom(flags, io.now()), ...flags }))
    ) {
      io.stderr.write('gastop: nothing was handed over\n');
      return EXIT.failed;
    }
    const made = { ...autoTx, signedTransaction: input.raw };
    return create(context, opened.client, made, flags, opened.host === null);
  });
}

/**
 * Shows what is about to be handed over, and to whom; at a terminal it asks. A script is not asked: the service refuses
 * what can never be sent, and tells of the rest.
 */
export async function isWanted(
  { io }: CommandContext,
  { ascii, source }: Settings,
  { client, host }: OpenedPricing,
  { transaction }: SignedInput,
  { order, id = null, yes = false }: Pick<AutoTxToCheck, 'order' | 'id'> & { readonly yes?: boolean },
): Promise<boolean> {
  const signal = io.interruption();
  const checked = await checkAutoTx(client, { transaction, order, id }, io.now(), { signal });
  const text = autoTxCheckText(transaction, checked, ascii.value);
  io.stderr.write(`${ascii.value ? toAscii(text) : text}\n`);
  const whom = host === null ? 'this database' : cleanLine(host);
  if (host !== null) {
    io.stderr.write(`gastop: the signed transaction is handed to ${whom}, which can send it at any time\n`);
  }
  if (source.value.kind === 'hosted' && isPlain(source.value.url)) {
    io.stderr.write(
      'gastop: it travels unencrypted, and whoever reads it can send it; use https:// if it can\n',
    );
  }
  const asks = !yes && io.stdin.isTTY === true && io.stderr.isTTY === true;
  if (!asks) return true;
  const answer = await io.ask(`Hand it to ${whom}? [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

async function create(
  context: CommandContext,
  client: GasClient,
  autoTx: NewAutoTx,
  flags: JsonFlags,
  isOwn: boolean,
): Promise<ExitCode> {
  const { io } = context;
  const created = await client
    .createAutoTx(autoTx, { signal: io.interruption(), ...answers(context, flags, PATHS.autoTxs) })
    .catch((error: unknown) => {
      throw flagged(error);
    });
  if (flags.json) return EXIT.ok;
  io.stdout.write(`${cleanLine(created.id)}\n`);
  for (const line of madeLines(created, isOwn, created.expiresAt === null && !autoTx.expiresAt))
    io.stderr.write(`gastop: ${line}\n`);
  return EXIT.ok;
}

function madeLines(created: AutoTxView, isOwn: boolean, isEndless: boolean): string[] {
  const made = `made ${cleanLine(created.id)}: ${autoTxStateWords(created)}, sent when ${targetWords(created)}`;
  if (created.status === 'DRAFT') {
    return [made, 'it waits for its signature: gastop auto-txs update ID FILE'];
  }
  return [
    made,
    ...(isOwn ? ['it is sent while gastop or gastop serve runs on this database'] : []),
    ...(isEndless
      ? [`it waits for ever; gastop auto-txs update ${cleanLine(created.id)} --expires 7d ends that`]
      : []),
  ];
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

/** What a service has against a field, told by the flag that it was typed as. */
export function flagged(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.code !== 'invalid' || error.details.length === 0) return error;
  const lines = error.details.map(
    ({ path, message }) => `${FLAGS[path] ?? cleanLine(path)}: ${cleanLine(message)}`,
  );
  const [only = ''] = lines;
  return lines.length === 1
    ? usageError(only)
    : usageError(`${lines.length} things are wrong with this auto-tx`, lines);
}
