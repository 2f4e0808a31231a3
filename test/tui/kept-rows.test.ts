import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styledCharsFromTokens, tokenize } from '@alcalzone/ansi-tokenize';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leanDependencies } from '../../scripts/lean-dependencies.ts';
import { KeptRows, type Operation } from '../../src/tui/kept-rows.ts';

const INK_OUTPUT = join(import.meta.dirname, '../../node_modules/ink/build/output.js');

interface Output {
  write(x: number, y: number, text: string, options: { transformers: readonly unknown[] }): void;
  clip(clip: object): void;
  unclip(): void;
  get(): { readonly output: string; readonly height: number };
}
type OutputClass = new (size: { readonly width: number; readonly height: number }) => Output;

let folder = '';
let Plain: OutputClass;
let Kept: OutputClass;

async function bundled(name: string, plugins: Parameters<typeof build>[0]['plugins']): Promise<OutputClass> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [INK_OUTPUT],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
    },
    plugins: plugins ?? [],
  });
  return (await import(outfile)).default;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gastop-rows-'));
  Plain = await bundled('plain', []);
  Kept = await bundled('kept', [...leanDependencies]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const red = (text: string) => `\x1b[31m${text}\x1b[39m`;
const bold = (text: string) => `\x1b[1m${text}\x1b[22m`;

const text = fc.oneof(
  fc.constantFrom('21.4 gwei', 'a', '   ', '日本語', 'é', '👩‍👩‍👧', red('dear'), `x${bold('y')}z`, '── │ ▲'),
  fc.constantFrom('two\nlines', `${red('o\nver')}`, '\n\nthird', '日\n本'),
);
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      x: fc.integer({ min: -3, max: 18 }),
      y: fc.integer({ min: -2, max: 7 }),
      text,
      transformers: fc.constantFrom([], [red], [bold, red]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clip' as const),
      x1: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
      x2: fc.option(fc.integer({ min: 5, max: 20 }), { nil: undefined }),
      y1: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      y2: fc.option(fc.integer({ min: 2, max: 6 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unclip' as const) }) },
);
type Step = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** A frame, and one that differs from it in a place or two, and so on: as a screen goes on. */
const frames = fc
  .tuple(fc.array(operation, { maxLength: 12 }), fc.array(fc.tuple(fc.nat(11), operation), { maxLength: 6 }))
  .map(([first, changes]) => {
    const all: (readonly Step[])[] = [first];
    for (const [place, changed] of changes) {
      all.push((all.at(-1) ?? []).map((step, at) => (at === place ? changed : step)));
    }
    return all;
  });

function drawn(output: Output, steps: readonly Step[]): string {
  let open = 0;
  for (const step of steps) {
    if (step.kind === 'write') output.write(step.x, step.y, step.text, step);
    else if (step.kind === 'clip') {
      open += 1;
      const { kind: _, ...clip } = step;
      output.clip(clip);
    } else if (open > 0) {
      open -= 1;
      output.unclip();
    }
  }
  return output.get().output;
}

/** What stands in each cell, and how it looks, however that is written. */
const cells = (frame: string) =>
  frame
    .split('\n')
    .map((line) =>
      styledCharsFromTokens(tokenize(line)).map(({ value, styles }) =>
        [value, ...styles.map(({ code }) => code).sort()].join(),
      ),
    );

it('draws every frame as Ink itself would, whatever frame came before', () => {
  fc.assert(
    fc.property(frames, fc.constantFrom({ width: 16, height: 6 }, { width: 20, height: 5 }), (all, size) => {
      for (const steps of all) {
        expect(cells(drawn(new Kept(size), steps))).toEqual(cells(drawn(new Plain(size), steps)));
      }
    }),
    { numRuns: 500 },
  );
});

it('has Ink draw only the rows on which something else is written, and is intricate', () => {
  const kept = new KeptRows();
  const places: (readonly number[])[] = [];
  const frame = (...texts: readonly string[]) => {
    const operations = texts.map(
      (each, y): Operation => ({ type: 'write', x: 0, y, text: each, transformers: [] }),
    );
    return kept.next(10, texts.length, operations, {
      intersect: (_, inner) => inner,
      draw: (writes, rows) => {
        places.push(rows);
        return rows.map((row) => writes.find(({ write }) => write.y === row)?.write.text ?? '');
      },
    });
  };
  frame('日', '月', '火', 'a');
  expect(frame('日', '水', '火', 'b')).toEqual(['日', '水', '火', 'b']);
  frame('日', '水', '火', 'b');
  expect(frame('日', '水', '火', 'b', '木')).toEqual(['日', '水', '火', 'b', '木']);
  expect(places).toEqual([[0, 1, 2], [1], [], [4]]);
});
