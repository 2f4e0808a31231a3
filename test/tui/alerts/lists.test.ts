import { expect, it } from 'vitest';
import { pollMs } from '../../../src/tui/data/lists.tsx';

const session = { intervalMs: 1_000, isOwnService: false, isShown: false };
const idle = { isAwaited: false, tookMs: 2 };
const awaited = { isAwaited: true, tookMs: 2 };

it('polls the service in this process as often as for its prices', () => {
  expect(pollMs({ ...session, isOwnService: true }, idle)).toBe(1_000);
});

it('polls a service elsewhere about every block only for what this terminal announces or shows', () => {
  expect(pollMs(session, idle)).toBe(300_000);
  expect(pollMs({ ...session, isShown: true }, idle)).toBe(15_000);
  expect(pollMs(session, awaited)).toBe(15_000);
  expect(pollMs(session, { ...awaited, isUrgent: true })).toBe(10_000);
});

it('polls no more often than for prices, whatever slows those down', () => {
  expect(pollMs({ ...session, intervalMs: 96_000 }, awaited)).toBe(96_000);
  expect(pollMs({ ...session, intervalMs: 768_000 }, idle)).toBe(768_000);
});

it('polls a list that takes long to read less often, but about once a block', () => {
  expect(pollMs({ ...session, isOwnService: true }, { ...idle, tookMs: 400 })).toBe(8_000);
  expect(pollMs({ ...session, isOwnService: true }, { ...idle, tookMs: 2_000 })).toBe(12_000);
});
