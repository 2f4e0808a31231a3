import { existsSync } from 'node:fs';
import type { GasClient } from '../client/client.ts';
import { createGasClient } from '../client/client.ts';
import { cleanLine } from './clean-line.ts';
import { CliError, usageError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { INTERNAL_ORIGIN, openClient } from './open-client.ts';
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
  const { openStored } = await import('./open-service.ts');
  const { service, close } = await openStored(io, choice, settings, { ...options, remedy: THE_DATABASE });
  return {
    client: createGasClient({ baseUrl: INTERNAL_ORIGIN, fetch: service.fetch }),
    areOwn: true,
    close,
  };
}

/** What is kept can be seen and changed without a node. */
const THE_DATABASE = 'name the database with --db FILE, which needs none, or a service with --url URL';
