import type { LaneReport, RuleScore, WaitScore } from '../../src/core/backtest/judge.ts';
import { formatChange, formatCount, formatDuration, formatPercent } from '../../src/core/units.ts';
import type { StretchScore } from './score.ts';
import type { SimulatedScore } from './simulated.ts';

const LANE_NAMES = { fast: 'Fast', average: 'Average', slow: 'Slow' } as const;

/** The result tables of docs/COMMANDS.md: lanes and horizons over all stretches. */
export function resultTables(scores: readonly StretchScore[]): string {
  const lanes = scores.flatMap((score) => score.lanes.map((lane) => laneRow(score, lane)));
  const horizons = scores.flatMap((score) =>
    score.horizons.map(
      ({ horizonSec, judged, stated, kept, saving, foresight }) =>
        `| ${stretchName(score)} | ${duration(horizonSec)} | ${formatCount(judged)} | ${share(stated)} | ${share(kept)} | ${share(saving)} | ${share(foresight)} |`,
    ),
  );
  return [
    '| stretch | lane | judged | stated | kept | saving | naive rule | best possible | cap above paid | if late | lowest cap of others* |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|',
    ...lanes,
    '',
    '| stretch | within | judged | stated | kept | saving | best possible |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...horizons,
    '',
    '| stretch | advice | times | of blocks | stated | kept | saving expected | saved |',
    '|---|---|--:|--:|--:|--:|--:|--:|',
    ...scores.flatMap((score) => score.waits.map((waits) => waitRow(score, waits))),
  ].join('\n');
}

/** Of README.md: why to believe the caps and the waits. */
export function reasons(scores: readonly StretchScore[]): string {
  const quick = scores.flatMap(({ lanes }) => lanes.filter(({ lane }) => lane !== 'slow'));
  const own = quick.flatMap(({ rules }) => rules.filter(({ kind }) => kind === 'own'));
  // One that signs the bare next base fee is good for one block: that is another promise.
  const others = quick.flatMap(({ rules }) =>
    rules.filter(({ kind, overhang }) => kind === 'peer' && (overhang ?? 0) > 0),
  );
  const names = [...new Set(others.map(({ rule }) => rule))];
  const waits = scores.flatMap((score) => score.waits.filter(({ action }) => action === 'WAIT'));
  const kept = spread(own.map((rule) => rule.kept));
  return [
    `- **Its caps lie close to what is paid**: ${spread(own.map((rule) => rule.overhang))} above it for Fast and Average, where the rules of`,
    `  ${names.slice(0, -1).join(', ')} and ${names.at(-1)} sign ${spread(others.map((rule) => rule.overhang))} above; ${kept} got in in time`,
    '  ([beside what others sign](docs/ADVICE-MEASURED.md#beside-what-others-sign)).',
    `- **Its waits do what they say**: of prices stated as ${spread(waits.map((wait) => wait.stated))} likely ${spread(waits.map((wait) => wait.kept))} came; said to save`,
    `  ${spread(waits.map((wait) => wait.expectedSaving))}, they saved ${spread(waits.map((wait) => wait.saving))}, misses counted.`,
  ].join('\n');
}

/** `6 to 13 %` */
function spread(shares: readonly (number | null)[]): string {
  const known = shares.filter((share) => share !== null);
  const [least, most] = [formatPercent(Math.min(...known)), formatPercent(Math.max(...known))];
  return least === most ? least : `${least.replace(/\s?%$/, '')} to ${most}`;
}

/** What somebody saves who comes at any block and can wait so long: gastop beside the other rules. */
export function patienceTable(scores: readonly StretchScore[]): string {
  const rows = scores.flatMap((score) =>
    score.patience.map(({ patienceSec, judged, rules }) => {
      const of = (name: string) => rules.find(({ rule }) => rule === name);
      const own = of('gastop');
      const low = of('low-quantile rule');
      const cells = [
        ...[own?.saving, of('naive rule')?.saving, low?.saving].map(share),
        ...[of('a quantile that waits as often')?.saving, of('perfect foresight')?.saving].map(share),
        ...[own?.waits, own?.stated, own?.kept, low?.kept].map(share),
        ...[own?.missRatio, low?.missRatio].map(room),
      ];
      return `| ${[stretchName(score), duration(patienceSec), formatCount(judged), ...cells].join(' | ')} |`;
    }),
  );
  return [
    '| stretch | patience | arrivals | saved | naive rule | low quantile | one that waits as often | best possible | waits | stated | kept | low quantile kept | a miss costs | low quantile |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

/** Of README.md: the same in sum of all stretches. */
export function patienceSums(scores: readonly StretchScore[]): string {
  const secs = [...new Set(scores.flatMap(({ patience }) => patience.map(({ patienceSec }) => patienceSec)))];
  const rows = secs.map((sec) => {
    const all = scores.flatMap(({ patience }) => patience.filter(({ patienceSec }) => patienceSec === sec));
    const sum = (name: string) =>
      all.reduce((total, { rules }) => total + (rules.find(({ rule }) => rule === name)?.saving ?? 0), 0);
    const names = ['gastop', 'naive rule', 'low-quantile rule', 'perfect foresight'];
    return `| ${[duration(sec), ...names.map((name) => share(sum(name)))].join(' | ')} |`;
  });
  return [
    '| patience | gastop | naive rule | low-quantile rule | best possible |',
    '|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

/** The table of docs/ADVICE.md: everything that was advised, a row each. */
export function pageTable(scores: readonly StretchScore[]): string {
  const rows = scores.flatMap((score) => [
    ...score.lanes.map(({ lane, rules, stated }) => {
      const of = (kind: RuleScore['kind']) => rules.find((rule) => rule.kind === kind);
      const own = of('own');
      const shares = [stated, own?.kept, own?.saving, of('naive')?.saving, of('foresight')?.saving];
      return pageRow(score, LANE_NAMES[lane], own?.judged ?? 0, shares);
    }),
    ...score.horizons.map(({ horizonSec, judged, stated, kept, saving, foresight }) =>
      pageRow(score, duration(horizonSec), judged, [stated, kept, saving, null, foresight]),
    ),
    ...score.waits.map(({ action, judged, stated, kept, saving }) =>
      pageRow(score, `\`${action}\``, judged, [stated, kept, saving, null, null]),
    ),
  ]);
  return [
    '| stretch | advice | judged | promised | kept | saved | naive rule | best possible |',
    '|---|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

function pageRow(
  score: StretchScore,
  advice: string,
  judged: number,
  shares: readonly (number | null | undefined)[],
): string {
  return `| ${[stretchName(score), advice, formatCount(judged), ...shares.map(share)].join(' | ')} |`;
}

function waitRow(
  score: StretchScore,
  { action, judged, share: of, stated, kept, expectedSaving, saving }: WaitScore,
): string {
  const cells = [of, stated, kept, expectedSaving, saving].map(share);
  return `| ${[stretchName(score), `\`${action}\``, formatCount(judged), ...cells].join(' | ')} |`;
}

function laneRow(score: StretchScore, { lane, rules, stated, tightest }: LaneReport): string {
  const own = rules.find(({ kind }) => kind === 'own');
  // Whoever is to get in at once wants a cap that is still good a block later.
  const peer = rules.find(({ rule }) => rule === (lane === 'slow' ? tightest.keeping : tightest.late));
  const cells = [
    stretchName(score),
    LANE_NAMES[lane],
    formatCount(own?.judged ?? 0),
    share(stated),
    share(own?.kept),
    share(own?.saving),
    share(rules.find(({ kind }) => kind === 'naive')?.saving),
    share(rules.find(({ kind }) => kind === 'foresight')?.saving),
    room(own?.overhang),
    lane === 'slow' ? '' : share(own?.keptLate),
    peer === undefined ? '–' : `${peer.rule} ${room(peer.overhang)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Of docs/ADVICE.md: each horizon, and the waits of each patience, in sum of all simulated chains. */
export function simulatedTable({ horizons, patience, arrivals }: SimulatedScore): string {
  const rows = horizons.map(({ sec, stated, kept, saving }, index) => {
    const wait = patience[index];
    const waits =
      wait === undefined
        ? []
        : [wait.judged / arrivals, wait.stated, wait.kept, wait.expectedSaving, wait.saving];
    return `| ${[duration(sec), ...[stated, kept, saving, ...waits].map(share)].join(' | ')} |`;
  });
  return [
    '| within | its row promised | kept | saved | told to wait with that patience | promised | kept | said to save | saved |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

/** Every rule beside every other, one table for each stretch. */
export function ruleTables(scores: readonly StretchScore[]): string {
  return scores.map(ruleTable).join('\n\n');
}

function ruleTable(score: StretchScore): string {
  const lanes = score.lanes.filter(({ rules }) => rules.length > 0);
  const names = [...new Set(lanes.flatMap(({ rules }) => rules.map(({ rule }) => rule)))];
  const heads = lanes.flatMap(({ lane }) =>
    lane === 'slow'
      ? ['Slow kept', 'saving', 'cap', 'pinball']
      : [`${LANE_NAMES[lane]} kept`, 'if late', 'cap', 'pinball'],
  );
  const rows = ruleOrder(names).map((name) => {
    const cells = lanes.flatMap((lane) => {
      const rule = lane.rules.find((each) => each.rule === name);
      return ruleCells(rule, lane.lane === 'slow');
    });
    return `| ${[name === 'gastop' ? '**gastop**' : name, ...cells].join(' | ')} |`;
  });
  return [
    `**${stretchName(score)}**: ${stretchWords(score)}.`,
    '',
    `| rule | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '--:|').join('')}`,
    ...rows,
  ].join('\n');
}

/** Perfect foresight last; the naive rule, which only Slow has, before it. */
function ruleOrder(names: readonly string[]): string[] {
  const last = ['naive rule', 'perfect foresight'];
  return [...names.filter((name) => !last.includes(name)), ...last.filter((name) => names.includes(name))];
}

function ruleCells(rule: RuleScore | undefined, isSlow: boolean): string[] {
  if (rule === undefined) return ['', '', '', ''];
  const { kept, keptLate, saving, overhang, pinball } = rule;
  return [share(kept), share(isSlow ? saving : keptLate), room(overhang), formatPercent(pinball, 2)];
}

/** The month it is of. */
export const stretchName = ({ firstTime }: StretchScore): string =>
  new Date(firstTime * 1_000).toISOString().slice(0, 7);

function stretchWords(score: StretchScore): string {
  const { blocks, firstBlock, lastBlock, firstTime, lastTime, lowestBaseFee, highestBaseFee } = score;
  const gwei = (value: number) => value.toFixed(1);
  return `${formatCount(blocks)} blocks (${formatCount(firstBlock)} to ${formatCount(lastBlock)}, ${formatDuration(lastTime - firstTime)}), base fee ${gwei(lowestBaseFee)} to ${gwei(highestBaseFee)} gwei`;
}

export const duration = (sec: number): string =>
  sec < 3_600 ? `${sec / 60} min` : `${Math.round(sec / 3_600)} h`;

const share = (ratio: number | null | undefined): string =>
  ratio === null || ratio === undefined ? '' : formatPercent(ratio, 1);

const room = (overhang: number | null | undefined): string =>
  overhang === null || overhang === undefined ? '' : formatChange(overhang, 1);
