import { describe, expect, it } from 'vitest';
import { filesBelow, read } from './project-files.ts';

const sources = filesBelow('src')
  // Migrations are never changed.
  .filter((path) => /\.tsx?$/.test(path) && path !== 'store/migrations.ts')
  .map((path) => ({ path: `src/${path}`, text: read(`src/${path}`) }));

const glossary = read('docs/GLOSSARY.md');
const rows = glossary.split('\n').filter((line) => /^\| (?!word)/.test(line));
const ofTables = rows.map((row) => row.split('|')[3] ?? '').join(' ');
const ofSentences = glossary.split('## Sentences')[1] ?? '';
const never = [ofTables, /never(.*)\./.exec(ofSentences)?.[1] ?? '']
  .flatMap((text) => [...text.matchAll(/`([^`]+)`/g)])
  .map(([, word = '']) => word);

/** As a word of a sentence, or as a part of a name. */
const places = (word: string, text: string): readonly string[] => {
  const capital = (word[0] ?? '').toUpperCase() + word.slice(1);
  const found = new RegExp(`(?<![A-Za-z])(?:${word}|${capital})(?![a-z])|(?<=[a-z])${capital}(?![a-z])`);
  return text.split('\n').filter((line) => found.test(line));
};

describe('a word that the glossary rules out', () => {
  it.each(never)('stands nowhere in src: %s', (word) => {
    const found = sources.flatMap(({ path, text }) =>
      places(word, text).map((line) => `${path}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it('is seen in a sentence and in a name', () => {
    expect(places('toll', 'the toll of a block\nconst readToll = 1;\nconst tollOf = 2;').length).toBe(3);
    expect(places('toll', 'a tollbooth\natoll\nconst extolled = 1;')).toEqual([]);
  });

  it('is named for most of the tables', () => {
    expect(never.length).toBeGreaterThan(10);
    expect(rows.length).toBeGreaterThan(30);
  });
});
