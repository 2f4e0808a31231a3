import { expect, it } from 'vitest';
import { atLeast, atMost, type Row, verdict, withResult } from '../bench/row.ts';
import { read } from './project-files.ts';

const PAGE = read('docs/PERFORMANCE.md');
const ROW: Row = {
  measure: 'first frame',
  gastop: '90 ms',
  yardstick: 'bare Ink, 100 ms',
  ratio: 0.9,
  spread: '0.8–1.0',
  budget: [atMost(0.9, 1)],
};

it('what is over its budget is explained in docs/PERFORMANCE.md', () => {
  const [table = '', explained = ''] = PAGE.split('<!-- end of result -->');
  const over = table.split('\n').filter((line) => line.endsWith('| over |'));
  const names = over.map((line) => line.split('|')[1]?.trim() ?? '');
  expect(names.filter((name) => !explained.includes(name))).toEqual([]);
});

it('a new result takes the place of the last one, and what is written by hand stays', () => {
  const page = withResult(`${PAGE}\n## Why\n`, [ROW], ['Node 24', '- `start`']);
  expect(page).toContain('| first frame | 90 ms | bare Ink, 100 ms | 0.90 | 0.8–1.0 | ≤ 1× | within |');
  expect(page.split('<!-- result').length).toBe(2);
  expect(page.endsWith('\n## Why\n')).toBe(true);
});

it('a row keeps to all of its budget or is over it, and one that was not measured keeps to none', () => {
  expect(verdict(ROW)).toBe('within');
  expect(verdict({ ...ROW, budget: [...ROW.budget, atMost(1, 0, 'full clears')] })).toBe('over');
  expect(verdict({ ...ROW, budget: [atMost(Number.NaN, 1)] })).toBe('over');
  expect(verdict({ ...ROW, budget: [atLeast(0.9, 1)] })).toBe('over');
  expect(verdict({ ...ROW, budget: [] })).toBe('–');
});
