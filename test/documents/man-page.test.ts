import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { roff, verbatim } from '../../scripts/docs/roff.ts';
import { read } from './project-files.ts';

const PATH = fileURLToPath(new URL('../../man/gastop.1', import.meta.url));
const page = read('man/gastop.1');

const has = (command: string) => spawnSync(command, ['--version']).error === undefined;

describe('man/gastop.1', () => {
  it('is ASCII, and no line of text is taken for a request', () => {
    expect(page).toMatch(/^[\x20-\x7e\n]*$/);
    const requests = new Set([...page.matchAll(/^\.(\S+)/gm)].map((match) => match[1]));
    expect([...requests].sort()).toEqual(['PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', '\\"', 'fi', 'nf']);
    expect(page).not.toMatch(/^'/m);
  });

  it.runIf(has('groff'))('is set by groff without a warning', () => {
    const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', PATH], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});

it('text for roff is printed as it is', () => {
  expect(roff('a-b \\n ~ ^ `x`')).toBe('a\\-b \\en \\(ti \\(ha \\(gax\\(ga');
  expect(roff("it's …")).toBe('it\\(aqs \\[u2026]');
  expect(roff('.hidden\n.more')).toBe('\\&.hidden\n\\&.more');
  expect(verbatim('a\n.b')).toContain('a\n\\&.b');
});
