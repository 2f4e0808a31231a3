import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { knownChain } from '../../src/cli/known-chains.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { read } from './project-files.ts';

const README = read('README.md');
const [FIRST = '', TRY = ''] = README.split(/^## /m);
const manifest = JSON.parse(read('package.json'));
const folder = sharedFolder('first-page');

/** The lines of the shell blocks, without their comments. */
const linesOf = (section: string): readonly string[] =>
  [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +#.*$/, '')),
  );
const EXAMPLES = linesOf(TRY).filter((line) => line.startsWith('gastop'));

/** A line of the README in a shell whose `gastop` is the built program, on the simulated chain. */
const inShell = (line: string) =>
  promisify(execFile)(
    'sh',
    ['-c', `gastop() { "$0" "${GASTOP}" --demo --history 1h "$@"; }; ${line}`, process.execPath],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
    },
  );

describe('the first page of the README', () => {
  it('has one picture that moves, one command and three reasons, in this order', () => {
    const at = ['docs/pictures/demo-light.svg', '```sh', '- **'].map((part) => FIRST.indexOf(part));
    expect(Math.min(...at)).toBeGreaterThan(0);
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(linesOf(FIRST)).toHaveLength(1);
    expect(FIRST.match(/^- \*\*/gm)).toHaveLength(3);
    expect(FIRST.split('\n').length).toBeLessThan(40);
  });

  it('calls scripts that the package has, and its tarball by its name', () => {
    const lines = [...linesOf(FIRST), ...linesOf(TRY)].join('\n');
    const scripts = [...lines.matchAll(/npm (?:run )?(demo|test)\b/g)].map(([, name]) => name);
    expect(scripts).toEqual(['demo', 'test']);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
    expect(lines).toContain(`npx --yes ./${manifest.name}-${manifest.version}.tgz --demo`);
  });

  it('has npx ask nothing', () => {
    expect(README.match(/\bnpx (?!--yes|\.`)[^\n]*/g)).toBeNull();
  });

  it('has examples of which those that need no network work word for word', async () => {
    expect(EXAMPLES).toHaveLength(6);
    const script = join(folder, 'deploy.sh');
    writeFileSync(script, '#!/bin/sh\necho deployed\n');
    chmodSync(script, 0o755);
    const run = async (command: string) =>
      (await inShell(EXAMPLES.find((line) => line.startsWith(`gastop ${command} `)) ?? 'false')).stdout;
    expect(await run('now')).toMatch(/^[\d.]+ gwei, \w+\n$/);
    expect(await run('wait')).toMatch(/^deployed$/m);
    const [, chains = ''] = /--chains (\S+)/.exec(EXAMPLES.join('\n')) ?? [];
    expect(chains.split(',').filter((name) => knownChain(name) === undefined)).toEqual([]);
  });

  it('leaves the table of the lanes to ADVICE.md', () => {
    expect(README).not.toMatch(/^\| 20\d\d-\d\d \| (Fast|Average|Slow) /m);
    expect(read('docs/ADVICE.md')).toMatch(/^\| 20\d\d-\d\d \| Fast /m);
  });
});

it('npm ci runs the install scripts that there are without a word', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScripts = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(withScripts.length).toBeGreaterThan(2);
  expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
});
