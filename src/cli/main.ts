import { CommanderError } from 'commander';
import { refuseSignedArguments } from './auto-txs/signed-argument.ts';
import { cleanLine } from './clean-line.ts';
import { createContext } from './command-context.ts';
import { reportError } from './error-report.ts';
import { EXIT } from './exit-code.ts';
import { expandRpc } from './expand-rpc.ts';
import { type Io, processIo } from './io.ts';
import { knownSecrets } from './known-secrets.ts';
import { leaveHangingNames } from './leave-hanging-names.ts';
import { commanderMessage, createProgram } from './program.ts';
import { proxyNote } from './proxy.ts';
import type { SourceFlags } from './settings.ts';
import { usualWords } from './usual-words.ts';
import { wantsColour } from './wants-colour.ts';

/** Runs one command line and answers its exit code. Nothing is thrown; what went wrong is one line on stderr. */
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
  const secrets = () => knownSecrets(io, program.opts<SourceFlags>().config);
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
    const report = reportError(error, io.env.GASTOP_DEBUG === '1', await secrets());
    const proxy = report.exitCode === EXIT.unreachable ? proxyNote(io.env) : null;
    const lines = proxy === null ? report.lines : [...report.lines, cleanLine(proxy)];
    for (const [index, line] of lines.entries()) {
      io.stderr.write(index === 0 ? `gastop: ${line}\n` : `  ${line}\n`);
    }
    return report.exitCode;
  }
}

/** The process around {@link main}: it owns the exit. `env` is the environment as the shell gave it. */
export async function run(argv: readonly string[], env: Io['env']): Promise<void> {
  const exitCode = await main(argv, processIo(env));
  // What was written to a pipe may still be under way; a socket kept open for reuse must not hold the process.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  end(exitCode);
}

/** How long what is still open may hold the process once everything is done. */
const LINGER_MS = 400;

/**
 * Lets the process run out instead of ending it: `process.exit` waits for V8's threads, one of which may at that moment
 * wait for this one to collect garbage, and then neither ever ends (nodejs/node#54918). What is left open ends it so
 * after all, a while later, when those threads have long been idle.
 */
function end(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => {
    leaveHangingNames(exitCode);
    process.exit(exitCode);
  }, LINGER_MS).unref();
}
