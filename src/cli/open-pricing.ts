import type { GasClient } from '../client/client.ts';
import type { Io } from './io.ts';
import { openClient } from './open-client.ts';
import { openReady } from './open-ready.ts';
import { READY_WITHIN_MS } from './ready-snapshot.ts';
import type { Settings } from './settings.ts';
import { warnOfPlainKey } from './warn-of-plain-key.ts';

/** Enough past for the chance of a day, where the database has it not already. */
const PAST_SEC = 3_600;

export interface OpenedPricing {
  readonly client: GasClient;
  /** The service elsewhere, `gas.example.org`; `null`: the one of the database here. */
  readonly host: string | null;
  close(): Promise<void>;
}

/**
 * Opens the service for a command that needs prices and accounts: the one at the URL, or one on the chain here, once it
 * has the chain's newest block, or what is stored of it after `withinMs`.
 */
export async function openPricing(
  io: Io,
  settings: Settings,
  withinMs = READY_WITHIN_MS,
): Promise<OpenedPricing> {
  const choice = settings.source.value;
  if (choice.kind !== 'hosted') {
    const { opened } = await openReady(io, settings, PAST_SEC, 'accept', withinMs);
    return { client: opened.client, host: null, close: opened.close };
  }
  warnOfPlainKey(io, choice);
  const { client, name, close } = await openClient(io, settings, {
    historySec: PAST_SEC,
    withinMs,
    pace: 'real-time',
    signal: io.interruption(),
  });
  return { client, host: name, close };
}

/** Opens it for `work`, and closes it whatever comes of it. */
export async function withPricing<Result>(
  io: Io,
  settings: Settings,
  work: (opened: OpenedPricing) => Promise<Result>,
): Promise<Result> {
  const opened = await openPricing(io, settings);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
