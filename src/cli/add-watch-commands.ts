import { type Command, Option } from 'commander';
import { addAlertsCommand } from './alerts/add-alerts-command.ts';
import { addAutoTxsCommand } from './auto-txs/add-auto-txs-command.ts';
import { block } from './commands/block.ts';
import type { ExplorerFlags } from './commands/explorer-flags.ts';
import type { HistoryFlags } from './commands/history.ts';
import { history } from './commands/history.ts';
import { live } from './commands/live.ts';
import type { NowFlags } from './commands/now.ts';
import { now } from './commands/now.ts';
import { tx } from './commands/tx.ts';
import { wait } from './commands/wait.ts';
import { examples } from './help-text.ts';
import type { ContextFor } from './program.ts';
import type { SourceFlags } from './settings.ts';
import { refuseUnknownCommand } from './unknown-command.ts';
import type { WaitFlags } from './wait/wait-plan.ts';

/** The monitor, and what else shows prices, waits for them or tells of them. */
export function addWatchCommands(
  program: Command,
  contextFor: ContextFor,
  flagsOf: () => SourceFlags,
  done: (exitCode: number) => void,
): void {
  program.commandsGroup('Watch');
  program
    .command('live', { isDefault: true })
    .summary('the monitor (what runs without a command)')
    .description('The monitor: lanes, advice and charts, live. Press ? in it for the keys, q to leave.')
    .allowExcessArguments()
    .action(async (_flags: object, command: Command) => {
      refuseUnknownCommand(command.args, program);
      done(await live(contextFor(flagsOf())));
    });
  program
    .command('now')
    .summary('one snapshot, for people, scripts and status bars')
    .description('One snapshot: the three lanes, the next base fee and what to do.')
    .addOption(new Option('--json', "print the service's v1 answer as it is").conflicts('format'))
    .option('--format <TEXT>', "print TEXT with {average} {next} {action} … filled in; '{}' lists all")
    .addOption(new Option('--below <GWEI>', 'how likely gas costs that or less in time').conflicts('format'))
    .option('--within <TIME>', 'by when, with --below: 10m, 6h; gastop itself can tell up to 1d (default 1h)')
    .option('--stale-ok', 'print old prices too; without it they are exit 3')
    .addHelpText(
      'after',
      examples([
        "gastop now --format '{average} gwei, {action}'",
        'gastop now --below 0.05 --within 6h',
        'gastop now --demo --json',
      ]),
    )
    .action(async (flags: NowFlags) => {
      done(await now(contextFor(flagsOf()), flags));
    });
  program
    .command('wait')
    .summary('wait for a price, then exit 0 or run a command')
    .description(
      'Waits until gas costs that or less, then ends with 0 or runs the command, whose exit code is its own. Old prices do not count; failures of the source are waited out.',
    )
    .argument('[command...]', 'what to run then, after --')
    .usage('--below GWEI [options] [-- command...]')
    .option('--below <GWEI>', 'wait until the price is that or less')
    .option('--above <GWEI>', 'wait until it is that or more')
    .addOption(
      new Option('--lane <LANE>', 'whose price').choices(['slow', 'average', 'fast']).default('average'),
    )
    .option('--timeout <TIME>', 'give up after that: 30m, 12h, at most 24d (exit 124)')
    .option('--confirm <N>', 'wait until N blocks in a row are so (default 1)')
    .option('--quiet', 'say nothing but why it ended')
    .addHelpText(
      'after',
      `${examples(['gastop wait --below 5 && ./deploy.sh', 'gastop wait --below 0.05 --timeout 6h -- ./deploy.sh --network mainnet'])}

The command gets
  GASTOP_PRICE_GWEI  GASTOP_BLOCK  GASTOP_LANE  GASTOP_CHAIN_ID  GASTOP_SOURCE
  and the lane's caps: GASTOP_MAX_FEE_GWEI  GASTOP_TIP_GWEI

Exit codes
  the command's own, 128 + n if signal n ended it   124 the time is up
  126 the command cannot be run   127 it is not there`,
    )
    .action(async (words: string[], flags: WaitFlags) => {
      done(await wait(contextFor(flagsOf()), words, flags));
    });
  addAlertsCommand(program, contextFor, flagsOf, done);
  addAutoTxsCommand(program, contextFor, flagsOf, done);
  program
    .command('history')
    .summary('base fee and tips of the last hours or days')
    .description('Base fee, tips and fullness of blocks over the last hours or days.')
    .option('--window <TIME>', 'how far back: 90m, 24h, 7d, at most 30d', '24h')
    .addOption(new Option('--bucket <SIZE>', 'length of a row').choices(['block', '1m', '5m', '1h', '1d']))
    .addOption(new Option('--csv', 'comma-separated, prices in wei').conflicts(['json', 'chart']))
    .addOption(new Option('--json', "the service's v1 answer as it is").conflicts(['csv', 'chart']))
    .addOption(new Option('--chart', 'a line drawn with text').conflicts(['csv', 'json']))
    .addHelpText('after', examples(['gastop history --window 7d --chart', 'gastop history --csv > day.csv']))
    .action(async (flags: HistoryFlags) => {
      done(await history(contextFor(flagsOf()), flags));
    });

  program
    .command('block')
    .summary('one block: fees, tips, fullness, what it burnt')
    .description('One block: base fee and the next one, tips, fullness, blobs, what it burnt.')
    .argument('[number]', 'its number (24337604, 24,337,604, 0x1735cc4) or latest', 'latest')
    .option('--json', "print the service's v1 answer as it is")
    .addHelpText('after', examples(['gastop block', 'gastop block 24337604 --json']))
    .action(async (number: string, flags: ExplorerFlags) => {
      done(await block(contextFor(flagsOf()), number, flags));
    });
  program
    .command('tx')
    .summary('one transaction: what it paid, and where its tip stood')
    .description("One transaction: what it paid, and where its tip stood among its block's.")
    .argument('<hash>', '0x and 64 hexadecimal digits')
    .option('--json', "print the service's v1 answer as it is")
    .addHelpText(
      'after',
      examples(['gastop tx 0x4a5e… --rpc http://127.0.0.1:8545', 'gastop tx 0x4a5e… --json | jq .costWei']),
    )
    .action(async (hash: string, flags: ExplorerFlags) => {
      done(await tx(contextFor(flagsOf()), hash, flags));
    });
}
