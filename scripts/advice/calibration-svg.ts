import type { CalibrationGroup } from '../../src/core/backtest/judge.ts';
import { formatCount, formatPercent } from '../../src/core/units.ts';
import type { StretchScore } from './score.ts';
import { duration, stretchName } from './tables.ts';

/** Of fewer promises a share says too little to be drawn. */
const LEAST_DRAWN = 20;
const PANEL = 360;
const MARGIN = { left: 56, top: 48, between: 84, right: 20 } as const;
const LEGEND_LINE = 22;
/** Either side of the diagonal: what a horizon's kept share may be off by. */
const BAND = 0.05;

interface Series {
  readonly name: string;
  readonly style: string;
  readonly isLane: boolean;
  readonly judged: number;
  readonly groups: readonly CalibrationGroup[];
}

/** Stated probability against the share kept, a panel for each stretch: dots on the diagonal are promises kept as stated. */
export function calibrationSvg(scores: readonly StretchScore[]): string {
  const panels = scores.map((score) => ({ score, series: seriesOf(score) }));
  const low = lowest(panels.flatMap(({ series }) => series));
  const legendLines = Math.max(...panels.map(({ series }) => Math.ceil(series.length / 2)), 1);
  const width = MARGIN.left + panels.length * PANEL + (panels.length - 1) * MARGIN.between + MARGIN.right;
  const height = MARGIN.top + PANEL + 64 + legendLines * LEGEND_LINE + 26;
  const body = panels.map(({ score, series }, index) => {
    const x = MARGIN.left + index * (PANEL + MARGIN.between);
    return group(x, MARGIN.top, [
      text(0, -20, 'title', `${stretchName(score)}, ${formatCount(score.blocks)} blocks`),
      ...axes(low),
      ...dots(series, low),
      ...legend(series, PANEL + 64),
    ]);
  });
  const note =
    'Dot area: number of promises, in groups of five points of stated probability. Band: ±5 points.';
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">`,
    '<title id="t">Calibration of the advice</title>',
    `<desc id="d">${escaped(description(panels))}</desc>`,
    `<style>${STYLE}</style>`,
    ...body,
    text(MARGIN.left, height - 10, 'note', note),
    '</svg>',
  ].join('\n')}\n`;
}

/** Colours that hold on white as on near black; lanes are dots, horizons squares. */
const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#57606a}',
  '.title{font-weight:600;font-size:14px;fill:#24292f}',
  '.note,.tick{font-size:11px}',
  '.end{text-anchor:end}.mid{text-anchor:middle}',
  '.grid{stroke:#8b949e;stroke-opacity:.25}',
  '.diagonal{stroke:#8b949e;stroke-width:1.5}',
  '.band{fill:#8b949e;fill-opacity:.14}',
  '.dot{fill-opacity:.75;stroke-width:1}',
  '.fast{fill:#d1453b;stroke:#d1453b}.average{fill:#c08a1e;stroke:#c08a1e}.slow{fill:#3f9c4f;stroke:#3f9c4f}',
  '.h0{fill:#2f81d6;stroke:#2f81d6}.h1{fill:#8a63d2;stroke:#8a63d2}.h2{fill:#c7549b;stroke:#c7549b}',
  '.h3{fill:#1f9d96;stroke:#1f9d96}.h4{fill:#7d8590;stroke:#7d8590}',
  '@media(prefers-color-scheme:dark){text{fill:#9da7b3}.title{fill:#e6edf3}}',
].join('');

const LANE_NAMES = { fast: 'Fast', average: 'Average', slow: 'Slow' } as const;

function seriesOf({ lanes, horizons }: StretchScore): Series[] {
  const ofLanes = lanes.map(({ lane, rules, calibration }) => ({
    name: LANE_NAMES[lane],
    style: lane,
    isLane: true,
    judged: rules[0]?.judged ?? 0,
    groups: calibration,
  }));
  const ofHorizons = horizons.map(({ horizonSec, judged, calibration }, index) => ({
    name: `within ${duration(horizonSec)}`,
    style: `h${index}`,
    isLane: false,
    judged,
    groups: calibration,
  }));
  return [...ofLanes, ...ofHorizons]
    .map((series) => ({ ...series, groups: series.groups.filter(({ size }) => size >= LEAST_DRAWN) }))
    .filter(({ groups }) => groups.length > 0);
}

function lowest(series: readonly Series[]): number {
  const shares = series.flatMap(({ groups }) => groups.flatMap(({ stated, kept }) => [stated, kept]));
  return Math.min(Math.floor(Math.min(...shares) * 10) / 10, 0.7);
}

const across = (share: number, low: number): number => ((share - low) / (1 - low)) * PANEL;
const down = (share: number, low: number): number => PANEL - across(share, low);

function axes(low: number): string[] {
  const step = low < 0.3 ? 0.2 : 0.1;
  const ticks = Array.from({ length: Math.round((1 - low) / step) + 1 }, (_, index) => 1 - index * step);
  const edge = BAND / (1 - low);
  const corner = (x: number, y: number) => `${num(x * PANEL)},${num(PANEL - y * PANEL)}`;
  const band = [
    corner(0, 0),
    corner(0, edge),
    corner(1 - edge, 1),
    corner(1, 1),
    corner(1, 1 - edge),
    corner(edge, 0),
  ];
  return [
    ...ticks.flatMap((share) => {
      const [x, y] = [num(across(share, low)), num(down(share, low))];
      return [
        `<path class="grid" d="M0 ${y}H${PANEL}M${x} 0V${PANEL}"/>`,
        text(-8, Number(y) + 4, 'tick end', formatPercent(share)),
        text(Number(x), PANEL + 18, 'tick mid', formatPercent(share)),
      ];
    }),
    `<polygon class="band" points="${band.join(' ')}"/>`,
    `<path class="diagonal" d="M0 ${PANEL}L${PANEL} 0"/>`,
    text(PANEL / 2, PANEL + 38, 'mid', 'stated'),
    `<text class="mid" transform="translate(-44 ${PANEL / 2}) rotate(-90)">kept</text>`,
  ];
}

/** Large ones first, so that none is hidden; of those in the same place the later one is drawn smaller. */
function dots(series: readonly Series[], low: number): string[] {
  const most = Math.max(...series.flatMap(({ groups }) => groups.map(({ size }) => size)), 1);
  const taken = new Map<string, number>();
  return series
    .flatMap((each) => each.groups.map((group) => ({ ...each, ...group })))
    .toSorted((a, b) => b.size - a.size)
    .map(({ name, style, isLane, size, stated, kept }) => {
      const [x, y] = [across(stated, low), down(kept, low)];
      const place = `${Math.round(x / 4)} ${Math.round(y / 4)}`;
      const before = taken.get(place) ?? 0;
      taken.set(place, before + 1);
      const radius = (3 + 9 * Math.sqrt(size / most)) * 0.6 ** before;
      const title = `${name}: stated ${formatPercent(stated, 1)}, kept ${formatPercent(kept, 1)} of ${formatCount(size)}`;
      return (isLane ? circle : square)(x, y, radius, style, title);
    });
}

function circle(x: number, y: number, radius: number, style: string, title?: string): string {
  return `<circle class="dot ${style}" cx="${num(x)}" cy="${num(y)}" r="${num(radius)}"${inner('circle', title)}`;
}

function square(x: number, y: number, radius: number, style: string, title?: string): string {
  // The area of the circle.
  const side = radius * Math.sqrt(Math.PI);
  const corner = `x="${num(x - side / 2)}" y="${num(y - side / 2)}"`;
  return `<rect class="dot ${style}" ${corner} width="${num(side)}" height="${num(side)}"${inner('rect', title)}`;
}

const inner = (tag: string, title: string | undefined): string =>
  title === undefined ? '/>' : `><title>${escaped(title)}</title></${tag}>`;

function legend(series: readonly Series[], top: number): string[] {
  return series.flatMap(({ name, style, isLane, judged }, index) => {
    const [x, y] = [(index % 2) * (PANEL / 2), top + Math.floor(index / 2) * LEGEND_LINE];
    const mark = isLane ? circle : square;
    return [mark(x + 6, y - 4, 5, style), text(x + 18, y, '', `${name}: ${formatCount(judged)}`)];
  });
}

function description(panels: readonly { score: StretchScore; series: readonly Series[] }[]): string {
  return panels
    .map(({ score, series }) => {
      const points = series.flatMap(({ name, groups }) =>
        groups.map(
          ({ stated, kept }) => `${name} ${formatPercent(stated)} stated, ${formatPercent(kept)} kept`,
        ),
      );
      return `${stretchName(score)}: ${points.join('; ')}.`;
    })
    .join(' ');
}

const group = (x: number, y: number, lines: readonly string[]): string =>
  [`<g transform="translate(${num(x)} ${num(y)})">`, ...lines, '</g>'].join('\n');

function text(x: number, y: number, style: string, words: string): string {
  const kind = style === '' ? '' : ` class="${style}"`;
  return `<text${kind} x="${num(x)}" y="${num(y)}">${escaped(words)}</text>`;
}

/** A tenth of a pixel is enough. */
const num = (value: number): string => String(Math.round(value * 10) / 10);

const escaped = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
