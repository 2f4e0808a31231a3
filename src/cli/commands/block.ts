import { pathOf } from '../../client/create-gas-client.ts';
import { PATHS } from '../../contract/routes.ts';
import { toAscii } from '../ascii.ts';
import { blockText } from '../block-text.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { parseBlockNumber } from '../explorer-arguments.ts';
import { jsonAnswer } from '../json-answer.ts';
import { openExplorer } from '../open-explorer.ts';
import type { ExplorerFlags } from './explorer-flags.ts';

/** `gastop block` */
export async function block(
  { io, loadSettings }: CommandContext,
  number: string,
  flags: ExplorerFlags,
): Promise<ExitCode> {
  const asked = parseBlockNumber(number);
  const { settings } = await loadSettings();
  // The head of a source that gives nothing new would be no head; a block by its number stays what it is.
  const explorer = await openExplorer(io, settings, asked === 'latest' ? 'late' : 'accept');
  const { client, close } = explorer.opened;
  try {
    if (flags.json) {
      const path = pathOf(PATHS.block, { number: String(asked) });
      io.stdout.write(jsonAnswer(await explorer.ask((signal) => client.raw(path, {}, { signal })), path));
      return EXIT.ok;
    }
    const view = await explorer.ask((signal) => client.block(asked, { signal }));
    const text = blockText(view, { snapshot: await explorer.snapshot(), now: io.now() });
    io.stdout.write(`${settings.ascii.value ? toAscii(text) : text}\n`);
    return EXIT.ok;
  } finally {
    await close();
  }
}
