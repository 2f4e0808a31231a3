import type { SnapshotView } from '../client/views/gas.ts';
import type { Io } from './io.ts';
import { type OpenedClient, openClient } from './open-client.ts';
import { READY_WITHIN_MS, readySnapshot } from './ready-snapshot.ts';
import type { Settings } from './settings.ts';
import { withSpinner } from './spinner.ts';
import type { StaleRule } from './stale-rule.ts';
import { warnOfPlainKey } from './warn-of-plain-key.ts';
import { warnOfUnsaved } from './warn-of-unsaved.ts';

export interface Ready {
  readonly opened: OpenedClient;
  readonly snapshot: SnapshotView;
}

/** Opens the chosen source for a one-shot command and waits for its first snapshot; the caller closes it. */
export async function openReady(
  io: Io,
  settings: Settings,
  historySec: number,
  rule: StaleRule,
  withinMs = READY_WITHIN_MS,
): Promise<Ready> {
  warnOfPlainKey(io, settings.source.value);
  const ready = await withSpinner(
    io,
    () => 'asking for gas prices',
    async () => {
      const signal = io.interruption();
      const opened = await openClient(io, settings, {
        historySec,
        withinMs,
        pace: 'fastest',
        signal,
      });
      try {
        return { opened, snapshot: await readySnapshot(io, opened, rule, withinMs) };
      } catch (error) {
        await opened.close();
        throw error;
      }
    },
  );
  warnOfUnsaved(io, ready.opened);
  return ready;
}
