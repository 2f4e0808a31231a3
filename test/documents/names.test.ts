import { describe, expect, it } from 'vitest';
import { allCommands, commandTree, textAfter } from '../../scripts/docs/command-tree.ts';
import { EXIT_CODES } from '../../scripts/docs/commands.ts';
import { DOCUMENTED_SETTINGS, OTHER_VARIABLES } from '../../scripts/docs/settings.ts';
import { PLACEHOLDERS } from '../../src/cli/commands/now.ts';
import { TOOLS } from '../../src/mcp/server.ts';
import { runMain } from '../cli/captured-io.ts';
import { ALL_DOCUMENTS, DOCUMENTS, exists, filesBelow, read } from './project-files.ts';

const root = commandTree();
const commands = allCommands(root);
const flags = new Set(
  [root, ...commands]
    .flatMap((command) => command.createHelp().visibleOptions(command))
    .map(({ long }) => long),
);

/** Flags of other programs that examples call, and of the project's own scripts. */
const FOREIGN_FLAGS = new Set([
  '--user',
  '--yes',
  '--now',
  '--gas-price',
  '--priority-gas-price',
  '--network',
  '--broadcast',
  '--with-gas-price',
  '--write',
  '--list',
  '--heap-growing-percent',
  '--semi-space-growth-factor',
  '--memory-reducer-gc-count',
  '--optimize-for-size',
  '--memory-saver-mode',
  '--transport',
  '--header',
  '--compact-on-every-full-gc',
]);

describe('commands', () => {
  const top = root.commands.map((command) => command.name());

  it('stand in the README and in the CHANGELOG, each of them', () => {
    for (const path of ['README.md', 'CHANGELOG.md']) {
      const text = read(path);
      const named = (name: string) => text.includes(`gastop ${name}`) || text.includes(`gastop [${name}]`);
      expect(
        top.filter((name) => !named(name) && !(name === 'live' && text.includes('The monitor'))),
        path,
      ).toEqual([]);
    }
  });

  it('that have some of their own name them in the list of the README', () => {
    const listing = read('README.md').split('## Commands')[1] ?? '';
    for (const command of root.commands.filter((each) => each.commands.length > 0)) {
      const line = `gastop ${command.name()} ${command.commands.map((each) => (each.name() === 'list' ? '[list]' : each.name())).join('|')}`;
      expect(listing).toContain(line);
    }
  });

  it('are called in documents and in help only by names that exist', () => {
    const shells = [...DOCUMENTS.map(read).flatMap(codeOf), ...[root, ...commands].map(textAfter)].map(
      (code) => code.replaceAll(/#.*|\/\*.*/g, ''),
    );
    const called = shells.flatMap((code) =>
      [...code.matchAll(/(?:^|[\s(])gastop ([a-z][a-z-]+)(?: ([a-z-]+)\b)?/gm)].map(
        ([, name = '', sub]) => [name, sub] as const,
      ),
    );
    expect(called.length).toBeGreaterThan(50);
    // Understood as the flags of these names.
    const known = [...top, 'help', 'version'];
    expect([...new Set(called.map(([name]) => name))].filter((name) => !known.includes(name))).toEqual([]);
    for (const [name, sub] of called) {
      const parent = root.commands.find((command) => command.name() === name);
      if (sub === undefined || parent === undefined || parent.commands.length === 0) continue;
      expect(
        parent.commands.map((command) => command.name()),
        `gastop ${name} ${sub}`,
      ).toContain(sub);
    }
  });
});

describe('flags', () => {
  it('that documents name exist', () => {
    const named = new Set(ALL_DOCUMENTS.match(/(?<![\w-])--[a-z][a-z-]+/g));
    expect([...named].filter((flag) => !flags.has(flag) && !FOREIGN_FLAGS.has(flag))).toEqual([]);
  });

  it('of all commands stand in the README or in the settings', () => {
    const text = read('README.md') + read('docs/SETTINGS.md');
    const missing = root.options.map(({ long }) => long ?? '').filter((flag) => !text.includes(flag));
    expect(missing).toEqual(['--version']);
  });

  it('are in the completion of each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await runMain(['completion', shell]);
      // fish names them without their dashes.
      const bare = (flag: string | undefined) => (flag ?? '').replace(/^--/, shell === 'fish' ? '' : '--');
      expect(
        [...flags].filter((flag) => !stdout.includes(bare(flag))),
        shell,
      ).toEqual([]);
    }
  });
});

describe('docs/MCP.md', () => {
  const text = read('docs/MCP.md');

  it('names each tool', () => {
    expect(TOOLS.filter(({ name }) => !text.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
  });

  it('has configurations that are JSON', () => {
    const blocks = [...text.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, json = '']) => json);
    expect(blocks.length).toBeGreaterThan(2);
    for (const json of blocks) expect(JSON.parse(json)).toMatchObject(expect.any(Object));
  });
});

describe('settings', () => {
  const sources = filesBelow('src')
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => read(`src/${path}`))
    .join('\n');
  const documented = [
    ...DOCUMENTED_SETTINGS.flatMap(({ variables }) => variables),
    ...Object.keys(OTHER_VARIABLES),
  ];

  it('have each variable that the program reads', () => {
    // Put in by the build, and the beginning of a name.
    const others = ['GASTOP_VERSION', 'GASTOP_API_KEY_', ...documented];
    const variables = sources.match(/(?<=env\.)(?:GASTOP|INK)_[A-Z_]+/g) ?? [];
    expect(variables.filter((name) => !others.includes(name))).toEqual([]);
  });

  it('that documents name by a variable exist', () => {
    const exists = (name: string) => sources.includes(name) || documented.some((one) => one.startsWith(name));
    const named = new Set(ALL_DOCUMENTS.match(/\bGASTOP_[A-Z_]+\b/g));
    expect([...named].filter((name) => !exists(name))).toEqual([]);
  });
});

it('exit codes stand in the help of gastop or of the command that has them', () => {
  const help = [root, ...commands]
    .map((command) => {
      let text = '';
      command.configureOutput({
        writeOut: (part) => {
          text += part;
        },
      });
      command.outputHelp();
      return text.split('Exit codes')[1] ?? '';
    })
    .join('\n');
  expect(EXIT_CODES.length).toBe(9);
  for (const [code] of EXIT_CODES) expect(help).toMatch(new RegExp(`(^|\\s)${code} \\w`));
});

it('placeholders of --format are in the documents, each of them', () => {
  const text = read('docs/COMMANDS.md');
  expect(PLACEHOLDERS.filter((name) => !text.includes(`{${name}}`))).toEqual([]);
});

describe('ARCHITECTURE.md', () => {
  it('has a line for every folder of src', () => {
    const text = read('docs/ARCHITECTURE.md');
    const folders = filesBelow('src').filter((path) => !path.includes('/') && !path.includes('.'));
    expect(folders.length).toBeGreaterThan(6);
    expect(folders.filter((name) => !text.includes(`\`src/${name}\``))).toEqual([]);
  });
});

describe('documents for who works on it', () => {
  it.each(['docs/ARCHITECTURE.md', 'docs/CONCEPTS.md', 'CONTRIBUTING.md'])(
    'name no file and no folder that is not there: %s',
    (path) => {
      const text = read(path);
      const files = ['src', 'test', 'scripts', 'docs'].flatMap((folder) =>
        filesBelow(folder).map((path) => `${folder}/${path}`),
      );
      const named = [
        ...text.matchAll(/`([\w./-]+(?:\.tsx?|\.md|\.json|\/))`|`([a-z-]+(?:\/[a-z-]+)+)`/g),
      ].map((match) => (match[1] ?? match[2] ?? '').replace(/\/$/, ''));
      expect(named.length).toBeGreaterThan(20);
      const there = (name: string) =>
        exists(name) ||
        files.some(
          (file) =>
            `/${file}`.endsWith(`/${name}`) ||
            `/${file}`.endsWith(`/${name}.ts`) ||
            `/${file}`.endsWith(`/${name}.tsx`),
        );
      expect(named.filter((name) => !there(name))).toEqual([]);
    },
  );
});

describe('versions', () => {
  it('are the same in package.json, its lock file and the CHANGELOG', () => {
    const { version } = JSON.parse(read('package.json'));
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
    expect(/^## (\S+) – /m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  });

  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = new Set([...ALL_DOCUMENTS.matchAll(/npm run ([a-z]+)/g)].map((match) => match[1] ?? ''));
    expect([...named].filter((name) => !(name in scripts))).toEqual([]);
  });
});

function codeOf(markdown: string): readonly string[] {
  const fenced = [...markdown.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].map((match) => match[1] ?? '');
  const rest = markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  return [...fenced, ...[...rest.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')];
}
