import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { examples } from '../help.ts';
import { type ContextFor, refuseUnknownCommand } from '../program.ts';
import type { SourceFlags } from '../settings.ts';
import type { CreateKeyFlags, KeysFlags, ListKeysFlags } from './keys.ts';

/** `gastop keys` and what it can do. */
export function addKeysCommand(
  program: Command,
  contextFor: ContextFor,
  flagsOf: () => SourceFlags,
  done: (exitCode: number) => void,
): void {
  const keys = program
    .command('keys')
    .summary('keys of gastop serve: create, list, rotate, revoke')
    .description('The keys that gastop serve accepts. A key is shown once, when it is made.')
    .usage('<command> [options]')
    .option('--keys <FILE>', 'where the keys are kept')
    .helpCommand(false)
    .action((_flags: object, command: Command) => {
      refuseUnknownCommand(command.args, keys);
      throw usageError('gastop keys needs one of create, list, rotate, revoke; see gastop keys --help');
    })
    .addHelpText(
      'after',
      examples(['gastop keys create --name "price bot" --plan basic', 'KEY=$(gastop keys create)']),
    );
  const files = () => keys.opts<KeysFlags>();
  keys
    .command('create')
    .description('Makes a key and prints it, once.')
    .option('--name <TEXT>', 'who or what it is for')
    .option('--plan <NAME>', 'free, basic, pro or one of the config file', 'free')
    .option('--json', 'print { id, name, plan, key }')
    .action(async (flags: CreateKeyFlags) => {
      const { createKey } = await import('./keys.ts');
      done(await createKey(contextFor(flagsOf()), { ...files(), ...flags }));
    });
  keys
    .command('list')
    .description('Lists the keys, their plans and what they used today. The keys themselves are not kept.')
    .option('--json', 'for programs')
    .action(async (flags: ListKeysFlags) => {
      const { listKeys } = await import('./keys.ts');
      done(await listKeys(contextFor(flagsOf()), { ...files(), ...flags }));
    });
  keys
    .command('rotate')
    .description('Gives a key a new secret; the old one stops working at once.')
    .argument('<id>', 'as gastop keys list shows it')
    .option('--json', 'print { id, name, plan, key }')
    .action(async (id: string, flags: ListKeysFlags) => {
      const { rotateKey } = await import('./keys.ts');
      done(await rotateKey(contextFor(flagsOf()), id, { ...files(), ...flags }));
    });
  keys
    .command('revoke')
    .description('Ends a key, at once and for good.')
    .argument('<id>', 'as gastop keys list shows it')
    .action(async (id: string) => {
      const { revokeKey } = await import('./keys.ts');
      done(await revokeKey(contextFor(flagsOf()), id, files()));
    });
  for (const command of keys.commands) command.helpOption('-h, --help', 'print this help');
  // After the commands within it, which would take it over.
  keys.allowExcessArguments();
}
