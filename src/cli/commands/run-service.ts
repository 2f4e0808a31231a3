import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { abortable, untilAborted } from '../../chain/async.ts';
import { ClientError } from '../../client/errors.ts';
import { untilItWorks } from '../../client/follow-prices.ts';
import { API_KEY_HEADER, BASE_PATH, PLAYGROUND_PATH } from '../../contract/routes.ts';
import { withoutSecrets } from '../../core/key-text.ts';
import { isLoopback } from '../../core/loopback.ts';
import { systemCode } from '../../core/system-code.ts';
import type { MadeAttempt } from '../../service/alerts/outbox-worker.ts';
import { setUpLines } from '../../service/alerts/target-rules.ts';
import { createRequestLog, type LogLevel } from '../../service/http/log.ts';
import { type RequestRecord, startServer } from '../../service/http/server.ts';
import { createPlans, type Plans } from '../../service/keys/api-keys.ts';
import { openKeyGate } from '../../service/keys/key-gate.ts';
import { isServerUrl } from '../../store/database-url.ts';
import { StoreError } from '../../store/errors.ts';
import type { CommandContext } from '../command.ts';
import { chainDatabase } from '../config-file.ts';
import { parseConfig } from '../config-schema.ts';
import { failure, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { knownSecrets } from '../known-secrets.ts';
import { extrasOf, openChain, type ServiceExtras, startOn, storedChain } from '../open-service.ts';
import { cleanLine } from '../output.ts';
import { type ChainChoice, chosenChain, deliveryOf, type Settings } from '../settings.ts';
import { keySettings } from './keys.ts';
import type { ServeFlags } from './serve.ts';
import { withMcp } from './serve-mcp.ts';

/** From a signal on: requests have ten seconds of it, then what goes to nodes ten, and the database the rest. */
const ENDS_WITHIN_MS = 25_000;

export async function serveUntil(
  signal: AbortSignal,
  { io, loadSettings }: CommandContext,
  flags: ServeFlags,
): Promise<void> {
  const loaded = await loadSettings();
  const { settings } = loaded;
  const choice = chosenChain(settings, 'serve');
  const keys = keySettings(io, loaded, flags.keys);
  const log = openServeLog(io, flags.logLevel, await knownSecrets(io, loaded.config.path, settings.db.value));
  // Ending in the middle of work loses nothing, as a kill does not.
  io.endWithin(ENDS_WITHIN_MS, () =>
    log.warn(
      `it ends with something still under way after ${ENDS_WITHIN_MS / 1_000} s: do the database and the nodes respond?`,
    ),
  );
  const onError = (error: unknown) => log.problem(error);
  const closers: (() => unknown)[] = [log.close];
  const { host, baseUrl = null } = flags;
  const prefix = baseUrl?.pathname.replace(/\/+$/, '') ?? '';
  try {
    const plans = freshPlans(loaded.config.path, keys.plans, io.now, onError);
    const gate = await openKeyGate({ file: keys.file.value, plans, onError });
    closers.unshift(() => gate.close());
    const chain = await serveChain(io, choice, settings, signal, {
      process: `gastop serve, process ${process.pid}`,
      ...extrasOf(settings),
      onAttempt: (made) => logAttempt(log, made),
      gate,
      onError,
      onNews: ({ isWell, message }) => (isWell ? log.info(message) : log.warn(message)),
      cors: flags.cors ?? settings.cors.value,
      ...(baseUrl !== null && { baseUrl: baseUrl.origin + prefix }),
    });
    closers.unshift(chain.close);
    signal.throwIfAborted();
    const served = withMcp(chain, gate, baseUrl);
    const listening = { host, port: Number(flags.port), served, prefix, publicName: baseUrl?.hostname, log };
    const server = await startServer(listening).catch((error: unknown) => {
      throw listenError(error, flags);
    });
    closers.unshift(() => server.stop());
    const local = `http://${isIP(host) === 6 ? `[${host}]` : host}:${server.port}`;
    const root = baseUrl === null ? local : baseUrl.origin + prefix;
    io.stdout.write(`${cleanLine(`gastop serves ${chain.name} on ${root}${BASE_PATH}`)}\n`);
    log.info(
      `its routes are on ${root}${PLAYGROUND_PATH}; requests carry a key in the header ${API_KEY_HEADER}`,
    );
    const missing = choice.kind === 'simulated' ? [] : setUpLines(deliveryOf(settings));
    for (const line of missing) log.info(line);
    if (!isLoopback(host)) {
      const who = `everybody who can reach ${host}`;
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

/** Until a node names the chain, a service on an ephemeral database says why it is unavailable. @throws {StoreError} */
async function serveChain(
  io: Io,
  choice: ChainChoice,
  settings: Settings,
  signal: AbortSignal,
  extras: ServiceExtras & Required<Pick<ServiceExtras, 'onError' | 'onNews'>>,
) {
  const db = settings.db.value;
  const chain = await openChain(choice, 'real-time', db !== null);
  const { source } = chain;
  const stop = new AbortController();
  const failure = Promise.withResolvers<never>();
  // The command may be ending already.
  failure.promise.catch(() => {});
  const onError = (error: unknown) => {
    // A node that reports the wrong chain only now does so for good.
    if (error instanceof StoreError && error.code === 'wrong-chain') failure.reject(error);
    else extras.onError(error);
  };
  const historySec = settings.historySec.value;
  const start = (path: string | null) => startOn(source, path, historySec, { ...extras, onError });
  // Its data would be lost with it, so it neither stores nor fires alerts.
  const startEphemeral = () =>
    startOn(source, null, historySec, { ...extras, role: 'one-shot', keepsAlerts: false });
  try {
    /** `undefined` while no node says which chain it is. */
    const knownPlace = (rpc: ChainChoice & { readonly kind: 'rpc' }) =>
      storedChain(source, rpc, { withinMs: 2_000, signal }).then(
        (found) => chainDatabase(io, found),
        (error: unknown) => {
          if (!(error instanceof ClientError)) throw error;
        },
      );
    const place = choice.kind !== 'rpc' || db !== null ? db : await knownPlace(choice);
    let current = await (place === undefined ? startEphemeral() : start(place));
    const move = async () => {
      const readChain = (signal: AbortSignal) => abortable(source.chain(), signal);
      const retryMs = (error: unknown) => {
        extras.onError(error);
        return 5_000;
      };
      const found = await untilItWorks(readChain, retryMs, stop.signal);
      const ephemeral = current;
      current = await start(chainDatabase(io, found));
      extras.onNews({ isWell: true, message: `${source.name} answers now: it is on ${found.name}` });
      await ephemeral.stop().catch(extras.onError);
    };
    const moved = place === undefined ? move().catch(failure.reject) : Promise.resolve();
    return {
      get name() {
        if (source.kind === 'simulated') return 'the simulated chain';
        const name = current.service.condition().chain?.name ?? source.name;
        return source.kind === 'replay' ? `recorded blocks of ${name}` : name;
      },
      /** Rejects with the error of a database that turns out to be unusable once a node names the chain. */
      failure: failure.promise,
      fetch: (request: Request, record: RequestRecord) => current.service.fetch(request, record),
      endStreams: () => current.service.endStreams(),
      condition: () => current.service.condition(),
      checkParts: () => current.service.checkParts(),
      alertFigures: () => current.service.alertFigures(),
      gasMetrics: () => current.service.gasMetrics(),
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

/** The plans of the config file as it is now: read at most once a second, on demand. */
export function freshPlans(path: string, plans: Plans, now: () => number, onError: (error: unknown) => void) {
  let current = plans;
  let text: string | null = null;
  let readAt = now();
  return (): Plans => {
    if (Math.abs(now() - readAt) < 1_000) return current;
    readAt = now();
    try {
      const before = text;
      text = readFileSync(path, 'utf8');
      if (text !== before) current = createPlans(parseConfig(text, 'the changed config file').plans ?? {});
    } catch (error) {
      // A missing file may be about to be replaced.
      if (systemCode(error) !== 'ENOENT') onError(error);
    }
    return current;
  };
}

/** One line per delivery attempt, never the target; the response may hold it. */
export function logAttempt(
  log: Pick<ServeLog, 'info' | 'warn'>,
  { delivery, attempt, outcome }: MadeAttempt,
): void {
  const what = `alert delivery ${delivery.id}`;
  if (outcome.kind === 'delivered') {
    log.info(`${what}: delivered in ${attempt.latencyMs.toFixed(0)} ms`);
  } else if (outcome.kind === 'waits') {
    log.warn(`${what}: ${attempt.answer}`);
  } else {
    const again = outcome.kind === 'again' && `tried again at ${new Date(outcome.at).toISOString()}`;
    const end = outcome.kind === 'failed' ? 'given up' : 'its alert is disabled';
    const [status] = /^[1-5]\d\d\b/.exec(attempt.answer) ?? [];
    log.warn(`${what}: ${status === undefined ? 'not taken' : `answered ${status}`}; ${again || end}`);
  }
}

type ServeLog = ReturnType<typeof openServeLog>;

/** The log of `gastop serve` on stderr, without `secrets`: short lines on a terminal, otherwise JSON lines. */
export function openServeLog(io: Io, level: LogLevel, secrets: readonly string[] = []) {
  const isPlain = io.stderr.isTTY === true;
  let lines = '';
  const writeLines = () => {
    if (lines !== '') io.stderr.write(lines);
    lines = '';
  };
  // Those of one turn of the event loop at once: a write each would take longer than a cached response.
  const write = (line: string) => {
    if (lines === '') setImmediate(writeLines);
    lines += line;
  };
  process.on('exit', writeLines);
  const log = createRequestLog({ level, isPlain, write, redact: (text) => withoutSecrets(text, secrets) });
  const heard = new Map<string, number>();
  const crash = (error: unknown) => {
    log.fatal(error);
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  return {
    ...log,
    /** Once while it lasts: an unavailable node fails again every few seconds. */
    problem: (error: unknown) => {
      const now = io.now();
      const lastAt = heard.get(String(error)) ?? Number.NEGATIVE_INFINITY;
      if (heard.size > 1_000) heard.clear();
      heard.set(String(error), now);
      if (now - lastAt > 60_000) log.problem(error);
    },
    close: () => {
      process.off('uncaughtException', crash);
      process.off('exit', writeLines);
      writeLines();
    },
  };
}

function listenError(error: unknown, { host, port }: ServeFlags): unknown {
  const code = systemCode(error);
  if (code === 'EADDRINUSE') {
    return failure(`port ${port} is in use; name another with --port, 0 takes a free one`);
  }
  if (code === 'EACCES') {
    return failure(`port ${port} needs more rights than you have; name one from 1024 on`);
  }
  return code === ''
    ? error
    : usageError(
        `cannot listen on ${host} (${code}); use 127.0.0.1 for this computer alone, 0.0.0.0 for every address`,
      );
}
