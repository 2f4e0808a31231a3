import { existsSync } from 'node:fs';
import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import type { GasClient } from '../client/client.ts';
import { cleanLine } from './clean-line.ts';
import { CliError, usageError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { type ChainChoice, MAINNET, openChain, type ReachOptions, reachedChainId } from './open-chain.ts';
import { INTERNAL_ORIGIN, openClient } from './open-client.ts';
import { deliveryOf } from './open-service.ts';
import { chainDatabase } from './paths.ts';
import { READY_WITHIN_MS } from './ready-snapshot.ts';
import type { Settings } from './settings.ts';
import { warnOfPlainKey } from './warn-of-plain-key.ts';

export interface OpenedAlerts {
  readonly client: GasClient;
  /** Whether they are kept in a database here, rather than by a service elsewhere. */
  readonly areOwn: boolean;
  close(): Promise<void>;
}

/** How people call what is kept. */
interface Kept {
  readonly many: string;
  readonly one: string;
  readonly create: string;
}

const ALERTS: Kept = { many: 'alerts', one: 'an alert', create: 'gastop alerts create' };
export const AUTO_TXS: Kept = { many: 'auto-txs', one: 'an auto-tx', create: 'gastop auto-txs create' };

export interface OpenKeptOptions {
  readonly mayMake?: boolean;
  readonly kept?: Kept;
}

/**
 * Opens the alerts, or what else is kept beside them, for one command: those of the service at the URL, or those in the database. The latter needs no
 * node where it is known which database that is, and follows no chain: nothing fires because somebody looks.
 *
 * @throws CliError (usage) for a recording or a simulation that leaves nothing behind; (failed) for a database that
 * was named and is not there, unless this command may make it.
 */
export async function openAlerts(
  io: Io,
  settings: Settings,
  { mayMake = false, kept = ALERTS }: OpenKeptOptions = {},
): Promise<OpenedAlerts> {
  const choice = settings.source.value;
  const options = {
    historySec: 3_600,
    withinMs: READY_WITHIN_MS,
    pace: 'real-time',
    signal: io.interruption(),
  } as const;
  if (choice.kind === 'hosted') {
    warnOfPlainKey(io, choice);
    const { client, close } = await openClient(io, settings, options);
    return { client, areOwn: false, close };
  }
  const db = settings.db.value;
  if (db === null && choice.kind !== 'rpc') {
    const what = choice.kind === 'replay' ? 'a recording' : 'the simulation';
    throw usageError(
      `${what} keeps no ${kept.many} when gastop ends; name a database for them with --db FILE`,
    );
  }
  if (db !== null && !mayMake && !existsSync(db)) {
    const where = `${cleanLine(db)} does not exist; check ${settings.db.from}`;
    throw new CliError(EXIT.failed, `${where}, or make ${kept.one} there with ${kept.create}`);
  }
  const chain = await openChain(choice, 'real-time');
  try {
    const path = db ?? chainDatabase(io, await chainIdOf(chain.source, choice, options));
    const [{ createGasClient }, { startService }] = await Promise.all([
      import('../client/client.ts'),
      import('../service/service.ts'),
    ]);
    const stop = new AbortController();
    const service = await startService({
      source: unfollowed(chain.source),
      database: path,
      priceFeed: NO_PRICES,
      // What runs for a moment neither fires nor sends.
      role: 'visits',
      delivery: deliveryOf(settings),
      signal: stop.signal,
    });
    return {
      client: createGasClient({ baseUrl: INTERNAL_ORIGIN, fetch: service.fetch }),
      areOwn: true,
      close: async () => {
        stop.abort();
        await service.done;
        chain.close();
      },
    };
  } catch (error) {
    chain.close();
    throw error;
  }
}

/** What was saved is known since it was. */
const NO_PRICES: PriceFeed = { nativeUsd: async () => null, nativeUsdAt: async () => null };

/** What is kept can be seen and changed without a node. */
const THE_DATABASE = 'name the database with --db FILE, which needs none, or a service with --url URL';

/** The public nodes are mainnet's, whether or not they answer. */
async function chainIdOf(
  source: ChainSource,
  choice: ChainChoice,
  options: Omit<ReachOptions, 'isPublicDefault'>,
): Promise<number> {
  if (choice.kind === 'rpc' && choice.isPublicDefault) return MAINNET;
  return reachedChainId(source, { ...options, isPublicDefault: false, remedy: THE_DATABASE });
}

/** The same chain, of which nothing is heard. */
function unfollowed(source: ChainSource): ChainSource {
  const subscribe: ChainSource['subscribe'] = async function* ({ signal }) {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  return Object.create(source, { subscribe: { value: subscribe } });
}
