import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withKeys } from '../../scripts/readme-keys.ts';
import { PLACEHOLDERS } from '../../src/cli/snapshot-format.ts';
import { AutoTxDetails } from '../../src/contract/auto-txs.ts';
import { StatsMarket, Summary } from '../../src/contract/dashboard.ts';
import { GasCurrent, GasRecommendation } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { runMain } from './captured-io.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

describe('README', () => {
  it('has the keys that the monitor has (node scripts/readme-keys.ts writes them)', () => {
    expect(withKeys(readme)).toBe(readme);
  });

  it('names every command and every flag that the help names, and every placeholder', async () => {
    const { stdout: help } = await runMain(['--help']);
    const commands = [...help.matchAll(/^ {2}([a-z]+)(?: [<[][\w…]+[>\]])? {2,}/gm)].map(
      (match) => match[1] ?? '',
    );
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z]+)/gm)].map((match) => match[1] ?? '');
    expect(commands).toContain('now');
    expect(flags).toContain('--demo');
    const standard = ['--version', '--help'];
    const missing = [
      ...commands.filter(
        (name) => !readme.includes(`gastop ${name}`) && !readme.includes(`gastop [${name}]`),
      ),
      ...flags.filter((flag) => !readme.includes(flag) && !standard.includes(flag)),
      ...PLACEHOLDERS.filter((name) => !readme.includes(`{${name}}`)),
    ];
    expect(missing).toEqual([]);
  });

  it('shows the two commands that matter on its first screen', () => {
    const firstScreen = readme.split('\n').slice(0, 12).join('\n');
    expect(firstScreen).toContain('npm ci && npm run demo');
    expect(firstScreen).toContain('npm test');
  });
});

describe('ARCHITECTURE.md', () => {
  it('has a line for every folder of src, and names no file that does not exist', () => {
    const text = read('docs/ARCHITECTURE.md');
    const folders = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(folders.filter((name) => !text.includes(`\`src/${name}\``))).toEqual([]);
    const files = readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' });
    const named = [...text.matchAll(/`(?:src\/)?([\w/-]+\.tsx?)`/g)]
      .map((match) => match[1] ?? '')
      .filter((name) => !name.startsWith('test/'));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  });
});

describe('V1.md', () => {
  const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
    [PATHS.gasCurrent]: GasCurrent,
    [PATHS.gasRecommendation]: GasRecommendation,
    [PATHS.autoTx]: AutoTxDetails,
    [PATHS.statsMarket]: StatsMarket,
    [PATHS.summary]: Summary,
  };

  it('names fields that the contract has, where it has them', () => {
    const rows = [...read('docs/V1.md').matchAll(/^\| `(\/\S+)` \| `(\S+)` \|/gm)];
    expect(rows.length).toBeGreaterThan(8);
    for (const [, path = '', field = ''] of rows) {
      let schema: unknown = SCHEMAS[path];
      for (const name of field.split('.')) {
        while (schema instanceof z.ZodNullable) schema = schema.unwrap();
        schema = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
        expect(schema, `${path} ${field}`).toBeDefined();
      }
    }
  });

  it('is where serve and its help send who wants to know what a key shows', async () => {
    const { stdout } = await runMain(['serve', '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'reads the hosts and ports of your nodes in /dashboard/summary',
    );
    expect(readme).toContain('(docs/V1.md)');
  });
});
