import { expect, it } from 'vitest';
import { alertState } from '../../../src/client/views/alert-texts.ts';
import { ALERT } from '../fake-alerts.ts';
import { SNAPSHOT } from '../fake-gas.ts';

const AT = ALERT.cooldownUntil ?? 0;

function stateAt(price: number, { over = true, alert = ALERT } = {}) {
  const { average } = SNAPSHOT.lanes;
  const lanes = { ...SNAPSHOT.lanes, average: { ...average, price: BigInt(price) * 1_000n } };
  return alertState(alert, { ...SNAPSHOT, lanes }, AT + (over ? 60_000 : -60_000)).kind;
}

it('an alert cools down, wherever the price is', () => {
  expect(stateAt(39_000, { over: false })).toBe('cooling');
  expect(stateAt(90_000, { over: false })).toBe('cooling');
});

it('after its cooldown it waits until the price has left the threshold, by its hysteresis', () => {
  const alert = { ...ALERT, hysteresis: 5_000_000n };
  expect(stateAt(44_999, { alert })).toBe('leaving');
  expect(stateAt(45_000, { alert })).toBe('armed');
});

it('without a hysteresis it waits for that only where it has no cooldown', () => {
  expect(stateAt(39_000)).toBe('armed');
  const alert = { ...ALERT, cooldownMs: 0 };
  expect(stateAt(39_000, { alert })).toBe('leaving');
  expect(stateAt(40_000, { alert })).toBe('armed');
  expect(stateAt(39_000, { alert: { ...alert, hysteresis: null } })).toBe('armed');
});

it('one that does not cool down is armed, there or not, and confirms where that takes several blocks', () => {
  const alert = { ...ALERT, cooldownUntil: null, confirmBlocks: 3 };
  expect(stateAt(41_000, { alert })).toBe('armed');
  expect(stateAt(39_000, { alert })).toBe('confirming');
  expect(stateAt(39_000, { alert: { ...alert, confirmBlocks: 1 } })).toBe('armed');
});
