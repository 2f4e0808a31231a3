import { onTestFinished } from 'vitest';
import type { Gate } from '../../../src/service/http/auth.ts';
import { ApiFailure } from '../../../src/service/http/errors.ts';
import { createPlans, issueKey, type PlanSetting } from '../../../src/service/keys/api-keys.ts';
import { KeyGate } from '../../../src/service/keys/key-gate.ts';
import { KeyStore } from '../../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../../src/store/database.ts';

export const NOON = Date.UTC(2026, 10, 20, 12);

export async function openTestGate(path: string, plans: Readonly<Record<string, PlanSetting>> = {}) {
  const store = new KeyStore(await openKeyDatabase(path));
  const errors: unknown[] = [];
  const gate = new KeyGate({
    store,
    plans: createPlans(plans),
    wallNow: () => test.now,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => gate.close());
  const test = {
    gate,
    store,
    errors,
    now: NOON,
    key: async (plan: string) => (await issueKey(store, { name: '', plan, now: NOON })).text,
    ask: (key: string | null, count = 1) =>
      Promise.all(Array.from({ length: count }, () => outcome(gate, key))),
  };
  return test;
}

async function outcome(gate: Gate, key: string | null): Promise<string> {
  const failure = await refusal(gate.admit({ key, group: 'gas' }));
  return failure === null ? 'ok' : failure.code;
}

export async function refusal(answer: Promise<unknown>): Promise<ApiFailure | null> {
  try {
    await answer;
    return null;
  } catch (error) {
    if (error instanceof ApiFailure) return error;
    throw error;
  }
}

export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of outcomes) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
