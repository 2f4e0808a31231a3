import { existsSync } from 'node:fs';
import { Alarm } from '../chain/async.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import type { GasClientOptions } from '../client/client.ts';
import { ClientError } from '../client/errors.ts';
import type { GasClient } from '../client/gas-client.ts';
import { isPlain } from '../client/service-url.ts';
import { chainStatus, headAtOf } from '../client/views/chain-status.ts';
import type { SnapshotView } from '../client/views/gas.ts';
import { VERSION } from '../contract/routes.ts';
import { type Badge, describeOutdated, isUnreachable } from '../core/chain-status.ts';
import type { Playback } from '../core/playback.ts';
import { formatDuration } from '../core/units.ts';
import { isServerUrl } from '../store/database-url.ts';
import { dataFolder } from './config-file.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import type { Io } from './io.ts';
import type { OpenOptions } from './open-service.ts';
import { cleanLine, note, RawText, tildePath, withSpinner } from './output.ts';
import type { HostedChoice, Settings, SourceChoice } from './settings.ts';

export interface OpenedClient extends AsyncDisposable {
  readonly client: GasClient;
  readonly clientOptions: GasClientOptions;
  readonly name: string;
  readonly badge?: Badge | undefined;
  /** Polling interval, ms, when the chain's pace does not apply. */
  readonly intervalMs?: number;
  /** Of a recording. */
  readonly playback: Playback | null;
  /** The service in this process, which may still be starting; `null` for a remote one. */
  readonly embedded: Embedded | null;
  /** Whether what is made here ends with this process. */
  readonly isEphemeral?: boolean;
  /** Why the service in this process stores nothing; `null` when it does, or need not. */
  readonly unsaved: string | null;
  close(): Promise<void>;
}

interface Embedded {
  /** Resolves once the requested history is read and learned from, or cannot be; rejects when interrupted. */
  filled(): Promise<void>;
  /** Whether it is a recording whose end is waited for. */
  readonly isReadThrough: boolean;
  /** Resolves with the next change of what is served, such as a block. */
  changed(): Promise<void>;
  readonly source: Pick<ChainSource, 'health'>;
}

export const clientOptionsOf = ({ url, apiKey }: HostedChoice) => ({
  ...{ url: url.href, apiKey, userAgent: `gastop/${VERSION}` },
  keyAdvice: 'set GASTOP_API_KEY or put it in the config file',
});

export async function openClient(
  io: Io,
  settings: Settings,
  more: Partial<OpenOptions> = {},
): Promise<OpenedClient> {
  const choice = settings.source.value;
  if (choice.kind !== 'hosted') {
    const { openEmbedded } = await import('./open-service.ts');
    // The lanes need an hour of history, which also allows a forecast for a day if more is stored.
    const once = { historySec: 3_600, withinMs: READY_WITHIN_MS, pace: 'real-time' } as const;
    return openEmbedded(io, choice, settings, { ...once, signal: io.interruption(), ...more });
  }
  const clientOptions = clientOptionsOf(choice);
  const { createGasClient } = await import('../client/client.ts');
  const close = async () => {};
  return {
    client: createGasClient(clientOptions),
    clientOptions,
    name: choice.url.host,
    playback: null,
    embedded: null,
    unsaved: null,
    close,
    [Symbol.asyncDispose]: close,
  };
}

export const READY_WITHIN_MS = 10_000;
const POLL_MS = 60;
/** Nodes that respond uselessly, such as with invalid data, seldom recover within moments. */
const DOWN_WITHIN_MS = 3_500;

export interface ToldSnapshot {
  readonly snapshot: SnapshotView;
  /** The service's own response. */
  readonly text: string;
}

export async function toldSnapshot(client: GasClient, signal: AbortSignal): Promise<ToldSnapshot> {
  const raw = new RawText();
  return { snapshot: await client.gasCurrent({ signal, onResponse: raw.onResponse }), text: raw.text };
}

/** By the service's stream, until it breaks. */
export async function* toldSnapshots(client: GasClient, signal: AbortSignal): AsyncGenerator<ToldSnapshot> {
  const raw = new RawText();
  for await (const snapshot of client.stream({ signal, onResponse: raw.onResponse }))
    yield { snapshot, text: raw.text };
}

/** The first usable snapshot; of the embedded service, once it has the newest block. */
async function readySnapshot(
  io: Io,
  { client, embedded }: OpenedClient,
  withinMs = READY_WITHIN_MS,
): Promise<ToldSnapshot> {
  const interruption = io.interruption();
  if (embedded === null)
    return toldSnapshot(client, AbortSignal.any([AbortSignal.timeout(withinMs), interruption]));
  const { isReadThrough, source, changed } = embedded;
  let lateAt = performance.now() + withinMs;
  const news = new Alarm();
  for (;;) {
    // A recording has changes by the thousand.
    if (!isReadThrough) void changed().then(news.ring);
    const isDown = source.health().every(({ state }) => state === 'down' || state === 'wrong-chain');
    if (isDown) lateAt = Math.min(lateAt, performance.now() + DOWN_WITHIN_MS);
    const isLate = !isReadThrough && performance.now() >= lateAt;
    const told = await toldSnapshot(client, interruption).catch((error) => {
      const isWarmingUp = error instanceof ClientError && error.code === 'unavailable';
      if (!isWarmingUp || isLate) throw error;
      return null;
    });
    if (told !== null) {
      // Blocks that an earlier run has stored are stale until the source has given its newest.
      const status = chainStatus(told.snapshot, io.now());
      // A source that is still being tried may yet respond; one without a new block is as it is.
      const mayRecover = status.kind === 'catching-up' || isUnreachable(status);
      const isReady = isReadThrough ? told.snapshot.source.ended : !mayRecover;
      if (isReady || isLate) return told;
    }
    await news.pause(POLL_MS);
  }
}

/** `refuse`: a script would pay by stale prices. `late`: a standstill of the chain is fine, a silent node is not. */
export type StaleRule = 'refuse' | 'late' | 'accept';

function refuseStale(snapshot: SnapshotView, rule: StaleRule, now: number): void {
  const status = chainStatus(snapshot, now);
  const reason = describeOutdated(status);
  if (reason === null || rule === 'accept') return;
  if (rule === 'late') {
    if (!isUnreachable(status)) return;
    throw new CliError(EXIT.unreachable, `the source gives nothing new: ${reason}`);
  }
  const headAt = headAtOf(snapshot);
  const age = headAt === null ? '' : `${formatDuration(Math.max(now - headAt, 0) / 1_000)} `;
  throw new CliError(
    EXIT.unreachable,
    `the prices are ${age}old: ${reason}; check the source, or add --stale-ok if its chain makes blocks only now and then`,
  );
}

export type Ready = OpenedClient & ToldSnapshot;

/** @throws CliError by `rule` */
export async function openReady(
  io: Io,
  settings: Settings,
  rule: StaleRule,
  more: Partial<Pick<OpenOptions, 'historySec' | 'withinMs' | 'role' | 'pace' | 'glance'>> = {},
): Promise<Ready> {
  warnOfPlainKey(io, settings.source.value);
  const ready = await withSpinner(io, 'asking for gas prices', async () => {
    const opened = await openClient(io, settings, { pace: 'fastest', ...more });
    try {
      const told = await readySnapshot(io, opened, more.withinMs);
      refuseStale(told.snapshot, rule, io.now());
      return { ...opened, ...told };
    } catch (error) {
      await opened.close();
      throw error;
    }
  });
  warnOfUnsaved(io, ready);
  return ready;
}

export async function openSource(
  io: Io,
  settings: Settings,
  rule: StaleRule = 'accept',
  more: Partial<Pick<OpenOptions, 'historySec' | 'role'>> = {},
): Promise<OpenedClient & { readonly snapshot: SnapshotView | null }> {
  if (settings.source.value.kind !== 'hosted') return openReady(io, settings, rule, more);
  warnOfPlainKey(io, settings.source.value);
  return { ...(await openClient(io, settings)), snapshot: null };
}

export interface ResourceWords {
  readonly many: 'alerts' | 'auto-txs';
  readonly one: 'alert' | 'auto-tx';
}

/** The alerts or auto-txs of the service at the URL or of the local database, which needs no node and fires nothing. */
export async function openResource(
  io: Io,
  settings: Settings,
  { many, one }: ResourceWords,
  mayMake = false,
): Promise<OpenedClient> {
  const choice = settings.source.value;
  if (choice.kind === 'hosted') return openSource(io, settings);
  const db = settings.db.value;
  if (db === null && choice.kind === 'replay') {
    throw usageError(`a recording keeps no ${many} when gastop ends; name a database with --db FILE`);
  }
  if (db === null && choice.kind === 'simulated') {
    note(io, `the simulated chain ends with this command, and keeps no ${many}; --db FILE does`);
  }
  if (db !== null && !mayMake && !isServerUrl(db) && !existsSync(db)) {
    const where = `${cleanLine(db)} does not exist; check ${settings.db.from}`;
    throw new CliError(EXIT.failed, `${where}, or make an ${one} there with gastop ${many} create`);
  }
  const stored = { isStored: true, historySec: settings.historySec.value, remedy: THE_DATABASE };
  return openClient(io, settings, stored);
}

const THE_DATABASE = 'name the database with --db FILE, which needs none, or a service with --url URL';

export function warnOfPlainKey(io: Io, source: SourceChoice): void {
  if (source.kind !== 'hosted' || source.apiKey === null || !isPlain(source.url)) return;
  const { url } = source;
  note(io, `the key travels unencrypted to ${cleanLine(url.host)}; use https:// if it can`);
}

/** Prices are right, but the next start must read the history again: a warning, no failure. */
export function warnOfUnsaved(io: Io, { unsaved }: Pick<OpenedClient, 'unsaved'>): void {
  if (unsaved === null) return;
  const folder = cleanLine(tildePath(dataFolder(io), io.home));
  note(io, `no history is kept in ${folder}: ${cleanLine(unsaved)}`);
}
