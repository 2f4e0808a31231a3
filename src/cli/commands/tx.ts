import { pathOf } from '../../client/create-gas-client.ts';
import { PATHS } from '../../contract/routes.ts';
import { toAscii } from '../ascii.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { parseTxHash } from '../explorer-arguments.ts';
import { jsonAnswer } from '../json-answer.ts';
import { openExplorer } from '../open-explorer.ts';
import { txText } from '../tx-text.ts';
import type { ExplorerFlags } from './explorer-flags.ts';

/** `gastop tx` */
export async function tx(
  { io, loadSettings }: CommandContext,
  hash: string,
  flags: ExplorerFlags,
): Promise<ExitCode> {
  const asked = parseTxHash(hash);
  const { settings } = await loadSettings();
  const explorer = await openExplorer(io, settings, 'accept');
  const { client, close } = explorer.opened;
  try {
    if (flags.json) {
      const path = pathOf(PATHS.tx, { hash: asked });
      io.stdout.write(jsonAnswer(await explorer.ask((signal) => client.raw(path, {}, { signal })), path));
      return EXIT.ok;
    }
    const view = await explorer.ask((signal) => client.tx(asked, { signal }));
    const text = txText(view, { snapshot: await explorer.snapshot(), now: io.now() });
    io.stdout.write(`${settings.ascii.value ? toAscii(text) : text}\n`);
    return EXIT.ok;
  } finally {
    await close();
  }
}
