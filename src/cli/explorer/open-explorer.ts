import { ClientError } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openClient } from '../open-client.ts';
import { openReady } from '../open-ready.ts';
import { READY_WITHIN_MS } from '../ready-snapshot.ts';
import type { Settings } from '../settings.ts';
import { withSpinner } from '../spinner.ts';
import type { StaleRule } from '../stale-rule.ts';
import { warnOfPlainKey } from '../warn-of-plain-key.ts';

/** Enough past for the service to know where it stands; the block itself comes from the source. */
const HISTORY_SEC = 3_600;

export interface Explorer {
  readonly opened: OpenedClient;
  /** The service's present, for the badge and the dollars; `null` where it does not tell. */
  snapshot(): Promise<SnapshotView | null>;
  /** Asks with a spinner. What is not found ends with exit 1. */
  ask<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer>;
}

/** Opens the source to look one thing up: a service elsewhere is asked for that thing and for no snapshot before it. */
export async function openExplorer(io: Io, settings: Settings, rule: StaleRule): Promise<Explorer> {
  const signal = io.interruption();
  const ask = <Answer>(opened: OpenedClient, work: (signal: AbortSignal) => Promise<Answer>) =>
    withSpinner(
      io,
      () => `asking ${opened.name}`,
      () =>
        work(signal).catch((error) => {
          signal.throwIfAborted();
          throw isAnsweredNo(error, opened) ? new CliError(EXIT.failed, ownWords(error)) : error;
        }),
    );
  if (settings.source.value.kind !== 'hosted') {
    const { opened, snapshot } = await openReady(io, settings, HISTORY_SEC, rule);
    return { opened, snapshot: async () => snapshot, ask: (work) => ask(opened, work) };
  }
  warnOfPlainKey(io, settings.source.value);
  const opened = await openClient(io, settings, {
    historySec: HISTORY_SEC,
    withinMs: READY_WITHIN_MS,
    pace: 'fastest',
    signal,
  });
  return {
    opened,
    // Only what dresses the answer up: without it the answer stands all the same.
    snapshot: () => opened.client.gasCurrent({ signal }).catch(() => null),
    ask: (work) => ask(opened, work),
  };
}

/** What the service says of the thing is enough; the path that was asked is not what people asked for. */
function ownWords({ message, endpoint }: ClientError): string {
  return message.replace(`the service has no ${endpoint}: `, '');
}

/** There is no such thing, or a recording or simulation holds none: that is an answer, the source is well. */
function isAnsweredNo(error: unknown, { badge }: OpenedClient): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  return error.code === 'not-found' || (badge !== undefined && error.code !== 'invalid');
}
