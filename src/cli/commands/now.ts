import { Option } from 'commander';
import { followThreshold } from '../../client/follow-threshold.ts';
import type { RecommendationView } from '../../client/views/advice.ts';
import { chainStatus } from '../../client/views/chain-status.ts';
import type { LaneView, SnapshotView } from '../../client/views/gas.ts';
import {
  advisedWait,
  chainNameOf,
  describeAdvice,
  describeLikely,
  describeRecord,
  kindOf,
  lacksTips,
  type WaitFact,
  waitFactsOf,
  waitHeading,
  withOwnWindows,
} from '../../client/views/gas-texts.ts';
import { LONGEST_DEADLINE_SEC } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { LANE_TITLES, LANES, type LaneName, pastForReach } from '../../core/advice.ts';
import { describeOutdated } from '../../core/chain-status.ts';
import { ownValue } from '../../core/own-value.ts';
import { wrapWords } from '../../core/text.ts';
import { type PriceOrReason, type Threshold, thresholdText } from '../../core/threshold/threshold.ts';
import { HOUR_SEC } from '../../core/time.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  formatSaving,
  gweiString,
  UNKNOWN,
} from '../../core/units.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { failure, usageError } from '../errors.ts';
import { followSnapshots } from '../follow-snapshots.ts';
import type { Io } from '../io.ts';
import {
  adviceIfAny,
  learnedSnapshot,
  pastForAdvice,
  pastForLikelihood,
  pastForRule,
} from '../needed-history.ts';
import { openReady, type Ready, type ToldSnapshot, toldSnapshot } from '../open-source.ts';
import {
  ASCII_BY_LOCALE,
  badgeOf,
  cleanLine,
  cutToWidth,
  jsonResponse,
  mapped,
  note,
  print,
  RawText,
  shown,
  type TextColumn,
  tableLines,
  utcTime,
  withSpinner,
} from '../output.ts';
import { durationText, parseDuration, parseWritten, thresholdWords } from '../parse.ts';
import type { Settings } from '../settings.ts';

export function addNow(program: CliCommand): void {
  program
    .command('now')
    .summary('one snapshot, for people, scripts and status bars')
    .description('One snapshot: the three lanes, the next base fee and what to do.')
    .addOption(new Option('--json', "print the service's v1 response as it is").conflicts('format'))
    .parsed(
      '--format <TEXT>',
      "print TEXT with {average} {next} {action} … filled in; '{}' lists all",
      parseTemplate,
    )
    .parsed(
      '--below <PRICE>',
      'how likely the price is at or below this in time: gwei, or a rule',
      parseWritten,
      {
        conflicts: ['format'],
      },
    )
    .parsed('--within <TIME>', 'by when, with --below: 10m, 6h; gastop knows up to 1d (default 1h)', (text) =>
      parseDuration(text, {
        min: '1s',
        max: durationText(LONGEST_DEADLINE_SEC),
        note: ', of which gastop knows up to 1d',
      }),
    )
    .option('--stale-ok', 'print stale prices too; without it they exit 3')
    .addOption(new Option('--watch', 'go on with a line for each new block').conflicts('below'))
    .examples(
      "gastop now --format '{average} gwei, {action}'",
      'gastop now --below 0.05 --within 6h',
      "gastop now --below '$0.40/swap' --within 1d",
      'gastop now --demo --json',
      'gastop now --watch --json | jq --unbuffered .averagePrice',
    )
    .does(now);
}

type Asked = { format: ReturnType<typeof parseTemplate>; below: Threshold; within: number };
type NowFlags = Flags<never, 'json' | 'staleOk' | 'watch', Asked>;

async function now({ io, loadSettings }: CommandContext, flags: NowFlags): Promise<void> {
  const { format: template, below, within, json = false } = flags;
  if (template?.isList) {
    const prices = Object.keys(PRICES).map((name) => `{${name}} {${name}:gwei} {${name}:wei}`);
    const words = Object.keys(WORDS).map((name) => `{${name}}`);
    io.stdout.write(`${[...prices, ...words].join('\n')}\n`);
    return;
  }
  if (below === undefined && within !== undefined) {
    throw usageError('--within says by when a price is to be reached; name it with --below PRICE');
  }
  const asked = below === undefined ? null : { threshold: below, deadlineSec: within ?? HOUR_SEC };
  const { settings } = await loadSettings();
  const rule = flags.staleOk ? 'accept' : 'refuse';
  const wantsAdvice = !json && (template?.needsAdvice ?? !flags.watch);
  // Prices alone rest on the first blocks that are read.
  const isOfPrices = !wantsAdvice && settings.source.value.kind !== 'simulated';
  const historySec = isOfPrices ? (flags.watch ? HOUR_SEC : 0) : pastForAdvice(settings);
  await using ready = await openReady(io, settings, rule, {
    historySec: asked === null ? historySec : pastForThreshold(asked),
    ...(flags.watch
      ? { pace: 'real-time' }
      : { glance: wantsAdvice || asked !== null ? 'advice' : 'prices' }),
  });
  if (asked !== null) return await sayReach(io, settings, ready, asked, json);
  // The user's own format keeps its characters, unless --ascii is set.
  const { value, from } = settings.ascii;
  const isAscii = value && (template === undefined || !ASCII_BY_LOCALE.test(from));
  const textOf = async ({ snapshot, text }: ToldSnapshot): Promise<string> => {
    if (json) return flags.watch ? text.trim().replaceAll(/\s*\n\s*/g, ' ') : text.replace(/\n$/, '');
    const { advice, missing } = wantsAdvice
      ? await adviceIfAny(io, ready, settings.patienceSec.value)
      : NO_ADVICE;
    const facts = { snapshot, advice, now: io.now() };
    const words = () =>
      flags.watch ? watchLine(snapshot) : snapshotText(snapshot, advice, facts.now, missing);
    return shown({ ascii: { value: isAscii, from } }, template?.fill(facts) ?? words());
  };
  if (flags.watch) return await watchPrices(io, ready, rule === 'accept', textOf);
  io.stdout.write(`${await textOf(await learnedSnapshot(io, settings, ready))}\n`);
}

const NO_ADVICE = { advice: null, missing: null };

/** Prints a line per block until a signal or the end of a recording. Failures that pass are told once, on stderr. */
async function watchPrices(
  io: Io,
  ready: Ready,
  mayBeStale: boolean,
  lineOf: (told: ToldSnapshot) => Promise<string>,
): Promise<void> {
  let isTold = false;
  let last: number | string | null = null;
  const onTrouble = (reason: string) => {
    if (!isTold) note(io, `no current prices: ${cleanLine(reason)}; still watching`);
    isTold = true;
  };
  const persistence = { signal: io.interruption(), onTrouble, hasWorked: true };
  for await (const told of followSnapshots(ready, persistence)) {
    const { source, blockNumber, updatedAt, lanes } = told.snapshot;
    const outdated = describeOutdated(chainStatus(told.snapshot, io.now()));
    if (outdated !== null && !mayBeStale) {
      onTrouble(outdated);
      continue;
    }
    if (isTold) note(io, 'prices are back');
    isTold = false;
    // A service that names no block has something new when its time or its prices change.
    const block = blockNumber ?? updatedAt ?? LANES.map((lane) => lanes[lane].price).join(' ');
    if (block !== last) io.stdout.write(`${await lineOf(told)}\n`);
    last = block;
    if (source.ended) break;
  }
}

/** `#25,312,004  slow 0.0312  average 0.0388  fast 0.0521  base 0.0301  next 0.0298 gwei` */
function watchLine(snapshot: SnapshotView): string {
  const { blockNumber, baseFee, nextBaseFee, lanes } = snapshot;
  const parts = [
    blockNumber === null ? 'block unknown' : `#${formatCount(blockNumber)}`,
    ...LANES.map((lane) => `${lane} ${formatGwei(lanes[lane].price)}`),
    `base ${formatGwei(baseFee)}`,
    ...(nextBaseFee === null ? [] : [`next ${formatGwei(nextBaseFee)}`]),
  ];
  return `${badgeOf(snapshot)}${parts.join('  ')} gwei`;
}

interface AskedThreshold {
  readonly threshold: Threshold;
  readonly deadlineSec: number;
}

const pastForThreshold = ({ threshold, deadlineSec }: AskedThreshold): number =>
  Math.max(pastForLikelihood(deadlineSec), pastForRule(threshold));

/** How likely a price is reached. A service in this process must read its history first; a remote one is asked once. */
async function sayReach(
  io: Io,
  settings: Settings,
  { client, embedded, snapshot }: Ready,
  asked: AskedThreshold,
  json: boolean,
): Promise<void> {
  const signal = io.interruption();
  const raw = new RawText();
  const { threshold, deadlineSec } = asked;
  const words = (effective: PriceOrReason) =>
    `at or below ${thresholdWords(threshold, effective)} within ${durationText(deadlineSec)}`;
  const ask = async (present: SnapshotView) => {
    const followed = { client, lane: 'average', side: 'below', isOwn: embedded !== null } as const;
    const { effective } = await followThreshold(threshold, followed)(present, signal);
    if ('reason' in effective) return { effective, reach: null };
    const query = {
      reach: { targetPrice: effective.price, deadlineSec },
      signal,
      onResponse: raw.onResponse,
    };
    return { effective, reach: (await client.gasRecommendation(query)).reach };
  };
  const { effective, reach } = await withSpinner(
    io,
    `reading ${durationText(pastForThreshold(asked))} of history`,
    async () => {
      const first = await ask(snapshot);
      const isFinal = snapshot.source.ended || pastForReach(deadlineSec) === null;
      const isKnown = 'price' in first.effective && first.reach?.probability !== null;
      if (embedded === null || isFinal || isKnown) return first;
      await embedded.filled();
      return ask((await toldSnapshot(client, signal)).snapshot);
    },
  );
  if ('reason' in effective)
    throw failure(`no price is known for ${thresholdText(threshold)}: ${cleanLine(effective.reason)}`);
  if (json) {
    io.stdout.write(jsonResponse(raw.text, PATHS.gasRecommendation));
    return;
  }
  if (reach === null) throw failure('this service does not say how likely a price is reached');
  if (reach.probability === null) {
    throw failure(
      `${words(effective)}: ${reach.reason === null ? 'it is not known' : cleanLine(reach.reason)}`,
    );
  }
  print(
    io,
    settings,
    `${badgeOf(snapshot)}${words(effective)}: ${formatLikelihood(reach.probability)} likely`,
  );
}

const WIDTH = 80;

export function snapshotText(
  snapshot: SnapshotView,
  advice: RecommendationView | null,
  now: number,
  missing: string | null = null,
): string {
  const noTips = lacksTips(snapshot);
  const outdated = describeOutdated(chainStatus(snapshot, now));
  const column = (title: string, cell: (lane: LaneView) => string | null): TextColumn<LaneName> => [
    title,
    'right',
    (lane) => cell(snapshot.lanes[lane]) ?? UNKNOWN,
  ];
  const table = tableLines(
    [
      ['lane', 'left', (lane) => LANE_TITLES[lane]],
      column(noTips ? 'base only' : 'gwei', ({ price }) => formatGwei(price)),
      column('max fee', ({ maxFeePerGas }) => mapped(maxFeePerGas, formatGwei)),
      column('tip', ({ maxPriorityFeePerGas }) => mapped(maxPriorityFeePerGas, formatGwei)),
      column('within', ({ withinBlocks }) =>
        mapped(withinBlocks, (blocks) => (blocks === 1 ? '1 block' : `${blocks} blocks`)),
      ),
      column('half, 95 % in', ({ waitSec }) =>
        mapped(noTips ? null : waitSec, ({ p50, p95 }) => `${formatDuration(p50)}, ${formatDuration(p95)}`),
      ),
      column('likely', ({ probability }) => mapped(outdated === null ? probability : null, formatLikelihood)),
    ],
    LANES,
  );
  return [
    ...headLines(snapshot, now),
    '',
    ...table,
    '',
    feeLine(snapshot),
    ...(advice === null
      ? []
      : outdated !== null
        ? [`advice of ${ageText(snapshot, now)}, no longer valid`]
        : adviceLines(advice, snapshot)),
    ...(missing === null ? [] : wrapWords(`no advice: ${missing}`, WIDTH)),
  ].join('\n');
}

function headLines(snapshot: SnapshotView, now: number): string[] {
  const { blockNumber, source } = snapshot;
  const block = blockNumber === null ? 'block unknown' : `#${formatCount(blockNumber)}`;
  const parts = [chainName(snapshot), block, ageText(snapshot, now), cleanLine(source.name)];
  const lines = [cutToWidth(badgeOf(snapshot) + parts.filter((part) => part !== '').join('  '), WIDTH)];
  const outdated = describeOutdated(chainStatus(snapshot, now));
  if (outdated !== null) lines.push(`stale: ${cleanLine(outdated)}`);
  return lines;
}

const chainName = (snapshot: SnapshotView) => cleanLine(chainNameOf(snapshot) ?? '');

function ageText(snapshot: SnapshotView, now: number): string {
  const { blockTimestamp, source } = snapshot;
  if (blockTimestamp === null) return '';
  if (source.kind === 'replay') return `${utcTime(blockTimestamp, 'seconds')} UTC`;
  return formatAge(Math.max(now - blockTimestamp, 0) / 1_000);
}

function feeLine(snapshot: SnapshotView): string {
  const { baseFee, nextBaseFee, blobBaseFee, gasUsedRatio } = snapshot;
  const parts = [`base fee ${formatGwei(baseFee)}`];
  if (nextBaseFee !== null) {
    const change =
      baseFee === 0n ? '' : ` (${formatChange(Number(nextBaseFee - baseFee) / Number(baseFee))})`;
    parts.push(`next base fee ${formatGwei(nextBaseFee)}${change}`);
  }
  if (blobBaseFee !== null) parts.push(`blob ${formatGwei(blobBaseFee)}`);
  if (gasUsedRatio !== null) parts.push(`block ${formatPercent(gasUsedRatio)} full`);
  return parts.join(' · ');
}

function adviceLines(advice: RecommendationView, snapshot: SnapshotView): readonly string[] {
  if (advice.action === null) return wrapWords(cleanLine(advice.reasons[0] ?? 'no advice yet'), WIDTH);
  const { action, target } = describeAdvice(advice, snapshot);
  const likely = describeLikely(advisedWait(advice) ?? { probability: advice.probability, isCeiling: null });
  const saving = advisedWait(advice) === null ? null : advice.expectedSavingRatio;
  const record = advice.track && describeRecord(advice.track, kindOf(advice));
  const headline = [
    cleanLine(`${action} ${target}`),
    ...(likely === null ? [] : [`${likely} likely`]),
    ...(saving === null ? [] : [`${formatSaving(saving)} on average against sending now`]),
  ];
  return [
    headline.join(' · '),
    ...(record === null ? [] : [record]),
    ...advice.reasons.flatMap((reason) => wrapWords(cleanLine(reason), WIDTH)),
    ...waitLines(advice),
  ];
}

/** What each wait is worth: a column for each of which something is known. */
function waitLines(advice: RecommendationView): readonly string[] {
  const waits = withOwnWindows(advice.alternatives).filter(({ probability }) => probability !== null);
  if (waits.length === 0) return [];
  return [
    '',
    ...tableLines<WaitFact>(
      [
        ['if you can wait', 'left', ([name]) => name],
        ...waits.map((wait): TextColumn<WaitFact> => {
          return [waitHeading(wait, advice).text, 'right', ([, of]) => of(wait) ?? UNKNOWN];
        }),
      ],
      waitFactsOf(waits),
    ),
  ];
}

interface Facts {
  readonly snapshot: SnapshotView;
  readonly advice: RecommendationView | null;
  readonly now: number;
}

/** Prices: gwei for people, or exact with `:gwei` and `:wei`. */
const PRICES: Readonly<Record<string, (facts: Facts) => bigint | null>> = {
  slow: ({ snapshot }) => snapshot.lanes.slow.price,
  average: ({ snapshot }) => snapshot.lanes.average.price,
  fast: ({ snapshot }) => snapshot.lanes.fast.price,
  base: ({ snapshot }) => snapshot.baseFee,
  next: ({ snapshot }) => snapshot.nextBaseFee,
  tip: ({ snapshot }) => snapshot.lanes.average.maxPriorityFeePerGas,
  blob: ({ snapshot }) => snapshot.blobBaseFee,
  target: ({ advice }) => advice?.targetPrice ?? null,
};

const WORDS: Readonly<Record<string, (facts: Facts) => string | null>> = {
  action: ({ advice }) => mapped(advice?.action, cleanLine),
  probability: ({ advice }) => mapped(advice?.probability, formatPercent),
  saving: ({ advice }) => mapped(advice?.expectedSavingRatio, formatPercent),
  wait: ({ advice }) => mapped(advice?.expectedWaitSec, formatDuration),
  full: ({ snapshot }) => mapped(snapshot.gasUsedRatio, formatPercent),
  block: ({ snapshot }) => mapped(snapshot.blockNumber, String),
  age: ({ snapshot, now }) => ageText(snapshot, now),
  chain: ({ snapshot }) => chainName(snapshot),
  source: ({ snapshot }) => cleanLine(snapshot.source.name),
};

export const PLACEHOLDERS: readonly string[] = [...Object.keys(PRICES), ...Object.keys(WORDS)];

function parseTemplate(text: string) {
  const isList = text === '{}';
  const parts: ((facts: Facts) => string)[] = [];
  let needsAdvice = false;
  for (const [piece] of text.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g)) {
    if (piece === '{' || piece === '}') {
      throw new RangeError(`a single ${piece} stands alone; write ${piece}${piece} for a brace`);
    }
    if (piece === '{{' || piece === '}}') parts.push(() => piece.slice(1));
    else if (piece.startsWith('{') && !isList) {
      const name = piece.slice(1, -1).trim();
      needsAdvice ||= /^(target|action|probability|saving|wait)(:|$)/.test(name);
      parts.push(placeholder(name));
    } else parts.push(() => piece);
  }
  return { isList, needsAdvice, fill: (facts: Facts) => parts.map((part) => part(facts)).join('') };
}

function placeholder(written: string): (facts: Facts) => string {
  const [name = '', unit, ...rest] = written.split(':');
  const price = ownValue(PRICES, name);
  if (price !== undefined && rest.length === 0) {
    if (unit === undefined) return (facts) => mapped(price(facts), formatGwei) ?? UNKNOWN;
    if (unit === 'gwei') return (facts) => mapped(price(facts), gweiString) ?? '';
    if (unit === 'wei') return (facts) => mapped(price(facts), String) ?? '';
  }
  const word = ownValue(WORDS, name);
  if (word !== undefined && unit === undefined) return (facts) => word(facts) || UNKNOWN;
  const known = PLACEHOLDERS.map((each) => `{${each}}`).join(' ');
  throw new RangeError(`{${written}} is unknown; known are ${known} and prices with :gwei or :wei`);
}
