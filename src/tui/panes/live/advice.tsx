import type { HorizonView, RecommendationView, TrackView } from '../../../client/views/advice.ts';
import {
  type AdviceKind,
  advisedWait,
  describeAdvice,
  describeLikely,
  describeRecord,
  kindOf,
  recordOf,
  WAIT_FACTS,
  type WaitFact,
  waitHeading,
  withOwnWindows,
} from '../../../client/views/gas-texts.ts';
import { formatDuration, formatSaving, UNKNOWN } from '../../../core/units.ts';
import { useFlow } from '../../ui/fact-list.tsx';
import { useRoom, useTextWidth } from '../../ui/pane-context.tsx';
import { TitledLines } from '../../ui/scroll.tsx';
import { leftColumn, rightColumn, type TableColumn } from '../../ui/table.tsx';
import { bold, colored, faint, type Line, plain, shownWidth, wrapText } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { dayText } from '../../ui/time.ts';
import type { LiveView } from './live-view.ts';

const ACTION_COLORS = new Map<string | null, ColorName>([
  ['SEND_NOW', 'good'],
  ['WAIT', 'warn'],
  ['SET_ALERT', 'accent'],
]);

export function adviceParts(view: LiveView, width: number): readonly Line[] {
  const { recommendation: advice, snapshot, adviceAge, missing } = view;
  if (advice === undefined) return [[faint(missing.length > 0 ? '' : 'Asking for advice …')]];
  if (adviceAge !== null && advice.action !== null)
    return [[colored(`advice of ${adviceAge}, no longer valid`, 'warn')]];
  const { probability, expectedSavingRatio: saving, track, patienceSec } = advice;
  const { action, target } = describeAdvice(advice, snapshot);
  const todo = [bold(action, ACTION_COLORS.get(advice.action)), plain(target === '' ? '' : ` ${target}`)];
  if (advice.action === null) return [todo];
  const patience = patienceSec === null ? '' : `you can wait ${formatDuration(patienceSec)}`;
  const wait = advisedWait(advice);
  const stated = describeLikely(wait ?? { probability, isCeiling: null });
  const likely = stated === null ? [faint('likelihood not yet measured')] : [plain(`${stated} likely`)];
  const saves = wait === null || saving === null ? '' : formatSaving(saving);
  // What goes into the headline as long as it keeps to one line; that savings are a mean, misses counted, goes last.
  const isRoomyWith = (more: string) =>
    shownWidth(`${action} ${target}${more}   ${stated} likely   ${saves}`) < width - 1;
  const beside = patience !== '' && isRoomyWith(` (${patience})`) ? ` (${patience})` : '';
  const mean = isRoomyWith(`${beside} on average`) ? ' on average' : '';
  const record = track && describeRecord(track, kindOf(advice));
  const since = (track && recordOf(track, kindOf(advice))?.since) ?? null;
  return [
    [...todo, faint(beside)],
    likely,
    ...(saves === '' ? [] : [[plain(`${saves}${mean}`)]]),
    ...(record === null ? [] : [[faint(record)]]),
    ...(patience === '' || beside !== '' ? [] : [[faint(patience)]]),
    ...(since === null ? [] : [[faint(`since ${dayText(since)}`)]]),
  ];
}

/** As many reasons as fit, wrapped at blanks; the rest is shown after `⏎`. */
export function reasonLines(reasons: readonly string[], width: number, most: number): readonly Line[] {
  const lines: Line[] = [];
  for (const reason of reasons) {
    if (lines.length >= most) break;
    const wrapped = wrapText(reason, width - 4, most - lines.length);
    lines.push(...wrapped.map((text, at) => [faint(` ${at === 0 ? '•' : ' '} ${text}`)]));
  }
  return lines;
}

export function waitWords(wait: HorizonView): string {
  const facts = WAIT_FACTS.flatMap(([name, of]) => {
    const text = of(wait);
    return text === null ? [] : [`${name} ${text}`];
  });
  const worth = wait.probability === null ? (wait.reason ?? 'not known') : facts.join(', ');
  return `If you can wait ${formatDuration(wait.horizonSec)}: ${worth}`;
}

const NARROW = 70;

/** What each wait is worth: a column for each, `[15m]` the advised one, `(6h)` one beyond the patience. */
export function waitColumnsOf(
  waits: readonly HorizonView[],
  advice: RecommendationView | undefined,
  width: number,
): readonly TableColumn<WaitFact>[] {
  const isNarrow = width < NARROW;
  return [
    leftColumn(isNarrow ? 'can wait' : 'if you can wait', isNarrow ? 8 : 15, 0, ([name]) => [
      faint(isNarrow ? name.replace(/,.*/, '') : name),
    ]),
    ...waits.map((wait, place) => {
      const { text, isAdvised, isBeyond } = waitHeading(wait, advice);
      const cell = ([, of]: WaitFact): Line => [
        { text: of(wait) ?? UNKNOWN, bold: isAdvised, faint: isBeyond },
      ];
      return rightColumn(text, 7, isAdvised ? 0 : place + 1, cell, { id: String(wait.horizonSec) });
    }),
  ];
}

/** Why parts are missing, and the reasons of advice that is not stale. */
export function reasonsOf({ missing, recommendation, adviceAge }: LiveView): readonly string[] {
  if (recommendation === undefined || adviceAge !== null) return missing;
  const { action, alternatives } = recommendation;
  // The headline already says that there is none.
  const reasons = recommendation.reasons.map((reason) => reason.replace(/^no advice( yet)?: /, ''));
  const unknown = alternatives.filter(({ probability }) => probability === null);
  const [first, last] = [unknown[0], unknown.at(-1)];
  if (action === null || first === undefined || last === undefined) return [...missing, ...reasons];
  const times = [...new Set([first, last])].map(({ horizonSec }) => formatDuration(horizonSec));
  return [...missing, ...reasons, `waits of ${times.join(' to ')} – ${first.reason ?? 'not measured yet'}`];
}

/** How past advice has turned out, waits and sends apart; empty while none has come due. */
export function recordTexts(track: TrackView): readonly string[] {
  const kinds: readonly AdviceKind[] =
    track.waits === null && track.sends === null ? ['advice'] : ['waits', 'sends'];
  const texts = kinds.flatMap((kind) => recordText(track, kind));
  const { unjudged } = track;
  return texts.length > 0 && unjudged ? [...texts, `${unjudged} not judged for want of blocks`] : texts;
}

/** `waits: given 41, kept 37, stated 88 %, saved 12 %, since 3 Nov` */
function recordText(track: TrackView, kind: AdviceKind): readonly string[] {
  const record = recordOf(track, kind);
  const text = describeRecord(track, kind);
  if (record === null || text === null) return [];
  const { since, versions } = record;
  return [
    [
      text,
      ...(since === null ? [] : [`since ${dayText(since)}`]),
      ...(versions.length > 1 ? [`by versions ${versions.join(', ')} of its method`] : []),
    ].join(', '),
  ];
}

const RECKONED = [
  'the rule: wait for the row within your patience (P) that saves most, if it is 60 % likely and saves 0.5 %, or 10 % beyond 1h; else send now',
  'likely: how often such a price came in such a time after past blocks like this one',
  '≤: a ceiling, as so few windows of the past support no higher probability',
  'in the past: of past times of that length, one after another, in how many such a price came; a time that has the price of a shorter one is counted there',
  '[15m]: the time that is advised; (6h): longer than you can wait (P)',
  'saves: on average, against sending now, with what the misses cost; if not: what a miss costs or saves against sending now',
  'saved, of a record: against the lowest price that the next block took',
  'a price of a lane is what it usually pays, a price of a wait what some block comes down to',
];

export function AdviceInFull({ view }: { readonly view: LiveView }) {
  const { rows } = useRoom();
  const width = useTextWidth();
  const { snapshot, recommendation, adviceAge } = view;
  const { alternatives: waits = [], track = null } = (adviceAge === null && recommendation) || {};
  const texts = [
    ...reasonsOf({ ...view, recommendation: recommendation && { ...recommendation, alternatives: [] } }),
    ...withOwnWindows(waits).map(waitWords),
    ...(track === null ? [] : recordTexts(track)).map((text, at) => (at === 0 ? `record: ${text}` : text)),
    // Another service may use another method.
    ...(snapshot.source.kind === 'service' || waits.length === 0 ? [] : RECKONED),
  ];
  const heading = useFlow(adviceParts(view, width), width, 4);
  return (
    <TitledLines
      title={[[bold('Advice')], [faint('Esc closes')]]}
      lines={[...heading, ...reasonLines(texts, width, rows - 2)]}
    />
  );
}
