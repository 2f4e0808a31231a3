import { PATHS } from '../../contract/routes.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-code.ts';
import { blockText } from '../explorer/block-text.ts';
import { parseBlockNumber } from '../explorer/explorer-arguments.ts';
import { lookUp } from '../explorer/look-up.ts';
import type { ExplorerFlags } from './explorer-flags.ts';

/** `gastop block` */
export async function block(
  context: CommandContext,
  number: string,
  flags: ExplorerFlags,
): Promise<ExitCode> {
  const asked = parseBlockNumber(number);
  const lookup = {
    path: PATHS.block,
    parameters: { number: String(asked) },
    // The head of a source that gives nothing new would be no head; a block by its number stays what it is.
    rule: asked === 'latest' ? 'late' : 'accept',
  } as const;
  return lookUp(
    context,
    { ...lookup, ask: (client, call) => client.block(asked, call), text: blockText },
    flags,
  );
}
