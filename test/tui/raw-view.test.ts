import { expect, it } from 'vitest';
import { rawLines } from '../../src/tui/chrome/raw-view.tsx';

it('the raw view sets out JSON, breaks long lines and shows no control character that an escape hid', () => {
  expect(rawLines('{"a":"\\u001b[31mred"}', 80)).toEqual(['{', '  "a": "\\u001b[31mred"', '}']);
  expect(rawLines('{"a":"\\u009b31m"}', 80).join('')).not.toMatch(/[\u0080-\u009f]/);
  expect(rawLines('<html>abcdef', 6)).toEqual(['<html>', 'abcdef']);
});
