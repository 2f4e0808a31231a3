import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshPlans } from '../../src/cli/commands/run-service.ts';
import { createPlans } from '../../src/service/keys/api-keys.ts';

/** A config file, the plans read from it, and a clock that goes on by hand. */
function given() {
  const folder = mkdtempSync(join(tmpdir(), 'gastop-plans-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'config.json');
  const errors: unknown[] = [];
  let now = 1_000_000;
  const write = (text: string) => {
    writeFileSync(path, text);
    utimesSync(path, now / 1_000, now / 1_000);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  write('{}');
  const plans = freshPlans({
    path,
    plans: createPlans(),
    now: () => now,
    onError: (error) => errors.push(error),
  });
  return { write, pass, plans, errors, remove: () => rmSync(path) };
}

const OPEN = JSON.stringify({ plans: { open: { dailyLimit: null, perSecond: null } } });

test('a plan that is written into the config file is known a second later', () => {
  const { write, pass, plans } = given();
  expect(plans().has('open')).toBe(false);
  pass(500);
  write(OPEN);
  expect(plans().has('open')).toBe(false);
  pass(500);
  expect(plans().has('open')).toBe(true);
  expect(plans().has('free')).toBe(true);
});

test('of a broken file the plans before it stay, and it is told once', () => {
  const { write, pass, plans, errors, remove } = given();
  pass(1_000);
  write(OPEN);
  expect(plans().has('open')).toBe(true);
  pass(1_000);
  write('{ "plans": ');
  for (let count = 0; count < 3; count += 1) {
    expect(plans().has('open')).toBe(true);
    pass(1_000);
  }
  expect(errors).toHaveLength(1);
  remove();
  expect(plans().has('open')).toBe(true);
  pass(1_000);
  write('{}');
  pass(1_000);
  expect(plans().has('open')).toBe(false);
});
