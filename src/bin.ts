/**
 * The launcher: settles everything that must happen before the program is loaded. It must parse and run on Node 16,
 * to reject it with a message, so it uses nothing newer before the version check. Code for older Node versions is
 * loaded there.
 */
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './cli/cache-folder.ts';
import { npxCommand } from './cli/npx-command.ts';

const NEEDED = [22, 13] as const;
const WAY_OUT = 'npx --yes -p node@24 -p gastop gastop';

if (isOld(process.versions.node)) {
  process.stderr.write(
    `gastop needs Node.js ${NEEDED.join('.')} or newer (this is ${process.versions.node}). Run: ${WAY_OUT}\n`,
  );
  process.exitCode = (await wantsNewerNode()) ? await runOnNewerNode() : 1;
} else {
  // The environment set below is for this process, not for commands that it starts.
  const env = { ...process.env };
  prepareProcess();
  const { run } = await import('./cli/main.ts');
  await run(process.argv.slice(2), env);
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]);
}

function prepareProcess(): void {
  // Without this React and Ink use their slow development build; not an assignment, which the bundler would remove.
  Object.assign(process.env, { NODE_ENV: 'production' });
  // chalk, and with it Ink, knows FORCE_COLOR only (https://no-color.org, https://bixense.com/clicolors).
  const { NO_COLOR, CLICOLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR || (CLICOLOR === '0' && FORCE_COLOR === undefined)) process.env.FORCE_COLOR = '0';
  // A terminal is no job's log, whatever a shell has set: Ink would draw nothing there, and chalk no colour.
  if (process.stdout.isTTY) for (const name of ['CI', 'CONTINUOUS_INTEGRATION']) delete process.env[name];
  silenceSqliteWarning();
  // Node's default opens a debugger for everybody on this machine; `node --inspect` still works.
  process.on('SIGUSR1', () => {});
  // Node's own folder lies in the shared temporary one, where anybody may have put code.
  const folder = ownFolder();
  if (folder !== null) module.enableCompileCache?.(folder);
}

function ownFolder(): string | null {
  const { env, platform } = process;
  return cacheFolder({ env, platform, home: homeFolder(), uid: process.geteuid?.() });
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Node 22 and 24 warn that node:sqlite is experimental; every other warning stays. */
function silenceSqliteWarning(): void {
  const emitWarning = process.emitWarning;
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    const text = typeof warning === 'string' ? warning : warning.message;
    const experimental =
      rest[0] === 'ExperimentalWarning' || (warning as Error).name === 'ExperimentalWarning';
    if (experimental && /sqlite/i.test(text)) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  process.emitWarning = filtered;
}

async function wantsNewerNode(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline');
  return new Promise((resolve) => {
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    prompt.once('close', () => resolve(false));
    prompt.question('Run it now with Node.js 24 through npx? [Y/n] ', (answer) => {
      resolve(/^(y|yes|)$/i.test(answer.trim()));
      prompt.close();
    });
  });
}

/** Runs this very file again, so that the installed version is the one that starts. */
async function runOnNewerNode(): Promise<number> {
  const { spawn } = await import('node:child_process');
  const node = await newerNode();
  const giveUp = () => {
    process.stderr.write(`gastop: npx could not be started; install Node.js 24, then run gastop again\n`);
    return 1;
  };
  if (node === null) return giveUp();
  return new Promise((resolve) => {
    const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
    const child = spawn(node, args, { stdio: 'inherit' });
    child.once('error', () => resolve(giveUp()));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Where npx has put Node 24; `null`: it could not. */
async function newerNode(): Promise<string | null> {
  const [{ spawn }, { existsSync, mkdirSync }] = await Promise.all([
    import('node:child_process'),
    import('node:fs'),
  ]);
  const { platform, execPath, env } = process;
  const machine = { platform, execPath, npmScript: env.npm_execpath, exists: existsSync };
  const [command, ...first] = npxCommand(machine) ?? [];
  const folder = platform === 'win32' ? ownFolder() : '/';
  if (command === undefined || folder === null) return null;
  if (platform === 'win32') mkdirSync(folder, { recursive: true });
  // npx runs what lies in node_modules of its folder and of those above: in the present one that may be a neighbour's.
  const wanted = ['--prefix', folder, '-y', '-p', 'node@24', '--', 'node', '-p', 'process.execPath'];
  const child = spawn(command, [...first, ...wanted], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  const node = said.trim();
  return isAbsolute(node) && existsSync(node) ? node : null;
}
