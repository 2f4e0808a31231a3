import { existsSync } from 'node:fs';
import { CommanderError } from 'commander';
import { isServerUrl } from '../store/database-url.ts';
import { refuseSignedArguments } from './commands/signed-input.ts';
import { configFile, loadConfigFile } from './config-file.ts';
import { createContext, proxyNote } from './context.ts';
import { CliError, EXIT, reportError } from './errors.ts';
import { Interruption, type Io, processIo } from './io.ts';
import { cleanLine, wantsColour } from './output.ts';
import { commanderMessage, createProgram } from './program.ts';
import { isSecretVariable, type SourceFlags } from './settings.ts';

/** Runs one command line and returns its exit code. Never throws; an error is one line on stderr. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(
    (flags) => createContext(io, flags),
    {
      write: (text) => io.stdout.write(text),
      columns: io.stdout.columns,
      colour: wantsColour(io),
    },
    (code) => {
      exitCode = code;
    },
  );
  const secrets = () => {
    const { config, database = null } = program.opts<SourceFlags>();
    return knownSecrets(io, config, database);
  };
  try {
    refuseSignedArguments(argv);
    await program.parseAsync(expandRpc(usualWords(argv)), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      const message = commanderMessage(error, program, argv);
      if (message === null) return EXIT.ok;
      io.stderr.write(`gastop: ${cleanLine(message, await secrets())}\n`);
      return EXIT.usage;
    }
    // Failures caused by an interruption end as the interruption; others are reported.
    const { reason } = io.interruption();
    const cause = reason instanceof Interruption && !(error instanceof CliError) ? reason : error;
    const report = reportError(cause, io.env.GASTOP_DEBUG === '1', await secrets());
    const proxy = report.exitCode === EXIT.unreachable ? proxyNote(io.env) : null;
    const lines = proxy === null ? report.lines : [...report.lines, cleanLine(proxy)];
    for (const [index, line] of lines.entries()) {
      io.stderr.write(index === 0 ? `gastop: ${line}\n` : `  ${line}\n`);
    }
    return report.exitCode;
  }
}

/** Runs {@link main} in its process and exits. `env` is the shell's environment. */
export async function run(argv: readonly string[], env: Io['env']): Promise<void> {
  // Others on this machine can read a command line.
  if (argv.some((word) => /^(?:--(?:database|to)=)?postgres(?:ql)?:.*@/i.test(word)))
    process.title = 'gastop';
  const exitCode = await main(argv, processIo(env));
  // Waits for writes to a pipe.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  // By itself, as `process.exit` may wait for one of V8's threads that waits for this one (nodejs/node#54918), unless
  // a socket kept open for reuse or a name that is still looked up holds it.
  process.exitCode = exitCode;
  setTimeout(() => {
    // Node waits for a name that the system looks up, with a dead name server for minutes; another program does not.
    if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap') && existsSync(SHELL))
      process.execve?.(SHELL, ['sh', '-c', `exit ${exitCode}`], {});
    process.exit(exitCode);
  }, LINGER_MS).unref();
}

const LINGER_MS = 400;
const SHELL = '/bin/sh';

/** Lets one `--rpc` take several URLs without swallowing the command: each word like a URL gets its own `--rpc`. */
export function expandRpc(argv: readonly string[]): string[] {
  const expanded: string[] = [];
  let takesMore = false;
  for (const [index, word] of argv.entries()) {
    if (word === '--') return [...expanded, ...argv.slice(index)];
    const isValue = argv[index - 1] === '--rpc';
    const isFurther: boolean = takesMore && !isValue && /^[a-z]+:\/\//i.test(word);
    expanded.push(...(isFurther ? ['--rpc', word] : [word]));
    takesMore = isValue || isFurther || word.startsWith('--rpc=');
  }
  return expanded;
}

/** Other programs' ways to ask for help and version: `help`, `help now`, `version`, `-v`. */
function usualWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  if ((first === 'version' || first === '-v') && rest.length === 0) return ['--version'];
  return argv;
}

/** All configured keys, passwords and tokens, whatever their use: no error may repeat one. */
export async function knownSecrets(
  { env, home, platform }: Pick<Io, 'env' | 'platform' | 'home'>,
  config: string | undefined,
  database: string | null = null,
): Promise<readonly string[]> {
  // Every possible file: the unreadable one may be the reason of the error.
  const files = new Set([config, env.GASTOP_CONFIG, configFile({ env, home, platform })]);
  const contents = await Promise.all(
    [...files].map(async (file) => {
      if (file === undefined) return {};
      const loaded = await loadConfigFile(file, { required: false, home, platform }).catch(() => null);
      return loaded?.content ?? {};
    }),
  );
  const secrets = [
    ...Object.keys(env).map((name) => (isSecretVariable(name) || name === 'PGPASSWORD') && env[name]),
    database !== null && isServerUrl(database) && database,
    ...contents.flatMap((file) => [file.apiKey, file.encryptionKey, file.database]),
    ...contents.flatMap(({ smtp, telegram }) => [smtp?.password, telegram?.token]),
  ].map((secret) => (secret || '').trim());
  return [...secrets, ...secrets.flatMap(passwordsOf)].filter((secret) => secret !== '');
}

function passwordsOf(url: string): readonly string[] {
  const written = /^[^:]*:\/*[^:]*:(.*)@/.exec(url)?.[1];
  if (written === undefined) return [];
  const { password = '' } = URL.parse(url) ?? {};
  try {
    return [written, decodeURIComponent(password)];
  } catch {
    return [written, password];
  }
}
