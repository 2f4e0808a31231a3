import { Command, Option } from 'commander';
import type { LoadedConfig } from './config-file.ts';
import type { Io } from './io.ts';
import { checked } from './parse.ts';
import type { Settings } from './settings.ts';

/** What a command line says: texts, switches, and those whose text is parsed, by their names. */
export type Flags<Texts extends string, Switches extends string = never, Parsed = unknown> = Readonly<
  Partial<Record<Texts, string> & Record<Switches, boolean> & Parsed>
>;

export interface LoadedSettings {
  readonly settings: Settings;
  readonly config: LoadedConfig;
  readonly configFrom: string;
}

/** What the work of a command gets besides its arguments and flags. */
export interface CommandContext {
  readonly io: Io;
  /** `env` is by default that of the process. */
  loadSettings(env?: Io['env']): Promise<LoadedSettings>;
}

type Work<Args extends readonly unknown[]> = (
  context: CommandContext,
  ...args: Args
) => Promise<number> | Promise<void>;

/** Wraps the work of a command in an action, which passes its exit code to the program; without one it is 0. */
type Run = <Args extends readonly unknown[]>(work: Work<Args>) => (...args: Args) => Promise<void>;

/** A command with examples below its help, whose work gets its context: the global flags from anywhere on the line. */
export class CliCommand extends Command {
  readonly #run: Run;

  constructor(name: string | undefined, run: Run) {
    super(name);
    this.#run = run;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name, this.#run);
  }

  /** A command with commands of its own, the first of which is its default. */
  group(name: string, summary: string, description: string): CliCommand {
    return this.command(name)
      .summary(summary)
      .description(`${description} Without a command it lists them.`)
      .usage('[command] [options]')
      .helpCommand(false);
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }

  oneOf(flags: string, text: string, choices: readonly string[], standard?: string): this {
    return this.addOption(new Option(flags, text).choices(choices).default(standard));
  }

  /** An option whose value is what `parse` makes of its text. @throws CliError (usage) for its RangeError */
  parsed<Value>(
    flags: string,
    text: string,
    parse: (text: string) => Value,
    { conflicts = [], standard }: { conflicts?: string[]; standard?: string } = {},
  ): this {
    const option = new Option(flags, text).conflicts(conflicts).default(standard);
    return this.addOption(option.argParser((value) => checked(option.long ?? flags, () => parse(value))));
  }

  does<Args extends readonly unknown[]>(work: Work<Args>): this {
    return this.action(this.#run(work));
  }
}
