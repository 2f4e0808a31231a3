import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withResult } from '../bench/performance-page.ts';
import { budgetText, type Row, verdict } from '../bench/row.ts';

const PAGE = readFileSync(new URL('../../docs/PERFORMANCE.md', import.meta.url), 'utf8');
const WITHIN: Row = {
  measure: 'first frame',
  gastop: '90 ms',
  yardstick: 'bare Ink, 100 ms',
  ratio: 0.9,
  spread: '0.8–1.0',
  budget: [{ atMost: 1 }],
};

it('what is over its budget is explained in docs/PERFORMANCE.md', () => {
  const [table = '', explained = ''] = PAGE.split('<!-- end of result -->');
  const over = table.split('\n').filter((line) => line.endsWith('| over |'));
  const names = over.map((line) => line.split('|')[1]?.trim() ?? '');
  expect(names.filter((name) => !explained.includes(name))).toEqual([]);
});

it('a new result takes the place of the last one, and what is written by hand stays', () => {
  const result = { rows: [WITHIN], machine: 'Node 24', day: '2026-11-22' };
  const page = withResult(`${PAGE}\n## Why\n`, result);
  expect(page).toContain('| first frame | 90 ms | bare Ink, 100 ms | 0.90 | 0.8–1.0 | ≤ 1× | within |');
  expect(page.split('<!-- result').length).toBe(2);
  expect(page.endsWith('\n## Why\n')).toBe(true);
  expect(withResult(page, result)).toBe(page);
});

it('a row keeps to all of its budget or is over it, and one that was not measured keeps to none', () => {
  const bytes = [
    { atMost: 1_500, figure: { value: 900, unit: 'B' } },
    { atMost: 0, figure: { value: 1, unit: 'full clears' } },
  ];
  expect(verdict(WITHIN)).toBe('within');
  expect(verdict({ ...WITHIN, ratio: 1.01 })).toBe('over');
  expect(verdict({ ...WITHIN, ratio: Number.NaN })).toBe('over');
  expect(verdict({ ...WITHIN, budget: [{ atLeast: 1 }] })).toBe('over');
  expect(verdict({ ...WITHIN, budget: bytes })).toBe('over');
  expect(verdict({ ...WITHIN, budget: [] })).toBe('–');
  expect(budgetText({ ...WITHIN, budget: bytes })).toBe('≤ 1500 B, ≤ 0 full clears');
});
