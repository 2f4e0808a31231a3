import * as z from 'zod';
import { Bucket } from '../../contract/metrics.ts';
import { PATHS } from '../../contract/routes.ts';
import { formatDuration } from '../../core/units.ts';
import { toAscii } from '../ascii.ts';
import { checked } from '../checked.ts';
import type { CommandContext } from '../command-context.ts';
import { parseDuration } from '../duration.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { historyChart } from '../history/history-chart.ts';
import { historyCsv } from '../history/history-csv.ts';
import { bucketFor, type HistoryWindow, historyRows } from '../history/history-rows.ts';
import { historyText } from '../history/history-text.ts';
import type { Io } from '../io.ts';
import { jsonAnswer } from '../json-answer.ts';
import type { OpenedClient } from '../open-client.ts';
import { openReady } from '../open-ready.ts';
import { withSpinner } from '../spinner.ts';

export interface HistoryFlags {
  readonly window: string;
  readonly bucket?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly chart?: boolean;
}

const TABLE_ROWS = 48;
/** Enough for a chart or a spreadsheet without asking for many pages: 30 days in hours. */
const SERIES_ROWS = 750;
const DEFAULT_COLUMNS = 80;
/** The oldest block seldom lies on the window's very edge. */
const TOLERATED_SEC = 60;

/** `gastop history` */
export async function history({ io, loadSettings }: CommandContext, flags: HistoryFlags): Promise<ExitCode> {
  const windowSec = windowOf(flags.window);
  const { settings } = await loadSettings();
  const { opened, snapshot } = await openReady(io, settings, Math.max(windowSec, 3_600), 'late');
  try {
    // The chain's own clock: a recording's present lies in the past.
    const present = snapshot.blockTimestamp ?? io.now();
    const to = present + 1_000;
    const asked = flags.bucket === undefined ? null : Bucket.parse(flags.bucket);
    const from = Math.max(to - windowSec * 1_000, await beginning(io, opened, present, windowSec));
    if (flags.json) {
      const query = {
        from: iso(from),
        to: iso(to),
        size: '500',
        ...(asked === null ? {} : { bucket: asked }),
      };
      const answer = jsonAnswer(await opened.client.raw(PATHS.baseFee, query), PATHS.baseFee);
      io.stdout.write(answer);
      tellOfFurtherRows(io, answer);
      return EXIT.ok;
    }
    const wide = flags.csv === true || flags.chart === true;
    const bucket = asked ?? bucketFor(windowSec, wide ? SERIES_ROWS : TABLE_ROWS);
    await printRows(io, opened, { from, to, bucket }, flags, settings.ascii.value);
    return EXIT.ok;
  } finally {
    await opened.close();
  }
}

function windowOf(text: string): number {
  return checked('--window', () => parseDuration(text, { min: '1m', max: '30d' }));
}

/** Where the history that is there begins (ms): what is missing of the window is said, not waited for forever. */
async function beginning(
  io: Io,
  { embedded }: OpenedClient,
  present: number,
  windowSec: number,
): Promise<number> {
  if (embedded === null) return Number.NEGATIVE_INFINITY;
  let filledSec = 0;
  const start = await withSpinner(
    io,
    () => `reading history: ${formatDuration(filledSec)} of ${formatDuration(windowSec)}`,
    () =>
      embedded.historyFilled({
        presentSec: Math.floor(present / 1_000),
        windowSec,
        onProgress: (sec) => {
          filledSec = sec;
        },
      }),
  );
  if (filledSec < windowSec - TOLERATED_SEC) {
    io.stderr.write(`gastop: history reaches back ${formatDuration(filledSec)} only\n`);
  }
  return start ?? Number.NEGATIVE_INFINITY;
}

async function printRows(
  io: Io,
  { client }: OpenedClient,
  window: HistoryWindow,
  flags: HistoryFlags,
  ascii: boolean,
): Promise<void> {
  const rows = await withSpinner(
    io,
    () => 'reading history',
    () => historyRows(client, window, io.interruption()),
  );
  if (flags.csv) {
    io.stdout.write(historyCsv(rows));
    return;
  }
  if (rows.length === 0) {
    io.stderr.write('gastop: nothing is known of that window yet\n');
    return;
  }
  const text = flags.chart
    ? historyChart(rows, io.stdout.columns ?? DEFAULT_COLUMNS)
    : historyText(rows, ascii ? '#' : '█');
  io.stdout.write(`${ascii ? toAscii(text) : text}\n`);
}

/** The answer is one page: where the window holds more, that is said beside it. */
function tellOfFurtherRows(io: Io, answer: string): void {
  const page = z.object({ total: z.number(), data: z.array(z.unknown()) }).safeParse(JSON.parse(answer));
  if (!page.success || page.data.total <= page.data.data.length) return;
  const { total, data } = page.data;
  io.stderr.write(`gastop: these are ${data.length} of ${total} rows; --bucket 1h, say, makes them fewer\n`);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
