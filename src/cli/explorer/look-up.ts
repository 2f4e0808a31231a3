import type { CallOptions, GasClient } from '../../client/client.ts';
import { pathOf } from '../../client/client.ts';
import type { PATHS } from '../../contract/routes.ts';
import { toAscii } from '../ascii.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExplorerFlags } from '../commands/explorer-flags.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { jsonAnswer } from '../json-answer.ts';
import type { StaleRule } from '../stale-rule.ts';
import type { Surroundings } from './explorer-words.ts';
import { openExplorer } from './open-explorer.ts';

/** One thing that is looked up: how it is asked for and told. */
export interface Lookup<View> {
  readonly path: (typeof PATHS)[keyof typeof PATHS];
  readonly parameters: Readonly<Record<string, string>>;
  readonly rule: StaleRule;
  readonly ask: (client: GasClient, call: CallOptions) => Promise<View>;
  readonly text: (view: View, surroundings: Surroundings) => string;
}

/** Prints what was looked up: for people, or with `--json` as the service answered it. */
export async function lookUp<View>(
  { io, loadSettings }: CommandContext,
  { path, parameters, rule, ask, text }: Lookup<View>,
  flags: ExplorerFlags,
): Promise<ExitCode> {
  const { settings } = await loadSettings();
  const explorer = await openExplorer(io, settings, rule);
  const { client, close } = explorer.opened;
  try {
    if (flags.json) {
      const at = pathOf(path, parameters);
      io.stdout.write(jsonAnswer(await explorer.ask((signal) => client.raw(at, {}, { signal })), at));
      return EXIT.ok;
    }
    const view = await explorer.ask((signal) => ask(client, { signal }));
    const told = text(view, { snapshot: await explorer.snapshot(), now: io.now() });
    io.stdout.write(`${settings.ascii.value ? toAscii(told) : told}\n`);
    return EXIT.ok;
  } finally {
    await close();
  }
}
