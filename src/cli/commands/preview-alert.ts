import { AlertPreviewer, alertRuleOf, previewWords } from '../../client/alert-preview.ts';
import type { ReachQuery } from '../../client/client.ts';
import type { NewAlert } from '../../client/views/alerts.ts';
import type { ReachView } from '../../client/views/gas.ts';
import { type AlertFlags, ruleOfFlags, saysAnything } from '../alerts/alert-flags.ts';
import { alertOfInput } from '../alerts/alert-input.ts';
import { alertLikelihood } from '../alerts/alert-likelihood.ts';
import { toAscii } from '../ascii.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { OpenedClient } from '../open-client.ts';
import { openReady, type Ready } from '../open-ready.ts';
import { withSpinner } from '../spinner.ts';
import { utcTime } from '../utc-time.ts';
import { knownReach, pastFor } from './now-reach.ts';

const DAY_SEC = 86_400;

export interface PreviewFlags extends AlertFlags {
  readonly json?: boolean;
}

/** `gastop alerts preview`: what an alert would have done in the last 24 hours. Whom it would tell does not matter. */
export async function previewAlert(
  { io, loadSettings }: CommandContext,
  file: string | undefined,
  flags: PreviewFlags,
): Promise<ExitCode> {
  const alert = await alertAsked(io, file, flags);
  const rule = alertRuleOf(alert);
  if (rule === null) throw usageError('what this alert watches for cannot be previewed');
  const { settings } = await loadSettings();
  const { opened, snapshot } = await openReady(io, settings, DAY_SEC, 'late');
  try {
    const { client, embedded } = opened;
    const presentMs = snapshot.blockTimestamp ?? io.now();
    const previewer = new AlertPreviewer(client, { thorough: embedded !== null, now: () => presentMs });
    const preview = await withSpinner(
      io,
      () => 'reading 24 hours of history',
      async () => {
        await dayFilled(opened, presentMs);
        return previewer.preview(rule, { signal: io.interruption() });
      },
    );
    if (flags.json) {
      io.stdout.write(`${JSON.stringify(previewJson(preview))}\n`);
      return EXIT.ok;
    }
    if (preview.lowest === null) throw new CliError(EXIT.failed, previewWords(preview, timeText));
    const text = [previewWords(preview, timeText), await likelihood(io, { opened, snapshot }, alert)]
      .filter((line) => line !== null)
      .join('\n');
    io.stdout.write(`${settings.ascii.value ? toAscii(text) : text}\n`);
    return EXIT.ok;
  } finally {
    await opened.close();
  }
}

/** A recording's present is over. */
async function likelihood(io: Io, ready: Ready, alert: NewAlert): Promise<string | null> {
  if (ready.snapshot.source.kind === 'replay') return null;
  return withSpinner(
    io,
    () => 'asking how likely that is',
    () => alertLikelihood((asked) => reachIn(io, ready, asked), alert),
  );
}

/** Of what the day that was read is enough for, it is waited until that is learned; of more only what is known. */
async function reachIn(io: Io, ready: Ready, asked: ReachQuery): Promise<ReachView | null> {
  if (pastFor(asked) <= DAY_SEC) return knownReach(io, ready, asked);
  const { client } = ready.opened;
  return (await client.gasRecommendation({ reach: asked, signal: io.interruption() })).reach;
}

async function alertAsked(io: Io, file: string | undefined, flags: AlertFlags): Promise<NewAlert> {
  if (file === undefined) return { ...ruleOfFlags(flags), channels: [] };
  if (saysAnything(flags)) {
    throw usageError('an alert comes from flags or from JSON, not from both; leave one away');
  }
  // What cannot be judged here is not previewed either.
  return alertOfInput(io, file, false);
}

/** A service in this process has to read its past first. */
async function dayFilled({ embedded }: OpenedClient, presentMs: number): Promise<void> {
  await embedded?.historyFilled({
    presentSec: Math.floor(presentMs / 1_000),
    windowSec: DAY_SEC,
    onProgress: () => {},
  });
}

const timeText = (ms: number) => `${utcTime(ms, 'minutes')} UTC`;

/** Prices in wei, times as v1 writes them. */
function previewJson({
  times,
  last,
  from,
  to,
  everySec,
  lowest,
  highest,
}: Awaited<ReturnType<AlertPreviewer['preview']>>) {
  return {
    times,
    last: last === null ? null : { at: new Date(last.at).toISOString(), price: Number(last.price) },
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    everySec,
    lowest: lowest === null ? null : Number(lowest),
    highest: highest === null ? null : Number(highest),
  };
}
