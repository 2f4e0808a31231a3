import { describe, expect, it } from 'vitest';
import { exists, read } from './project-files.ts';

const rows = read('SECURITY.md')
  .split('\n')
  .filter((line) => /^\| (?!promise|-)/.test(line) && !line.startsWith('|---'));

describe('each promise of SECURITY.md', () => {
  it.each(rows)('names a test that is there: %s', (row) => {
    const [, , tests = ''] = row.split('|');
    const named = tests.split('; `').map((each) => /`?(test\/[^`]+)`: (.+?)\s*$/.exec(each));
    expect(named.length).toBeGreaterThan(0);
    for (const match of named) {
      const [, file = '', title = ''] = match ?? [];
      expect(exists(file), row).toBe(true);
      expect(read(file), row).toContain(title);
    }
  });
});
