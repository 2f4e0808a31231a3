import { readFileSync, statSync } from 'node:fs';
import { createPlans, type Plans } from '../../service/keys/api-keys.ts';
import { parseConfig } from '../config-schema.ts';

const CHECK_EVERY_MS = 1_000;

export interface FreshPlansOptions {
  /** The config file. */
  readonly path: string;
  /** Those that were read from it at first. */
  readonly plans: Plans;
  /** Ms. */
  readonly now: () => number;
  /** Told of a new file that cannot be used; the plans before it stay. */
  readonly onError: (error: unknown) => void;
}

/** The plans as they stand in the config file now; it is looked at once a second at most, when they are asked for. */
export function freshPlans({ path, plans, now, onError }: FreshPlansOptions): () => Plans {
  let current = plans;
  let seen = changedAt(path);
  let checkedAt = now();
  return () => {
    if (Math.abs(now() - checkedAt) < CHECK_EVERY_MS) return current;
    checkedAt = now();
    const changed = changedAt(path);
    // A file that is gone may be about to be put in place anew.
    if (changed === null || changed === seen) return current;
    seen = changed;
    try {
      current = createPlans(parseConfig(readFileSync(path, 'utf8'), 'the changed config file').plans ?? {});
    } catch (error) {
      onError(error);
    }
    return current;
  };
}

function changedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}
