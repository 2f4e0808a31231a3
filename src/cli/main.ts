import { existsSync } from 'node:fs';
import { CommanderError } from 'commander';
import { holdsKey } from '../core/key-text.ts';
import type { CommandContext, LoadedSettings } from './command.ts';
import { refuseSignedArguments } from './commands/signed-input.ts';
import { CliError, EXIT, Interruption, reportError, usageError } from './errors.ts';
import { type Io, processIo } from './io.ts';
import { knownSecrets, settingsCode } from './known-secrets.ts';
import { cleanLine, note } from './output.ts';
import { addCommands, commanderMessage, createProgram } from './program.ts';
import type { SourceFlags } from './settings-table.ts';

/** Runs one command line and returns its exit code. Never throws; an error is one line on stderr. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(
    (flags) => createContext(io, flags),
    io,
    (code) => {
      exitCode = code;
    },
  );
  try {
    refuseSignedArguments(argv);
    const words = expandRpc(usualWords(argv));
    await addCommands(program, words);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    const isOfCommander = error instanceof CommanderError;
    // It has only printed help or version.
    if (isOfCommander && error.exitCode === 0) return EXIT.ok;
    const told = isOfCommander ? usageError(commanderMessage(error, program, argv)) : error;
    // Failures caused by an interruption end as the interruption; others are reported.
    const { reason } = io.interruption();
    const cause = reason instanceof Interruption && !(told instanceof CliError) ? reason : told;
    const { config, database = null } = program.opts<SourceFlags>();
    const secrets = await knownSecrets(io, config, database);
    const report = reportError(cause, io.env.GASTOP_DEBUG === '1', secrets);
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
  if (argv.some(isSecretWord)) process.title = 'gastop';
  const exitCode = await main(argv, processIo(env));
  // Waits for writes to a pipe.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  // By itself, as `process.exit` may wait for one of V8's threads that waits for this one (nodejs/node#54918), unless
  // a socket left open for reuse or a name that is still looked up holds it.
  process.exitCode = exitCode;
  setTimeout(() => {
    // Node waits for a name that the system looks up, with a dead name server for minutes; another program does not.
    if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap') && existsSync(SHELL))
      process.execve?.(SHELL, ['sh', '-c', `exit ${exitCode}`], {});
    process.exit(exitCode);
  }, 400).unref();
}

/** The URL of a database with a password, or of a node with a key, alone or behind `--flag=`. */
const isSecretWord = (word: string): boolean =>
  /^(?:--[a-z]+=)?postgres(?:ql)?:.*@/i.test(word) ||
  (/^(?:--[a-z]+=)?(?:https?|wss?):/i.test(word) && holdsKey(word));

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

function createContext(io: Io, flags: SourceFlags): CommandContext {
  const load = async (env: Io['env']): Promise<LoadedSettings> => {
    const { configFile, loadConfigFile, resolveSettings } = await settingsCode();
    const named = flags.config ?? (env.GASTOP_CONFIG?.trim() || undefined);
    const required = named !== undefined;
    const config = await loadConfigFile(named ?? configFile({ ...io, env }), io, required);
    const settings = resolveSettings(flags, env, config);
    const { kind } = settings.source.value;
    const { apiKey, url } = config.content ?? {};
    // A key that was not meant for this service is not sent.
    const isLoose = kind === 'hosted' && settings.apiKey.value === null && apiKey !== undefined && !url;
    const warnings = [
      config.warning,
      kind === 'rpc' || kind === 'hosted' ? goThroughProxy(env) : null,
      isLoose
        ? 'the key in the config file is not used, because no url stands beside it; add the url, or set GASTOP_API_KEY'
        : null,
    ];
    for (const warning of warnings) if (warning !== null) note(io, cleanLine(warning));
    const configFrom = flags.config !== undefined ? '--config' : required ? 'GASTOP_CONFIG' : 'default';
    return { settings, config, configFrom };
  };
  let loaded: Promise<LoadedSettings> | undefined;
  const loadSettings = (env?: Io['env']): Promise<LoadedSettings> => {
    if (env !== undefined) return load(env);
    // A part of a command that needs them again repeats no warning.
    loaded ??= load(io.env);
    return loaded;
  };
  return { io, loadSettings };
}

/** In order of precedence: gastop's requests nearly always use https. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;
/** Requests to this machine never use a proxy; `fetch` compares IPv6 with brackets, `http` without. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

/** Uses the environment's proxy, as curl does; deliveries of alerts never do. Returns why it is not used, or `null`. */
function goThroughProxy(env: Io['env']): string | null {
  const proxy = namedProxy(env);
  // Node has configured it itself.
  if (proxy === null || env.NODE_USE_ENV_PROXY === '1') return null;
  const http = process.getBuiltinModule('node:http');
  if (typeof http.setGlobalProxyFromEnv !== 'function')
    return `${proxy.name} is not used by this Node.js; set NODE_USE_ENV_PROXY=1 or use Node.js 24.14 or newer`;
  const of = (lower: string) => env[lower] || env[lower.toUpperCase()] || undefined;
  try {
    http.setGlobalProxyFromEnv({
      http_proxy: withHttp(of('http_proxy')),
      https_proxy: withHttp(of('https_proxy')),
      no_proxy: [of('no_proxy'), LOOPBACK].filter((part) => part !== undefined).join(','),
    });
    return null;
  } catch {
    return `${proxy.name} is not used: it is no address of a proxy, such as http://proxy.example.org:3128`;
  }
}

/** A hint when there is no response; `null` without a proxy. Hides a password in its address. */
function proxyNote(env: Io['env']): string | null {
  const proxy = namedProxy(env);
  const host = URL.parse(withHttp(proxy?.value) ?? '')?.host;
  return host ? `asked through the proxy ${host}, which ${proxy?.name} names` : null;
}

function namedProxy(env: Io['env']) {
  const name = VARIABLES.find((each) => env[each]);
  return name === undefined ? null : { name, value: env[name] };
}

const withHttp = (address: string | undefined) =>
  address === undefined || address.includes('://') ? address : `http://${address}`;
