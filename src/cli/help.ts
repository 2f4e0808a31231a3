import type { Command, Help, Option } from 'commander';

export const ROOT_EXAMPLES = `
Examples
  gastop --demo                              look around, no network needed
  gastop --rpc http://127.0.0.1:8545         your own node
  gastop now --format '{average} gwei'       for a status bar
  gastop history --window 7d --chart         the week as a line
  gastop chains --chains base,op,scroll      what a swap costs on each

Exit codes
  0 ok   1 failed   2 wrong usage   3 source unreachable or prices old
  4 key missing or refused   5 quota used up`;

const GLOBAL_HINT = 'Source and settings flags go with every command: gastop --help';
type Item = readonly [term: string, text: string];

export function formatHelp(command: Command, helper: Help): string {
  const title = (text: string): string => helper.styleTitle(text);
  const commands = helper.groupItems(
    [...command.commands],
    helper.visibleCommands(command),
    (each) => each.helpGroup() || 'Commands',
  );
  const options = helper.groupItems(
    [...command.options],
    helper.visibleOptions(command),
    (option) => option.helpGroupHeading ?? 'Flags',
  );
  const args = helper.visibleArguments(command);
  const sections: (readonly [string, readonly Item[]])[] = [
    ...[...commands].map(
      ([heading, list]) => [heading, list.map((one) => commandItem(one, helper))] as const,
    ),
    ['Arguments', args.map((each): Item => [helper.argumentTerm(each), each.description])],
    ...[...options].map(([heading, list]) => [heading, list.map((one) => optionItem(one, helper))] as const),
  ];
  const width = Math.max(...sections.flatMap(([, items]) => items.map(([term]) => term.length)), 0);
  return `${[
    helper.boxWrap(`${title(fullName(command))}  ${command.description()}`, helper.helpWidth ?? 80),
    '',
    `${title('Usage')}  ${helper.commandUsage(command)}`,
    ...sections
      .filter(([, items]) => items.length > 0)
      .flatMap(([heading, items]) => [
        '',
        title(heading),
        ...items.map(([term, text]) => helper.formatItem(term, width, text, helper)),
      ]),
    ...(command.parent === null ? [] : ['', GLOBAL_HINT]),
  ].join('\n')}\n`;
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function commandItem(command: Command, helper: Help): Item {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[command.name(), ...words].join(' '), helper.subcommandDescription(command)];
}

function optionItem(option: Option, helper: Help): Item {
  const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.join(', ')}`;
  const standard = typeof option.defaultValue === 'string' ? ` (default ${option.defaultValue})` : '';
  return [helper.optionTerm(option), `${option.description}${choices}${standard}`];
}
