/** The package as npm hands it out: packed, taken by npx into an empty folder, run on every Node that it is for. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { RECORDING } from '../cli/served.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { fetchNodes, NODES, registrySettings, whyNoRegistry } from '../helpers/node-runtimes.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type EmptyPlace, openEmptyPlace, type Package, packInto } from './packed-program.ts';

const noRegistry = isSlowRun ? await whyNoRegistry() : 'in npm run test:slow only';
const nodes = noRegistry === null ? await fetchNodes() : null;
const title = (text: string) => (noRegistry === null ? text : `${text} (not tried: ${noRegistry})`);
const here = sharedFolder('package');
const packed: Package = await packInto(here);

const read = (path: string) => readFileSync(join(dirname(GASTOP), '..', path), 'utf8');
const turnedAway = (version: string) =>
  `gastop needs Node.js 22.13 or newer (this is ${version}). Run: npx --yes -p node@24 -p gastop gastop\n`;
/** A cold start of npx, Node and the program is much for a busy machine. */
const SLOWLY = { timeoutMs: 120_000 };
const PRICES = /Average .*\d/;

describe('the package', () => {
  const chunks = packed.files.map(({ path }) => path).filter((path) => path.startsWith('dist/chunks/'));

  it('is at most 1.2 MB to download', () => {
    expect(packed.size).toBeLessThanOrEqual(1_200_000);
  });

  it('is the program, its licences, its man page and its documents with their pictures, nothing else', () => {
    const others = packed.files
      .map(({ path }) => path)
      .filter(
        (path) =>
          !chunks.includes(path) && !/^docs\/([A-Z\d-]+\.md|pictures\/[a-z-]+-(dark|light)\.svg)$/.test(path),
      );
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist/THIRD-PARTY-LICENCES.txt',
      'dist/bin.js',
      'dist/client.d.ts',
      'dist/client.js',
      'dist/main.js',
      'dist/viem.d.ts',
      'dist/viem.js',
      'docs/advice-calibration.svg',
      'docs/monitoring/gastop-dashboard.json',
      'docs/monitoring/gastop-rules.yml',
      'man/gastop.1',
      'package.json',
    ]);
    const program = [...chunks, 'dist/main.js'].map(read).join('\n');
    const unused = chunks.filter((path) => !program.includes(path.replace('dist/chunks/', '')));
    expect(unused).toEqual([]);
    expect(chunks.filter((path) => !/^dist\/chunks\/[\w-]+\.js$/.test(path))).toEqual([]);
  });

  it('needs no other package', () => {
    const kinds = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
    // Not even viem as an optional peer: npm asks the registry for those too, so that npx of the tarball waits for over a
    // minute without a network.
    expect(kinds).toEqual(['devDependencies']);
  });

  it('holds packages of licences alone that let it be handed on', () => {
    const licences = read('dist/THIRD-PARTY-LICENCES.txt');
    const headings = [...licences.matchAll(/^-{80}\n\S+ \S+ \((.+)\)\n-{80}$/gm)].map(([, kind]) => kind);
    expect(headings.length).toBeGreaterThan(30);
    for (const kind of headings) expect(kind).toMatch(/^(MIT|ISC|0BSD|BSD-|Apache-2\.0)/);
  });

  it('has a program that may be run as it lies there', () => {
    expect((packed.files.find(({ path }) => path === 'dist/bin.js')?.mode ?? 0) & 0o111).toBe(0o111);
  });
});

const OWN_NODE = [process.versions.node, dirname(process.execPath)] as const;
const nodesToTry =
  nodes === null
    ? [OWN_NODE]
    : [[NODES.oldest, nodes.oldest] as const, OWN_NODE, [NODES.newest, nodes.newest] as const];

describe.each(nodesToTry)('npx of the package: Node %s, empty cache, no network', (version, nodeFolder) => {
  let place: EmptyPlace;
  beforeAll(async () => {
    place = await openEmptyPlace(packed.tarball, nodeFolder);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it('says which version it is', async () => {
    const { code, stdout, stderr } = await place.run(['--version']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `gastop ${manifest.version}\n`,
      stderr: '',
    });
  });

  slowIt('--demo shows prices on a terminal, and leaves it as it was', async () => {
    await using terminal = await place.terminal(['--demo']);
    const screen = await terminal.waitFor(PRICES, SLOWLY);
    expect(screen[0]).toMatch(/gastop.*SIMULATED/);
    await terminal.press('q');
    expect(await terminal.waitForExit(SLOWLY)).toEqual({ exitCode: 0, signal: 0 });
    expect(terminal.leftovers()).toEqual([]);
    expect(terminal.output()).not.toContain('ExperimentalWarning');
  });

  it('puts nothing but gastop there, and builds nothing', () => {
    const npx = join(place.npmCache, '_npx');
    const [run = ''] = readdirSync(npx);
    const modules = join(npx, run, 'node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['gastop']);
    expect(readdirSync(join(modules, 'gastop')).sort()).toEqual(
      [...new Set(packed.files.map(({ path }) => path.split('/')[0]))].sort(),
    );
  });

  slowIt('now --json writes the prices, and no warning', async () => {
    const { code, stdout, stderr } = await place.run(['now', '--demo', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ chainId: 15_591_559, averagePrice: expect.any(Number) });
  });

  slowIt('backtest judges a recording', async () => {
    const head = readFileSync(RECORDING, 'utf8').split('\n').slice(0, 301);
    writeFileSync(join(place.folder, 'some blocks.csv'), `${head.join('\n')}\n`);
    const { code, stdout, stderr } = await place.run(['backtest', 'some blocks.csv', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ stretch: { blocks: 300 } });
  });

  slowIt('serve answers who has a key, and ends when it is asked to', async () => {
    const made = await place.run(['keys', 'create']);
    expect(made.code).toBe(0);
    const service = place.start(['serve', '--demo', '--port', '0']);
    const url = await waitFor(() => /http:\S+\/v1$/m.exec(service.stdout())?.[0], SLOWLY);
    expect((await fetch(`${url}/gas/current`)).status).toBe(401);
    const headers = { 'x-api-key': made.stdout.trim() };
    const prices = await waitFor(async () => {
      const answer = await fetch(`${url}/gas/current`, { headers });
      return answer.status === 503 ? null : { status: answer.status, body: await answer.json() };
    }, SLOWLY);
    expect(prices).toMatchObject({ status: 200, body: { chainId: 15_591_559 } });
    // To all of them, as systemd does: npx itself hands it on to its shell only.
    process.kill(-service.pid, 'SIGTERM');
    await service.ended;
    await waitFor(() => isGone(-service.pid), SLOWLY);
  });

  it(`is Node ${version}`, async () => {
    const { stdout } = await promisify(execFile)(join(nodeFolder, 'node'), ['--version']);
    expect(stdout.trim()).toBe(`v${version}`);
  });
});

describe.skipIf(noRegistry !== null)(title('a Node that is too old'), () => {
  let place: EmptyPlace;
  beforeAll(async () => {
    place = await openEmptyPlace(packed.tarball, nodes?.tooOld ?? '', registrySettings());
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it('is told in one line, also where hardly anything runs', async () => {
    const node = join(nodes?.ancient ?? '', 'node');
    const failure = await promisify(execFile)(node, [GASTOP, 'now']).catch((error) => error);
    expect(failure).toMatchObject({ code: 1, stdout: '', stderr: turnedAway(NODES.ancient) });
  });

  it('is told in the same line through npx', async () => {
    expect(await place.run(['now', '--demo'])).toEqual({
      code: 1,
      stdout: '',
      stderr: turnedAway(NODES.tooOld),
    });
  });

  it('is offered a newer one on a terminal, and n ends it', async () => {
    await using terminal = await place.terminal(['now', '--demo']);
    await terminal.waitFor('Run it now with Node.js 24 through npx? [Y/n]', SLOWLY);
    await terminal.press('n', 'enter');
    expect((await terminal.waitForExit(SLOWLY)).exitCode).toBe(1);
    expect(terminal.output()).toContain(turnedAway(NODES.tooOld).trim());
  });

  it('is followed by Node 24 at Enter, from the very files that npx has put there', async () => {
    await using terminal = await place.terminal(['--demo']);
    await terminal.waitFor('[Y/n]', SLOWLY);
    await terminal.press('enter');
    await terminal.waitFor(PRICES, { timeoutMs: 120_000 });
    await terminal.press('q');
    expect((await terminal.waitForExit(SLOWLY)).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('is followed by Node 24 at y, with each argument as it was written and the exit code of the run', async () => {
    const format = `{no "$HOME" 'a' & %PATH% \\ ü}`;
    await using terminal = await place.terminal(['now', '--demo', '--format', format]);
    await terminal.waitFor('[Y/n]', SLOWLY);
    await terminal.press('y', 'enter');
    expect((await terminal.waitForExit(SLOWLY)).exitCode).toBe(2);
    expect(terminal.screen().join('\n')).toContain(`gastop: --format: ${format} is unknown`);
  });
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
