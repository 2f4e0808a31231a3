import { accessSync, constants } from 'node:fs';
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
  // Waits for writes to a pipe; a socket kept open for reuse must not hold the process.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  end(exitCode);
}

const LINGER_MS = 400;

/**
 * Lets the process end by itself: `process.exit` waits for V8's threads, one of which may at that moment wait for
 * this one to collect garbage, a deadlock (nodejs/node#54918). If something keeps it alive, it is ended a while
 * later, when those threads have long been idle.
 */
function end(exitCode: number): void {
  process.exitCode = exitCode;
  leaveHangingLookup(exitCode);
  setTimeout(() => process.exit(exitCode), LINGER_MS).unref();
}

/**
 * Ends the process while the system still resolves a host name. Node's own exit waits for it, with a dead name server
 * for half a minute and longer, and ignores Ctrl-C. Replacing the process by another program ends its threads at
 * once. Elsewhere (Windows, no shell) it waits.
 */
function leaveHangingLookup(exitCode: number, shell = '/bin/sh'): void {
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) return;
  try {
    // If the program cannot be started, execve would end this process with a stack trace.
    accessSync(shell, constants.X_OK);
    process.execve?.(shell, ['sh', '-c', `exit ${exitCode}`], {});
  } catch {
    // The timer of `end` follows.
  }
}

/** Lets one `--rpc` take several URLs without swallowing the command: each word like a URL gets its own `--rpc`. */
export function expandRpc(argv: readonly string[]): string[] {
  const expanded: string[] = [];
  let takes: 'nothing' | 'first' | 'further' = 'nothing';
  for (const [index, word] of argv.entries()) {
    if (word === '--') return [...expanded, ...argv.slice(index)];
    if (takes === 'further' && /^[a-z]+:\/\//i.test(word)) expanded.push('--rpc', word);
    else {
      expanded.push(word);
      if (word === '--rpc') takes = 'first';
      else takes = takes === 'first' || word.startsWith('--rpc=') ? 'further' : 'nothing';
      continue;
    }
    takes = 'further';
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
  const files = [config, env.GASTOP_CONFIG, configFile({ env, home, platform })];
  const named = new Set(files.filter((file) => file !== undefined));
  const contents = await Promise.all(
    [...named].map(async (file) => {
      const loaded = await loadConfigFile(file, { required: false, home, platform }).catch(() => null);
      return loaded?.content ?? {};
    }),
  );
  return [
    ...Object.keys(env).map((name) =>
      isSecretVariable(name) || name === 'PGPASSWORD' ? env[name] : undefined,
    ),
    database !== null && isServerUrl(database) ? database : undefined,
    ...contents.flatMap((file) => [file.apiKey, file.encryptionKey, file.database]),
    ...contents.flatMap(({ smtp, telegram }) => [smtp?.password, telegram?.token]),
  ].flatMap((secret = '') => [secret.trim(), ...passwordsOf(secret.trim())].filter((part) => part !== ''));
}

function passwordsOf(url: string): readonly string[] {
  const written = /^[^:]*:\/*[^:]*:(.*)@/.exec(url)?.[1];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(URL.parse(url)?.password ?? '')];
  } catch {
    return [written, URL.parse(url)?.password ?? ''];
  }
}
