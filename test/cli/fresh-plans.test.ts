import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshPlans } from '../../src/cli/commands/run-service.ts';
import { createPlans } from '../../src/service/keys/api-keys.ts';

const OPEN = JSON.stringify({ plans: { open: { dailyLimit: null, perSecond: null } } });

test('a plan that is written into the config file is known a second later; of a broken or missing file those before stay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gastop-plans-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'config.json');
  const errors: unknown[] = [];
  let now = 1_000_000;
  const plans = freshPlans(path, createPlans(), () => now, errors.push.bind(errors));
  const after = (ms: number) => {
    now += ms;
    return plans();
  };
  writeFileSync(path, OPEN);
  expect(after(500).has('open')).toBe(false);
  expect(after(500).has('open')).toBe(true);
  expect(plans().has('free')).toBe(true);
  writeFileSync(path, '{ "plans": ');
  for (let count = 0; count < 3; count += 1) expect(after(1_000).has('open')).toBe(true);
  expect(errors).toHaveLength(1);
  rmSync(path);
  expect(after(1_000).has('open')).toBe(true);
  writeFileSync(path, '{}');
  expect(after(1_000).has('open')).toBe(false);
  expect(errors).toHaveLength(1);
});
