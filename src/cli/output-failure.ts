import { writeSync } from 'node:fs';
import { EXIT } from './exit-code.ts';
import { fileFailureReason } from './file-failure.ts';

const STDERR = 2;

/** One line on stderr, where that can still be written, for an output that cannot; answers the exit code. */
export function reportOutputFailure(error: unknown): number {
  try {
    writeSync(STDERR, `gastop: the output ${fileFailureReason(error)}\n`);
  } catch {
    // Nobody is left to be told.
  }
  return EXIT.failed;
}
