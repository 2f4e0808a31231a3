import type { Command } from 'commander';
import { chainDatabase, configFile, keysDatabase } from '../../src/cli/config-file.ts';
import {
  allCommands,
  argumentTerm,
  commandTree,
  flagText,
  fullName,
  ownFlags,
  textAfter,
} from './command-tree.ts';
import { EXIT_CODES } from './commands.ts';
import { keyRows } from './keys-table.ts';
import { bold, entry, roff, section, subsection, verbatim } from './roff.ts';
import { DOCUMENTED_SETTINGS, OTHER_VARIABLES } from './settings.ts';

export interface Release {
  readonly version: string;
  /** As the CHANGELOG has it: a day, or `unreleased`. */
  readonly date: string;
}

/** man/gastop.1, from what `--help`, the settings and the keys are made of. */
export function manPage({ version, date }: Release): string {
  const root = commandTree();
  const words = root.description();
  return `${[
    `.\\" Written by npm run docs.`,
    `.TH GASTOP 1 "${date}" "gastop ${version}" "User Commands"`,
    section('NAME'),
    `gastop \\- ${roff(words)}`,
    section('SYNOPSIS'),
    '.nf',
    bold('gastop') + roff(' [options]'),
    `${bold('gastop')} \\fIcommand\\fR${roff(' [options]')}`,
    '.fi',
    section('DESCRIPTION'),
    roff(
      'A live terminal monitor of blockchain gas prices that says what to pay now, what to pay if you can wait, and how sure it is, and the gas-price service behind it. Without a command it is the monitor, which needs a terminal. Data goes to stdout, everything else to stderr.',
    ),
    section('COMMANDS'),
    ...allCommands(root).flatMap(commandPart),
    section('OPTIONS'),
    roff('They go with every command, before or after its name.'),
    ...flagEntries(root),
    section('KEYS'),
    roff('Of the monitor.'),
    ...keyParts(),
    section('CONFIGURATION'),
    roff(
      'A flag comes before the environment, the environment before the config file, which is JSON. Its names:',
    ),
    ...DOCUMENTED_SETTINGS.flatMap(({ key, text }) => (key === null ? [] : [entry(bold(key), prose(text))])),
    section('ENVIRONMENT'),
    ...DOCUMENTED_SETTINGS.flatMap(({ variables, text }) =>
      variables.map((name) => entry(bold(name), prose(text))),
    ),
    ...Object.entries(OTHER_VARIABLES).map(([name, text]) => entry(bold(name), prose(text))),
    section('FILES'),
    ...files(),
    section('EXIT STATUS'),
    ...EXIT_CODES.map(([exitCode, says]) => entry(bold(String(exitCode)), prose(says))),
    section('EXAMPLES'),
    // No paragraph may begin right after a title.
    verbatim(examplesOf(root)).replace('.PP\n', ''),
  ].join('\n')}\n`;
}

function commandPart(command: Command): readonly string[] {
  const usage = command.usage();
  const after = textAfter(command);
  return [
    subsection(fullName(command)),
    `${bold(fullName(command))} ${roff(usage)}`,
    '.PP',
    roff(command.description()),
    ...command.registeredArguments.map((argument) =>
      entry(bold(argumentTerm(argument)), roff(argument.description)),
    ),
    ...flagEntries(command),
    ...(after === '' ? [] : [verbatim(after)]),
  ];
}

function flagEntries(command: Command): readonly string[] {
  return ownFlags(command).map((option) => entry(bold(option.flags), roff(flagText(option))));
}

function keyParts(): readonly string[] {
  const rows = keyRows();
  return [...new Set(rows.map(({ where }) => where))].flatMap((where) => [
    subsection(where[0]?.toUpperCase() + where.slice(1)),
    ...rows.filter((row) => row.where === where).map(({ label, help }) => entry(bold(label), roff(help))),
  ]);
}

function files(): readonly string[] {
  const place = { env: {}, platform: 'linux', home: '~' } as const;
  return [
    entry(bold(configFile(place)), roff('settings; mode 0600 where a key or a password stands in it')),
    entry(bold(chainDatabase(place, { id: '<id>' })), roff('history, alerts and auto-txs of one chain')),
    entry(bold(keysDatabase(place)), roff('keys of gastop serve')),
  ];
}

/** The examples alone: exit codes have a section of their own. */
function examplesOf(root: Command): string {
  const [examples = ''] = textAfter(root).split('\n\n');
  return examples.replace(/^Examples\n/, '').replaceAll(/^ {2}/gm, '');
}

/** Markdown as plain words: code and links lose their marks. */
function prose(markdown: string): string {
  return roff(markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', ''));
}
