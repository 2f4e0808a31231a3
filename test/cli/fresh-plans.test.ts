import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchPlans } from '../../src/cli/commands/run-service.ts';
import { createPlans } from '../../src/service/keys/api-keys.ts';
import { waitFor } from '../helpers/wait-for.ts';

const OPEN = JSON.stringify({ plans: { open: { dailyLimit: null, perSecond: null } } });

test('a plan that is written into the config file is known soon; of a broken or missing file those before stay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gastop-plans-'));
  const path = join(folder, 'config.json');
  writeFileSync(path, '{}');
  const errors: unknown[] = [];
  const { plans, close } = watchPlans(path, createPlans(), (error) => errors.push(error));
  onTestFinished(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });
  expect(plans().has('open')).toBe(false);
  writeFileSync(path, OPEN);
  await waitFor(() => plans().has('open'));
  expect(plans().has('free')).toBe(true);
  writeFileSync(path, '{ "plans": ');
  await waitFor(() => errors.length === 1);
  rmSync(path);
  expect(plans().has('open')).toBe(true);
  writeFileSync(path, '{}');
  await waitFor(() => !plans().has('open'));
  expect(errors).toHaveLength(1);
});
