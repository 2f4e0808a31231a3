import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { runMain } from '../cli/captured-io.ts';

const PAGE = readFileSync('docs/SCALE.md', 'utf8');
const ComposeFile = z.object({
  services: z.record(z.string(), z.record(z.string(), z.unknown())),
  configs: z.object({ proxy: z.object({ content: z.string() }) }),
  volumes: z.record(z.string(), z.unknown()),
});
const Replica = z.object({
  command: z.string(),
  environment: z.record(z.string(), z.string()),
  depends_on: z.record(z.string(), z.unknown()),
});

test('the compose file has three replicas alike behind a proxy that knows each, on a database that stays', async () => {
  const text = /```yaml\n([\s\S]+?)```/.exec(PAGE)?.[1] ?? '';
  const { services, configs, volumes } = ComposeFile.parse(parse(text, { merge: true }));
  const { db, proxy, ...replicas } = services;
  const parsed = Object.values(replicas).map((each) => Replica.parse(each));
  expect(parsed).toHaveLength(3);
  expect(new Set(parsed.map((each) => JSON.stringify(each))).size).toBe(1);
  for (const name of Object.keys(replicas)) expect(configs.proxy.content).toContain(`${name}:8787`);
  const [replica] = parsed;
  expect(Object.keys(replica?.depends_on ?? {})).toEqual(['db']);
  expect(db?.volumes).toEqual([expect.stringMatching(new RegExp(`^${Object.keys(volumes)[0]}:`))]);
  expect(proxy).toMatchObject({ ports: ['8787:8787'], configs: [{ source: 'proxy' }] });
  // What it sets is what the program reads, and what it runs is a command.
  const [command = '', ...flags] = replica?.command.split(' ') ?? [];
  const help = await runMain([command, '--help']);
  for (const flag of flags.filter((word) => word.startsWith('-'))) expect(help.stdout).toContain(flag);
  const settings = readFileSync('docs/SETTINGS.md', 'utf8') + PAGE;
  for (const name of Object.keys(replica?.environment ?? {})) expect(settings).toContain(name);
  const given = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  const said = /\.env holds (.+)/.exec(text)?.[1] ?? '';
  for (const name of given) expect(said).toContain(name);
});
