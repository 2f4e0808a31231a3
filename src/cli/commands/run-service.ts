import { readFileSync, statSync } from 'node:fs';
import { ClientError } from '../../client/errors.ts';
import { API_KEY_HEADER, BASE_PATH, PLAYGROUND_PATH } from '../../contract/routes.ts';
import { withoutSecrets } from '../../core/key-text.ts';
import type { MadeAttempt } from '../../service/alerts/dispatcher.ts';
import { channelsOf, setUpLines } from '../../service/alerts/target-rules.ts';
import { abortable, sleep, untilAborted } from '../../service/async.ts';
import { ApiFailure, PASSING } from '../../service/http/errors.ts';
import { createPlainLog, createRequestLog, type LogLevel, type RequestLog } from '../../service/http/log.ts';
import { type RequestRecord, startServer } from '../../service/http/server.ts';
import { isLoopback } from '../../service/is-loopback.ts';
import { createPlans, type Plans } from '../../service/keys/api-keys.ts';
import { openKeyGate } from '../../service/keys/key-gate.ts';
import type { Condition } from '../../service/service-state.ts';
import { isServerUrl } from '../../store/database-url.ts';
import { StoreError } from '../../store/errors.ts';
import { chainDatabase, parseConfig } from '../config-file.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { knownSecrets } from '../main.ts';
import { withMcp } from '../mcp-over-http.ts';
import {
  type ChainChoice,
  confirmationsOf,
  type OpenedChain,
  openChain,
  type ServiceExtras,
  type StartedService,
  startOn,
  storedChain,
} from '../open-service.ts';
import { cleanLine } from '../output.ts';
import { deliveryOf, keySettings } from '../settings.ts';
import { listenAddress, listenError, prefixOf, type ServeFlags, servedRoot } from './serve.ts';

export async function serveUntil(
  signal: AbortSignal,
  { io, loadSettings }: CommandContext,
  flags: ServeFlags,
): Promise<void> {
  const address = listenAddress(flags);
  const loaded = await loadSettings();
  const { settings } = loaded;
  const choice = settings.source.value;
  if (choice.kind === 'hosted') {
    throw usageError('serve needs a chain, not a service; name one with --rpc URL, --replay FILE or --demo');
  }
  const keys = keySettings(io, loaded, flags.keys);
  const log = openServeLog(io, flags.logLevel, await knownSecrets(io, loaded.config.path, settings.db.value));
  const onError = (error: unknown) => log.problem(error);
  const closers: (() => unknown)[] = [log.close];
  const prefix = prefixOf(address.baseUrl);
  try {
    const plans = freshPlans({ path: loaded.config.path, plans: keys.plans, now: io.now, onError });
    const gate = await openKeyGate({ file: keys.file.value, plans, onError });
    closers.unshift(() => gate.close());
    const delivery = deliveryOf(settings);
    const chain = await serveChain(io, choice, {
      db: settings.db.value,
      historySec: settings.historySec.value,
      process: `gastop serve, process ${process.pid}`,
      delivery,
      encryptionKey: settings.encryptionKey.value,
      ...confirmationsOf(settings),
      onAttempt: (made) => logAttempt(log, made),
      gate,
      onError,
      onNews: ({ isWell, message }) => (isWell ? log.info(message) : log.warn(message)),
      signal,
      cors: address.cors ?? settings.cors.value,
      ...(address.baseUrl === null ? {} : { baseUrl: address.baseUrl.origin + prefix }),
    });
    closers.unshift(chain.close);
    signal.throwIfAborted();
    const served = withMcp(chain, gate, address.baseUrl);
    const publicName = address.baseUrl?.hostname;
    const server = await startServer({ ...address, served, prefix, publicName, log }).catch(
      (error: unknown) => {
        throw listenError(error, address);
      },
    );
    closers.unshift(() => server.stop());
    const root = servedRoot(address, server.port);
    io.stdout.write(`${cleanLine(`gastop serves ${chain.name} on ${root}${BASE_PATH}`)}\n`);
    log.info(
      `its routes are on ${root}${PLAYGROUND_PATH}; requests carry a key in the header ${API_KEY_HEADER}`,
    );
    const missing = choice.kind === 'simulated' ? [] : setUpLines(channelsOf(delivery));
    for (const line of missing) log.info(line);
    if (!isLoopback(address.host)) {
      const who = `everybody who can reach ${address.host}`;
      log.warn(`it is open to ${who}; keys travel unencrypted unless a proxy adds https`);
    }
    if (!(await gate.hasKeys())) {
      const isNamed = keys.file.from !== 'default' && !isServerUrl(keys.file.value);
      const where = isNamed ? `--keys ${keys.file.value} ` : '';
      log.warn(`there is no key yet, so every request is refused; make one with: gastop keys ${where}create`);
    }
    await Promise.race([untilAborted(signal), chain.failure]);
  } finally {
    for (const close of closers) await close();
  }
}

const CHAIN_WITHIN_MS = 2_000;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 15_000;

interface ServeChainOptions extends ServiceExtras {
  readonly db: string | null;
  readonly historySec: number;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Until a node names the chain, a service on an ephemeral database says why it is unavailable. @throws {StoreError} */
async function serveChain(
  io: Io,
  choice: ChainChoice,
  { db, historySec, signal, onNews = () => {}, ...extras }: ServeChainOptions,
) {
  const chain = await openChain(choice, 'real-time');
  const stop = new AbortController();
  const failure = Promise.withResolvers<never>();
  // The command may be ending already.
  failure.promise.catch(() => {});
  try {
    const place = db ?? (await knownPlace(io, choice, chain, signal));
    const onServing = (error: unknown) => {
      // A node that reports the wrong chain only now does so for good.
      if (error instanceof StoreError && error.code === 'wrong-chain') failure.reject(error);
      else extras.onError(error);
    };
    const start = (path: string | null) =>
      startOn(chain.source, path, historySec, { ...extras, onNews, onError: onServing });
    // Its data would be lost with it, so it neither stores nor fires alerts.
    const startEphemeral = () =>
      startOn(chain.source, null, historySec, { ...extras, role: 'visits', keepsAlerts: false });
    // The ephemeral service may end before it has found the node, or report the failure too.
    let current = await (place === UNKNOWN ? startEphemeral() : start(place));
    let databaseProblem: StoreError | null = null;
    const move = async () => {
      const next = await startOnceKnown(io, chain, stop.signal, start, (error) => {
        if (error instanceof StoreError) databaseProblem = error;
        extras.onError(error);
      });
      if (next === null) return;
      const before = current;
      current = next.started;
      onNews({ isWell: true, message: next.message });
      databaseProblem = null;
      // The next one has replaced it and must not be started again.
      await before.stop().catch(extras.onError);
    };
    const moved = place === UNKNOWN ? move().catch(failure.reject) : Promise.resolve();
    return {
      get name() {
        const { kind } = chain.source;
        if (kind === 'simulated') return 'the simulated chain';
        const name = current.service.condition().chain?.name ?? chain.source.name;
        return kind === 'replay' ? `recorded blocks of ${name}` : name;
      },
      /** Rejects with the error of a database that turns out to be unusable once a node names the chain. */
      failure: failure.promise,
      fetch: (request: Request, record: RequestRecord) => current.service.fetch(request, record),
      endStreams: () => current.service.endStreams(),
      condition: () => withProblem(current.service.condition(), databaseProblem),
      alertFigures: () => current.service.alertFigures(),
      close: async () => {
        stop.abort();
        await moved;
        await current.stop();
        chain.close();
      },
    };
  } catch (error) {
    chain.close();
    throw error;
  }
}

function withProblem(condition: Condition, problem: StoreError | null): Condition {
  if (problem === null || condition.failure !== null) return condition;
  const failure = new ApiFailure('upstream_unavailable', `the history is not kept: ${problem.message}`, {
    headers: { 'Retry-After': String(LAST_RETRY_MS / 1_000) },
  });
  return { ...condition, failure };
}

const UNKNOWN = Symbol('no node has said which chain it is');

async function knownPlace(
  io: Io,
  choice: ChainChoice,
  { source }: OpenedChain,
  signal: AbortSignal,
): Promise<string | null | typeof UNKNOWN> {
  if (choice.kind !== 'rpc') return null;
  try {
    return chainDatabase(io, await storedChain(source, choice, { withinMs: CHAIN_WITHIN_MS, signal }));
  } catch (error) {
    if (error instanceof ClientError) return UNKNOWN;
    throw error;
  }
}

async function startOnceKnown(
  io: Io,
  { source }: OpenedChain,
  signal: AbortSignal,
  start: (path: string) => Promise<StartedService>,
  onError: (error: unknown) => void,
) {
  for (let delay = FIRST_RETRY_MS; !signal.aborted; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
    try {
      const found = await abortable(source.chain(), signal);
      const started = await start(chainDatabase(io, found));
      return { started, message: `${source.name} answers now: it is on ${found.name}` };
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof StoreError && !PASSING.has(error.code)) throw error;
      onError(error);
      await sleep(delay, signal);
    }
  }
  return null;
}

const CHECK_EVERY_MS = 1_000;

/** The plans of the config file as it is now; reads it at most once a second, on demand. */
export function freshPlans(options: {
  readonly path: string;
  readonly plans: Plans;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}): () => Plans {
  const { path, now, onError } = options;
  let current = options.plans;
  let seen = changedAt(path);
  let checkedAt = now();
  return () => {
    if (Math.abs(now() - checkedAt) < CHECK_EVERY_MS) return current;
    checkedAt = now();
    const changed = changedAt(path);
    // A missing file may be about to be replaced.
    if (changed === null || changed === seen) return current;
    seen = changed;
    try {
      current = createPlans(parseConfig(readFileSync(path, 'utf8'), 'the changed config file').plans ?? {});
    } catch (error) {
      onError(error);
    }
    return current;
  };
}

function changedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

const OVER_AFTER_MS = 60_000;

/**
 * Distinguishes new problems from repeated ones: an unavailable node fails again every few seconds. Returns whether
 * an error is new, or has come back.
 */
function freshProblems(now: () => number): (error: unknown) => boolean {
  const heard = new Map<string, number>();
  return (error) => {
    for (const [said, at] of heard) if (now() - at > OVER_AFTER_MS) heard.delete(said);
    const says = error instanceof Error ? `${error.name} ${error.message}` : String(error);
    const isFresh = !heard.has(says);
    heard.set(says, now());
    return isFresh;
  };
}

/** One line per delivery attempt, never the target; the response may hold it. */
export function logAttempt(
  log: Pick<ServeLog, 'info' | 'warn'>,
  { delivery, attempt, verdict }: MadeAttempt,
): void {
  const what = `alert delivery ${delivery.id}`;
  if (verdict.kind === 'delivered') {
    log.info(`${what}: delivered in ${attempt.latencyMs.toFixed(0)} ms`);
  } else if (verdict.kind === 'waits') {
    log.warn(`${what}: ${attempt.answer}`);
  } else {
    const again = verdict.kind === 'again' && `tried again at ${new Date(verdict.at).toISOString()}`;
    const end = verdict.kind === 'failed' ? 'given up' : 'its alert is disabled';
    log.warn(`${what}: ${statusOf(attempt.answer)}; ${again || end}`);
  }
}

function statusOf(response: string): string {
  const [status] = /^[1-5]\d\d\b/.exec(response) ?? [];
  return status === undefined ? 'not taken' : `answered ${status}`;
}

interface ServeLog extends RequestLog {
  close(): void;
}

/** The log of `gastop serve` on stderr, without `secrets`: short lines on a terminal, otherwise JSON lines. */
export function openServeLog(io: Io, level: LogLevel, secrets: readonly string[] = []): ServeLog {
  const held: string[] = [];
  const flush = () => {
    if (held.length > 0) io.stderr.write(held.splice(0).join(''));
  };
  // Writes the lines of one turn at once: each write is a blocking system call.
  const write = (line: string) => {
    if (held.push(line) === 1) setImmediate(flush);
  };
  const redact = (text: string) => withoutSecrets(text, secrets);
  const create = io.stderr.isTTY === true ? createPlainLog : createRequestLog;
  const log = create({ level, write, redact });
  const isFresh = freshProblems(() => io.now());
  const crash = (error: unknown) => {
    log.fatal(error);
    flush();
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('exit', flush);
  return {
    ...log,
    problem: (error) => {
      if (isFresh(error)) log.problem(error);
    },
    close: () => {
      process.off('uncaughtException', crash);
      process.off('exit', flush);
      flush();
    },
  };
}
