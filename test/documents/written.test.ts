import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withPart } from '../../scripts/docs/markdown.ts';
import { releaseDate, WRITTEN } from '../../scripts/docs.ts';
import { SIGNED_BODY_BYTES } from '../../src/contract/choices.ts';
import { BODY_BYTES } from '../../src/service/http/body.ts';
import { exists, read } from './project-files.ts';

it.each(Object.keys(WRITTEN))('%s is as the program says it now: run npm run docs', (path) => {
  const before = exists(path) ? read(path) : '';
  expect(WRITTEN[path]?.(before, read('CHANGELOG.md'))).toBe(before);
});

it('is written by Node alone, which reads no JSX', async () => {
  const read =
    "const { WRITTEN } = await import('./scripts/docs.ts'); console.log(Object.keys(WRITTEN).length);";
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', read]);
  expect(Number(stdout)).toBe(Object.keys(WRITTEN).length);
});

it('names in MCP.md the largest bodies that MCP reads', () => {
  const text = read('docs/MCP.md');
  expect(text).toContain(`a body above ${Math.floor(SIGNED_BODY_BYTES / 1e6)} MB`);
  expect(text).toContain(
    `A message has at most ${Math.floor(SIGNED_BODY_BYTES / 1e6)} MB, on stdin as over HTTP`,
  );
  expect(text).toContain(`(${Math.floor(BODY_BYTES / 1e3)} kB without a key)`);
});

it('leaves a document alone that has lost its marks', () => {
  expect(() => withPart('no marks', 'keys', 'x')).toThrow('marks');
});

it('has the day of the release from the CHANGELOG', () => {
  expect(releaseDate('# Changelog\n\n## 1.2.3 – 2026-03-04\n', '1.2.3')).toBe('2026-03-04');
  expect(() => releaseDate('# Changelog\n', '1.2.3')).toThrow('## 1.2.3');
});
