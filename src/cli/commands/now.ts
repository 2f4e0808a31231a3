import { ClientError } from '../../client/errors.ts';
import type { RecommendationView } from '../../client/views/gas.ts';
import { PATHS } from '../../contract/routes.ts';
import { toAscii } from '../ascii.ts';
import { ASCII_BY_LOCALE } from '../ascii-terminal.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { jsonAnswer } from '../json-answer.ts';
import type { OpenedClient } from '../open-client.ts';
import { openReady } from '../open-ready.ts';
import { parseTemplate, placeholderList } from '../snapshot-format.ts';
import { snapshotText } from '../snapshot-text.ts';
import { pastFor, reachAsked, reachText } from './now-reach.ts';

export interface NowFlags {
  readonly json?: boolean;
  readonly format?: string;
  readonly staleOk?: boolean;
  readonly below?: string;
  readonly within?: string;
}

/** One snapshot needs no month of past: an hour is what the lanes look back on. */
const HISTORY_SEC = 3_600;

/** `gastop now` */
export async function now({ io, loadSettings }: CommandContext, flags: NowFlags): Promise<ExitCode> {
  if (flags.format === '{}') {
    io.stdout.write(`${placeholderList()}\n`);
    return EXIT.ok;
  }
  const template = flags.format === undefined ? null : parseTemplate(flags.format);
  const asked = reachAsked(flags.below, flags.within);
  const { settings } = await loadSettings();
  const rule = flags.staleOk ? 'accept' : 'refuse';
  const historySec = asked === null ? HISTORY_SEC : pastFor(asked);
  const ready = await openReady(io, settings, historySec, rule);
  const { opened, snapshot } = ready;
  try {
    if (asked !== null) {
      const text = await reachText(io, ready, asked, flags.json === true);
      io.stdout.write(settings.ascii.value ? toAscii(text) : text);
      return EXIT.ok;
    }
    if (flags.json) {
      io.stdout.write(jsonAnswer(await opened.client.raw(PATHS.gasCurrent), PATHS.gasCurrent));
      return EXIT.ok;
    }
    const wantsAdvice = template?.needsAdvice ?? true;
    const advice = wantsAdvice ? await recommendation(opened) : null;
    const text =
      template === null
        ? snapshotText(snapshot, advice, io.now())
        : template.fill({ snapshot, advice, now: io.now() });
    // What somebody wrote into the format stays as it is, unless they want it otherwise themselves.
    const isOwn = template !== null && ASCII_BY_LOCALE.test(settings.ascii.from);
    io.stdout.write(`${settings.ascii.value && !isOwn ? toAscii(text) : text}\n`);
    return EXIT.ok;
  } finally {
    await opened.close();
  }
}

/** A service that has prices but no advice is still worth a snapshot. */
async function recommendation({ client }: OpenedClient): Promise<RecommendationView | null> {
  try {
    return await client.gasRecommendation();
  } catch (error) {
    if (error instanceof ClientError && ['not-found', 'plan', 'unavailable'].includes(error.code))
      return null;
    throw error;
  }
}
