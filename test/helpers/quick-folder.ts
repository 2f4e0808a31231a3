import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 30;

/** For databases of tests, which outlive no test: in memory where the system has such a folder with room, for each commit waits for a disk. */
export const QUICK_FOLDER = hasRoom() ? IN_MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}
