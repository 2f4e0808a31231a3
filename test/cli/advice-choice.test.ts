import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { changed } from '../../scripts/advice/engine-variant.ts';
import { FILE_OF } from '../../scripts/advice-choice.ts';

describe('the choice of constants (npm run choice)', () => {
  it.each(Object.entries(FILE_OF))('finds %s where it says', async (constant, path) => {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    const other = changed(text, { [constant]: 0.123 }, path);
    expect(other).toContain(`const ${constant} = 0.123;`);
    expect(other.split('\n')).toHaveLength(text.split('\n').length);
  });

  it('stops where a constant is gone, instead of varying nothing', () => {
    expect(() => changed('const OTHER = 1;\n', { LOST: 2 }, 'a.ts')).toThrow('a.ts has no constant LOST');
  });
});
