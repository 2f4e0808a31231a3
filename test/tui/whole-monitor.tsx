import { render } from 'ink-testing-library';
import type { GasClient } from '../../src/client/index.ts';
import { Monitor } from '../../src/tui/app/app.tsx';
import { type MonitorSource, SourceHolder } from '../../src/tui/app/source.ts';
import { Remembered } from '../../src/tui/data/remembered.ts';
import { keyBytes } from '../helpers/terminal-keys.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { SNAPSHOT } from './fake-gas.ts';
import { SILENT } from './show-screen.tsx';
import { sizedScreen } from './sized-screen.tsx';

interface WholeMonitorOptions {
  readonly client: GasClient;
  /** Of the source, besides its client. */
  readonly source?: Partial<MonitorSource>;
  readonly columns?: number;
  readonly rows?: number;
  readonly remembered?: Remembered;
  /** Why the source cannot be opened. */
  readonly failure?: Error;
}

/** The monitor with frame, tabs and keys, in memory, four seconds after its head; resolves once prices or a failure are shown. */
export async function openMonitor({
  client,
  source,
  columns = 120,
  rows = 40,
  remembered = new Remembered(),
  failure,
}: WholeMonitorOptions) {
  const holder = new SourceHolder();
  void holder.open(async () => {
    if (failure !== undefined) throw failure;
    return { client, intervalMs: 60_000, ...source };
  });
  const app = render(
    <Monitor
      holder={holder}
      openSource={async () => ({ client })}
      remembered={remembered}
      urlProblem={() => null}
      ascii={false}
      board={null}
      isBoardFirst={false}
      notifications={SILENT}
      undoMs={600_000}
      now={() => (SNAPSHOT.blockTimestamp ?? 0) + 4_000}
      fullPath={(name) => `/home/user/${name}`}
      saveFile={async (name) => name}
    />,
  );
  const screen = sizedScreen(app, columns, rows);
  const press = (key: string) => app.stdin.write(keyBytes(key).join(''));
  await screen.shows(failure?.message ?? 'Average');
  await waitFor(() => app.stdin.listenerCount('readable') > 0, { what: 'a listener to keys' });
  return { ...screen, app, press };
}
