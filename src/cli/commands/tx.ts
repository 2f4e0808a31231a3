import { PATHS } from '../../contract/routes.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';
import { parseTxHash } from '../explorer/explorer-arguments.ts';
import { lookUp } from '../explorer/look-up.ts';
import { txText } from '../explorer/tx-text.ts';
import type { ExplorerFlags } from './explorer-flags.ts';

/** `gastop tx` */
export async function tx(context: CommandContext, text: string, flags: ExplorerFlags): Promise<ExitCode> {
  const hash = parseTxHash(text);
  const lookup = { path: PATHS.tx, parameters: { hash }, rule: 'accept' } as const;
  return lookUp(context, { ...lookup, ask: (client, call) => client.tx(hash, call), text: txText }, flags);
}
