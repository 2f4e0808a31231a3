import { VERSION } from '../../contract/routes.ts';
import { readChainRows } from '../chain-rows.ts';
import { comparedChains } from '../chosen-chains.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { reportError } from '../errors.ts';
import type { Io } from '../io.ts';
import { knownSecrets } from '../known-secrets.ts';
import { type OpenedClient, openSource, READY_WITHIN_MS } from '../open-source.ts';
import { note } from '../output.ts';

export function addMcp(program: CliCommand): void {
  program
    .command('mcp')
    .summary('gas prices for AI agents, over MCP')
    .description(
      'Serves the Model Context Protocol on stdin and stdout, for the MCP client that starts it: tools for prices, advice, ' +
        'history, blocks, transactions, costs, alerts and auto-txs. They change nothing without --allow-writes.',
    )
    .option(
      '--allow-writes',
      'tools that create, enable, disable and delete alerts and cancel auto-txs; alerts fire while it runs',
    )
    .examples('gastop mcp --url https://gas.example.org', 'gastop mcp --demo')
    .does(serveMcp);
}

async function serveMcp(
  { io, loadSettings }: CommandContext,
  { allowWrites = false }: Flags<never, 'allowWrites'>,
): Promise<void> {
  const { settings, config } = await loadSettings();
  const secrets = await knownSecrets(io, config.path, settings.db.value);
  if (io.stdin.isTTY === true) {
    note(
      io,
      'an MCP client speaks here: name "gastop mcp" in its configuration (docs/MCP.md); Ctrl-C ends it',
    );
  }
  const stop = new AbortController();
  const ending = AbortSignal.any([io.interruption(), stop.signal]);
  const whileServing: Io = { ...io, interruption: () => ending };
  // Without writes it must neither fire alerts nor broadcast; with them its alerts should fire.
  const role = allowWrites ? 'service' : 'one-shot';
  let opening: Promise<OpenedClient> | null = null;
  const open = async () => {
    opening ??= openSource(whileServing, settings, 'accept', { historySec: settings.historySec.value, role });
    try {
      return (await opening).client;
    } catch (error) {
      opening = null;
      throw error;
    }
  };
  // The first call need not wait for it, and reports its errors.
  open().catch(() => {});
  const { serveOverStdio } = await import('../../mcp/server.ts');
  await serveOverStdio(
    {
      version: VERSION,
      allowWrites,
      writesNeed: 'gastop mcp --allow-writes',
      open,
      compare: (names, signal) => {
        // A source that was named for the other tools is no reason not to compare.
        const chains = { ...settings, source: { ...settings.source, from: 'default' } };
        const setups = comparedChains(chains, names ?? undefined);
        const patienceSec = settings.patienceSec.value;
        return readChainRows(setups, { now: io.now, patienceSec, withinMs: READY_WITHIN_MS, signal });
      },
      describeError: (error) => reportError(error, false, secrets).lines.join('; ') || 'gastop is ending',
    },
    ending,
  );
  stop.abort();
  const opened = await Promise.resolve<OpenedClient | null>(opening).catch(() => null);
  await opened?.close();
}
