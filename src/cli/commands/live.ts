import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemCode } from '../../core/system-code.ts';
import { makeWhole } from '../../store/whole-file.ts';
import type { MonitorLog } from '../../tui/app/monitor-log.ts';
import type { MonitorSource } from '../../tui/app/source.ts';
import { Remembered, type RememberedValues } from '../../tui/data/remembered.ts';
import { chainsOption, chosenChains } from '../chosen-chains.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { stateFile } from '../config-file.ts';
import { failure, fileFailureReason, usageError } from '../errors.ts';
import { boundHeap, shrinkHeapAfter } from '../heap.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openClient, READY_WITHIN_MS, warnOfPlainKey } from '../open-source.ts';
import { cleanLine, mapped, withSpinner } from '../output.ts';
import { unknownCommand } from '../parse.ts';
import {
  type ChainSetup,
  DEFAULT_SEED,
  isSaid,
  parseNodeSetting,
  type Settings,
  serviceUrl,
  withSource,
} from '../settings.ts';
import { rememberedName, StateFile } from '../state-file.ts';

export function addLive(program: CliCommand): void {
  program
    .command('live', { isDefault: true })
    .summary('the monitor (what runs without a command)')
    .description('The monitor: lanes, advice and charts, live. Press ? in it for the keys, q to leave.')
    .addOption(chainsOption())
    .allowExcessArguments()
    .does((context, flags: LiveFlags, command: CliCommand) => {
      const [word] = command.args;
      if (word !== undefined) throw usageError(unknownCommand(word, program));
      return live(context, flags);
    });
}

type LiveFlags = Flags<'chains'>;

async function live({ io, loadSettings }: CommandContext, flags: LiveFlags): Promise<number> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) {
    throw usageError('the monitor needs a terminal; for scripts and pipes there is "gastop now"');
  }
  if (io.env.TERM === 'dumb') {
    throw usageError('this terminal (TERM=dumb) cannot show the monitor; "gastop now" prints one snapshot');
  }
  const log = monitorLog(io);
  // Ink first: the frame is drawn before the source's code is loaded.
  const { startMonitor } = await import('../../tui/app/start.tsx');
  const loaded = await loadSettings();
  const setups = chosenChains(loaded.settings, flags.chains);
  const [only, ...others] = setups;
  const isNamed = flags.chains !== undefined && only !== undefined;
  const settings = isNamed ? withSource(loaded.settings, only.source) : loaded.settings;
  const isBoardFirst = others.length > 0 && (isNamed || !isSaid(settings.source));
  // Before the monitor owns the screen, when nothing else may write to the terminal.
  warnOfPlainKey(io, settings.source.value);
  for (const { source } of setups) warnOfPlainKey(io, source);
  await using board = only === undefined ? null : await openBoard(io, settings, setups);
  // Reports an unusable file before the screen changes, as every other command does.
  const { kind } = settings.source.value;
  const namesFile = kind === 'replay' || (settings.db.value !== null && kind !== 'hosted');
  let unused = namesFile && !isBoardFirst ? await withSpinner(io, 'opening', open(io, settings)) : null;
  const state = await StateFile.open(stateFile(io), io.home, settings.fresh.value);
  const remembered = new Remembered({
    file: state,
    said: toldValues(settings, true),
    otherwise: toldValues(settings, false),
  });
  if (!isBoardFirst) remembered.open(rememberedName(settings.source.value));
  const { code } = await startMonitor({
    log,
    remembered,
    ascii: settings.ascii.value,
    screenReader: settings.screenReader.value,
    notifications: { level: settings.notifications.value, env: io.env },
    connect: async () => {
      const opened = unused ?? (await open(io, settings));
      unused = null;
      return opened;
    },
    urlProblem,
    fullPath: (name) => resolve(name),
    saveFile: saveHere,
    isBoardFirst,
    board,
    openSource: async (choice) => {
      if (choice === 'retry') return open(io, settings);
      return open(io, await chosenSettings(io, settings, choice));
    },
  });
  await Promise.all([unused?.close(), state.end()]);
  return code;
}

async function openBoard(io: Io, settings: Settings, setups: readonly ChainSetup[]) {
  // Without chains the first frame need not wait for its code.
  const { EVERY_MS, openChainRows } = await import('../chain-rows.ts');
  const rows = openChainRows(setups, { now: io.now, patienceSec: settings.patienceSec.value });
  let isStarted = false;
  const start = () => {
    if (isStarted) return;
    isStarted = true;
    rows.start();
    const isRead = rows.complete(READY_WITHIN_MS, io.interruption());
    void shrinkHeapAfter(isRead.then(boundHeap)).catch(() => {});
  };
  return {
    everyMs: EVERY_MS,
    read: rows.read,
    subscribe: (listener: () => void) => {
      start();
      return rows.subscribe(listener);
    },
    open: async (name: string) => {
      const { source = settings.source.value } = setups.find((each) => each.name === name) ?? {};
      return open(io, withSource(settings, source));
    },
    [Symbol.asyncDispose]: rows[Symbol.asyncDispose],
  };
}

/** What settings say of what the monitor remembers, by its names; `isOfRun`: said for this run, or in the config file. */
function toldValues({ patienceSec, intervalSec, zone, mouse }: Settings, isOfRun: boolean): RememberedValues {
  const interval = { ...intervalSec, value: mapped(intervalSec.value, (sec) => sec * 1_000) };
  const settings = Object.entries({ patience: patienceSec, interval, zone, mouse });
  return Object.fromEntries(
    settings.flatMap(([name, setting]) => (isSaid(setting) === isOfRun ? [[name, setting.value]] : [])),
  );
}

/** Appends what the monitor does to the file that GASTOP_LOG names, a line of JSON each; `undefined`: it names none. @throws CliError */
function monitorLog({ env, now }: Io): MonitorLog | undefined {
  const path = env.GASTOP_LOG?.trim();
  if (path === undefined || path === '') return undefined;
  const write = (text: string) => appendFileSync(path, text, { mode: 0o600 });
  try {
    write('');
  } catch (error) {
    throw usageError(`GASTOP_LOG: ${cleanLine(path)} ${fileFailureReason(error)}`);
  }
  return (event) => {
    // A disk that is full must not end the monitor.
    try {
      write(`${JSON.stringify({ at: new Date(now()).toISOString(), ...event })}\n`);
    } catch {}
  };
}

/** The settings for a source chosen in the monitor. A typed http URL may be a node or a service. */
export async function chosenSettings(
  { env }: Io,
  settings: Settings,
  choice: 'demo' | { readonly url: string },
): Promise<Settings> {
  if (choice === 'demo')
    return withSource(settings, { kind: 'simulated', seed: DEFAULT_SEED, forkAfter: null });
  const url = parseNodeSetting(choice.url.trim());
  const node = { kind: 'rpc', urls: [url], isPublicDefault: false } as const;
  const { openChain, reachedChain } = await import('../open-service.ts');
  const chain = await openChain(node, 'real-time', false);
  try {
    // A node responds with its chain id, and gets no key.
    const { signal } = new AbortController();
    if (!url.protocol.startsWith('ws')) await reachedChain(chain.source, node, { withinMs: 3_000, signal });
    return withSource(settings, node);
  } catch {
    const apiKey = env.GASTOP_API_KEY?.trim() || null;
    return withSource(settings, { kind: 'hosted', url: serviceUrl(url.href), apiKey });
  } finally {
    chain.close();
  }
}

/** Checks a typed URL by the rules of `--rpc`; its response shows whether it is a node or a service. */
function urlProblem(text: string): string | null {
  try {
    parseNodeSetting(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function saveHere(name: string, text: string): Promise<string> {
  const path = resolve(name);
  try {
    makeWhole(path, text, 0o666);
  } catch (error) {
    const isOthers = systemCode(error) === 'EEXIST';
    throw failure(`${name} ${isOthers ? 'exists already' : fileFailureReason(error)}`, error);
  }
  return path;
}

async function open(io: Io, settings: Settings): Promise<OpenedClient & Pick<MonitorSource, 'rememberedAs'>> {
  const opened = await openClient(io, settings, {
    historySec: settings.historySec.value,
    withinMs: 3_000,
    role: 'service',
    // The monitor owns the terminal and its signals.
    signal: new AbortController().signal,
  });
  boundHeap();
  if (opened.embedded !== null) void shrinkHeapAfter(opened.embedded.filled()).catch(() => {});
  return { ...opened, rememberedAs: rememberedName(settings.source.value) };
}
