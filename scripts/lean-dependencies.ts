import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { builtinsWithoutNamespace } from './builtins-without-namespace.ts';
import { reactOnce } from './react-once.ts';

const ROOT = join(import.meta.dirname, '..');
/** Cleaned texts that are kept: several screens of them. */
const REMEMBERED_TEXTS = 1_000;

/** Who has the background of what is around it need not say so to what is within it. */
const WITHIN = `
  function within(inherited, provided, element) {
    return provided.value === inherited ? element : React.createElement(BackgroundContext, provided, element);
  }`;

/**
 * zod's namespace object `z`, which `@hono/zod-openapi` imports, holds the messages of fifty languages: 267 kB, of
 * which only English is ever spoken here.
 */
const englishZod: Plugin = {
  name: 'english-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * The loader of Yoga, which is Ink's layout, asks `fetch` for the `data:` URL that it holds itself. That makes Node
 * load its whole HTTP client before the first frame; decoding the URL is the loader's own second way.
 */
const yogaWithoutFetch: Plugin = {
  name: 'yoga-without-fetch',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, async ({ path }) => ({
      contents: await patched(path, ['"function"!=typeof fetch', 'true']),
    }));
  },
};

/**
 * ink-table makes a row's React key from a hash of what the row says: with every new price it would throw the row
 * away and lay out another one. With nothing hashed the row is its place, and Node's crypto is not loaded either.
 */
const tableRowsStay: Plugin = {
  name: 'table-rows-stay',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^object-hash$/ }, () => ({ path: 'object-hash', namespace: 'table-rows-stay' }));
    onLoad({ filter: /./, namespace: 'table-rows-stay' }, () => ({
      contents: "export const sha1 = () => '';",
    }));
  },
};

/**
 * Ink and what it uses measure every text of every frame, in six copies of string-width; the Unicode tables in them
 * take 14 ms to load. Here there is one copy, loaded with the first text that is out of the ordinary.
 */
const plainWidthFirst: Plugin = {
  name: 'plain-width-first',
  setup({ onResolve, onLoad, resolve }) {
    const namespace = 'plain-width-first';
    onResolve({ filter: /^string-width$/ }, ({ namespace: from }) =>
      from === namespace ? undefined : { path: 'string-width', namespace },
    );
    onLoad({ filter: /./, namespace }, async () => {
      const { path } = await resolve('string-width', {
        kind: 'import-statement',
        namespace,
        resolveDir: ROOT,
      });
      return {
        resolveDir: ROOT,
        contents: `
          import { plainWidth } from './src/tui/components/plain-width.ts';
          const STYLE = /\\x1b\\[[\\d;]*m/g;
          export default function stringWidth(text, options) {
            if (typeof text === 'string') {
              const isStyled = text.includes('\\x1b') && !options?.countAnsiEscapeCodes;
              const width = plainWidth(isStyled ? text.replace(STYLE, '') : text);
              if (width !== null) return width;
            }
            return require(${JSON.stringify(path)}).default(text, options);
          }`,
      };
    });
  },
};

/**
 * Ink takes a frame's texts apart into styled characters, measures, cleans and joins them, and forgets it all with the
 * frame; most of the next frame is the same. Here the last frame is remembered, and no other: its rows
 * (`src/tui/kept-rows.ts`), what its texts were made of, and what each node said, until it says something else.
 */
const framesRemember: Plugin = {
  name: 'frames-remember',
  setup({ onLoad }) {
    const ink = (file: string) => new RegExp(`[\\\\/]ink[\\\\/]build[\\\\/]${file}\\.js$`);
    onLoad({ filter: ink('output') }, async ({ path }) => ({
      resolveDir: dirname(path),
      contents: `import { KeptRows } from ${JSON.stringify(join(ROOT, 'src/tui/kept-rows.ts'))};
        ${await patched(
          path,
          ['= new Map();', '= new TwoFrames();'],
          ['= new OutputCaches();', '= nextFrame();'],
          ['export default class Output', 'class Output'],
        )}
        class TwoFrames {
          #last = new Map();
          #next = new Map();
          get(text) {
            let known = this.#next.get(text);
            if (known !== undefined) return known;
            known = this.#last.get(text);
            if (known !== undefined) this.#next.set(text, known);
            return known;
          }
          set(text, known) {
            this.#next.set(text, known);
          }
          turn() {
            this.#last = this.#next;
            this.#next = new Map();
          }
        }
        const caches = new OutputCaches();
        function nextFrame() {
          for (const each of Object.values(caches)) each.turn();
          return caches;
        }
        const kept = new KeptRows();
        const blank = { type: 'char', value: ' ', fullWidth: false, styles: [] };
        export default class RowsOutput extends Output {
          get() {
            const draw = (writes, places) => {
              const cells = [];
              for (const place of places) cells[place] = Array(this.width).fill(blank);
              for (const { write, clip } of writes) this.applyWriteOperation(cells, write, clip);
              return places.map((place) => styledCharsToString(cells[place].filter((cell) => cell !== undefined)).trimEnd());
            };
            const rows = kept.next(this.width, this.height, this.operations, { intersect: intersectClips, draw });
            return { output: rows.join('\\n'), height: rows.length };
          }
        }`,
    }));
    // A look is one function, whoever has it: what is drawn again in the same look is not drawn again at all.
    onLoad({ filter: ink('components[\\\\/]Text') }, async ({ path }) => ({
      resolveDir: dirname(path),
      contents: `${await patched(
        path,
        [
          'const transform = (text) => {',
          'const look = [dimColor, color, effectiveBackgroundColor, bold, italic, underline, strikethrough, inverse].join();\n' +
            'const transform = looks.get(look) ?? kept(look, (text) => {',
        ],
        ['return text;\n    };', 'return text;\n    });'],
        ['React.createElement(BackgroundContext, {', 'within(inheritedBackgroundColor, {'],
        [
          `{
                flexGrow: 0,
                flexShrink: 1,
                flexDirection: 'row',
                textWrap: wrap,
            }`,
          '(styles[wrap] ??= { flexGrow: 0, flexShrink: 1, flexDirection: "row", textWrap: wrap })',
        ],
      )}
        const styles = {};
        ${WITHIN}
        const looks = new Map();
        function kept(look, transform) {
          looks.set(look, transform);
          return transform;
        }`,
    }));
    onLoad({ filter: ink('components[\\\\/]Box') }, async ({ path }) => ({
      resolveDir: dirname(path),
      contents: `${await patched(path, ['React.createElement(BackgroundContext, {', 'within(inheritedBackgroundColor, {'])}
        ${WITHIN}`,
    }));
    onLoad({ filter: ink('squash-text-nodes') }, async ({ path }) => ({
      contents: `${await patched(path, ['export default squashTextNodes;', 'export default keptText;'])}
        function keptText(node) {
          return (node.keptText ??= squashTextNodes(node));
        }`,
    }));
    onLoad({ filter: ink('dom') }, async ({ path }) => ({
      contents: await patched(path, [
        'const yogaNode = findClosestYogaNode(node);',
        'for (let said = node; said && said.nodeName.endsWith("text"); said = said.parentNode) said.keptText = undefined;\n' +
          'const yogaNode = findClosestYogaNode(node);',
      ]),
    }));
    onLoad({ filter: ink('sanitize-ansi') }, async ({ path }) => ({
      contents: `${await patched(path, ['export default sanitizeAnsi;', 'export default rememberedAnsi;'])}
        const remembered = new Map();
        function rememberedAnsi(text) {
          let clean = remembered.get(text);
          if (clean === undefined) {
            if (remembered.size > ${REMEMBERED_TEXTS}) remembered.clear();
            remembered.set(text, (clean = sanitizeAnsi(text)));
          }
          return clean;
        }`,
    }));
  },
};

/** Ink looks through the whole tree for a `<Static>` after each commit; the monitor, which is no log, has none. */
const nothingStatic: Plugin = {
  name: 'nothing-static',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, async ({ path }) => ({
      contents: await patched(path, ['= findStaticNode(rootNode);', '= undefined;']),
    }));
  },
};

/** Ink writes a line again from the first cell on that differs; here only the cells that differ are written. */
const onlyChangedCells: Plugin = {
  name: 'only-changed-cells',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]ink[\\/]build[\\/]line-update\.js$/ }, async ({ path }) => ({
      resolveDir: dirname(path),
      contents: `import { changedCells } from ${JSON.stringify(join(ROOT, 'src/tui/changed-cells.ts'))};
        ${await patched(path, ['export default function lineUpdate', 'function lineUpdate'])}
        export default function update(previous, next, columns) {
          return changedCells(previous, next, columns) ?? lineUpdate(previous, next, columns);
        }`,
    }));
  },
};

/** A dependency's source with some of its words changed, wherever they stand. */
async function patched(path: string, ...changes: readonly (readonly [string, string])[]): Promise<string> {
  let source = await readFile(path, 'utf8');
  for (const [before, after] of changes) {
    if (!source.includes(before))
      throw new Error(`${basename(path)} no longer says "${before}": read it again`);
    source = source.replaceAll(before, after);
  }
  return source;
}

/** What dependencies bring along and gastop must not pay for. */
export const leanDependencies: readonly Plugin[] = [
  builtinsWithoutNamespace,
  reactOnce,
  englishZod,
  yogaWithoutFetch,
  tableRowsStay,
  plainWidthFirst,
  framesRemember,
  nothingStatic,
  onlyChangedCells,
];
