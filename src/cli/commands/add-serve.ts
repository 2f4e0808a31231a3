import { type Command, Option } from 'commander';
import { EXIT } from '../errors.ts';
import { examples } from '../help.ts';
import type { ContextFor } from '../program.ts';
import type { SourceFlags } from '../settings.ts';
import type { ServeFlags } from './serve.ts';
import { printUnit } from './systemd.ts';

/** `gastop serve` */
export function addServeCommand(
  program: Command,
  contextFor: ContextFor,
  flagsOf: () => SourceFlags,
  done: (exitCode: number) => void,
): void {
  program
    .command('serve')
    .summary('the v1 service for other programs and people')
    .description(
      'Serves the v1 API over HTTP, with keys and quotas. Make a key with gastop keys create. Who has one reads the ' +
        'hosts and ports of your nodes in /dashboard/summary.',
    )
    .option('--host <ADDRESS>', 'where to listen; 0.0.0.0 is open to everybody', '127.0.0.1')
    .option('--port <N>', 'port to listen on; 0 takes a free one', '8787')
    .option('--base-url <URL>', 'what others call it by, behind a proxy')
    .option('--keys <FILE>', 'where the keys are kept')
    .addOption(
      new Option('--log-level <LEVEL>', 'what goes to stderr')
        .choices(['debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('info'),
    )
    .option('--systemd', 'print a unit that keeps it running, and end')
    .addHelpText(
      'after',
      examples([
        'gastop serve --rpc http://127.0.0.1:8545',
        'gastop serve --demo --port 8787',
        'gastop serve --systemd > ~/.config/systemd/user/gastop.service',
      ]),
    )
    .action(async (flags: ServeFlags) => {
      if (flags.systemd) {
        const { io } = contextFor(flagsOf());
        await printUnit(io, flagsOf(), flags);
        return done(EXIT.ok);
      }
      const { serve } = await import('./serve.ts');
      done(await serve(contextFor(flagsOf()), flags));
    });
}
